"""Type stubs from live modules: modules.py (which, and their public names), homes.py (where each class is written), sources.py (what a
function's source says), annotations.py (tables of types by name), signatures.py, classes.py, writer.py (a module's text)."""

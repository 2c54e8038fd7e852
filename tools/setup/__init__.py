"""The steps of tools/setup_clone.py. Standard library only.

    packages.py     the system's packages, by apt where there is one
    toolchain.py    versions and properties that no package name guarantees: processor, Python, compiler, CMake
    environment.py  the virtual environment .venv and its Python packages
    building.py     CMake and ninja in build/develop
    lock.py         one set-up at a time in one clone
    processes.py    child processes: output, interruption, failures explained
    messages.py     messages and the progress line
"""

"""Notebooks: `%load_ext quern` brings `%%quern_profile` and `%%quern_check`, whose reports are those of the commands, as HTML.

Start reading at magics.py. Arrays show themselves by arrays/objects/pictures.py.
"""

from __future__ import annotations


def load(shell):
    """Registers the magics with IPython's shell; called by ``%load_ext quern``."""
    from quern.tools.notebook.magics import QuernMagics

    shell.register_magics(QuernMagics(shell))

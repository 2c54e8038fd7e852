"""`quern doctor`: what is wrong with this machine for quern, and how to mend it.

A package of its own, of the standard library alone and for Python 3.8 on, so that it runs where quern itself cannot be imported.
Start reading at command.py: a machine is looked at (machine.py, probe.py), rules find what is wrong (rules.py, rules_cuda.py), and it is
told (report.py) and, if asked, mended (mend.py).
"""

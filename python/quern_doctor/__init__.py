"""`quern doctor`: what is wrong with this machine for quern, and how to fix it.

A package of its own, of the standard library alone and for Python 3.8 on, so that it runs where quern itself cannot be imported.
Start reading at command.py: machine.py and probe.py inspect the machine, rules.py and rules_cuda.py find problems, report.py
prints them, and fixes.py runs the fixes if asked.
"""

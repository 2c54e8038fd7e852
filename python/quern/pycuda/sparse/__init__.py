"""Sparse matrices of PyCUDA: products with vectors (packeted, coordinate), operators, and conjugate gradients (cg).

A matrix is anything with SciPy's tocsr() or tocoo(); the products themselves are in _rows.py.
"""

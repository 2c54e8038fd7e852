"""Functions written in Python, as kernels: read by their source, typed by their arguments, printed as CUDA C++.

    types.py        the types of values, as Numba names them; signatures as text; the type of a host value
    source.py       a function's source: its tree, its lines, what its names mean; messages that show the place
    matching.py     `match`, written with `if`
    value.py        what an expression is while it is compiled: a type and a C++ text, or something known now
    function.py     one function for given types: statements; variables and their types        (start here)
    variable_types.py  what its names mean from place to place
    expressions.py  one method for each kind of expression
    operators.py    which type `a + b` works in and has, and its text
    times.py        datetime64 and timedelta64
    indexing.py     a[i], a[i, j] = x, slices
    library/        what kernels may call: a row, or a function, for each
    linked.py       CUDA C++ that a kernel is linked with, and functions of it that are declared
    conversions.py  which of several signatures a call means
    program.py      a function and all that it calls, as one text
    transposed_indexing.py  which threads of a block stand side by side
    launching.py    what all launches have in common
    dispatcher.py   kernels that compile themselves when they are called
    inspection.py   what is known of a compiled kernel: registers, texts, types
    vectorize.py    functions of numbers as functions of arrays
    loops.py        which of their loops a call means
    folds.py        their methods along an axis: reduce, accumulate, reduceat, at
    derivative.py   the derivative of such a function, written from its source; slopes.py: of what it may call
    generalized.py  functions of small arrays over the leading axes of larger ones
    raised.py       exceptions of kernels under debug=True, and of functions for the host
    element_errors.py  exceptions that vectorize and guvectorize functions raise for an element
    settings.py     what a decorator's options say about errors
    unset.py        names that are read where not every path has set them
    cupy_rules.py   CuPy's types, for cupyx.jit and cupy.vectorize: what of function.py and expressions.py differs
    records.py      arrays of records on the device
    plain.py        kernels as plain Python, for a debugger
    hosted.py       functions that the host calls
    interpreted.py  those that cannot be compiled, run by Python with Numba's types
    intrinsics.py   the names that mean something in kernels only

The text includes codegen/prelude/quern/python.cuh, where arrays, tuples and ranges of kernels are. `#line` leads messages and
profilers back to the Python file.
"""

"""Docstrings of the functions that make kernels, such as elementwise.get_fill_kernel(): of what each computes, its signature and a call."""

import inspect
import re
import textwrap

# What a parameter is, by its name; {0} stands for the part of the name that is the name of an array.
PARAMETERS = {
    "dtype": ("dtype", "Dtype of the arrays."),
    "dtype_out": ("dtype", "Dtype of the result."),
    "dtype_in": ("dtype", "Dtype of the array."),
    "dtype_subset": ("dtype", "Dtype of the indices."),
    "idx_dtype": ("dtype", "Dtype of the indices."),
    "crit_dtype": ("dtype", "Dtype of the condition."),
    "in_dtype": ("dtype", "Dtype of `y`."),
    "out_dtype": ("dtype", "Dtype of `z`; None is that of `y`."),
    "real_dtype": ("dtype", "Dtype of `z`."),
    "conj_dtype": ("dtype", "Dtype of `z`."),
    "operator": ("str", 'C++ operator, such as ``"+"``.'),
    "func": ("str", 'C++ function, such as ``"fmaxf"``.'),
    "func_name": ("str", 'C++ function, such as ``"sqrtf"``.'),
    "use_scalar": ("bool", "Whether `y` is a number."),
    "is_base_array": ("bool", "Whether `x` is an array; else it is a number."),
    "is_exp_array": ("bool", "Whether `y` is an array; else it is a number."),
    "vec_count": ("int", "Number of arrays, at most 500."),
    "with_offsets": ("bool", "Whether the kernel adds a number to the source indices of each array."),
    "summand_descriptors": ("tuple of tuples", "For each term: whether its factor is on the device, the dtypes of factor and array."),
    "what": ("{'min', 'max'}", "Which element."),
}
# The arrays of the examples.
ARRAYS = {
    "x": ("[1, 2, 3]", "float32"),
    "y": ("[4, 5, 6]", "float32"),
    "f": ("[1.5, -2.25, 3]", "float32"),
    "c": ("[1 + 2j, 3 - 4j, 5]", "complex64"),
    "i": ("[2, 0, 1]", "int32"),
}
RESULTS = {"z": "float32", "w": "complex64"}


def _parameter(parameter):
    name = parameter.name
    array = name.removeprefix("dtype_") if name.startswith("dtype_") else name.removesuffix("_is_scalar")
    general = ("bool", f"Whether `{array}` is a number.") if name.endswith("_is_scalar") else ("dtype", f"Dtype of `{array}`.")
    kind, said = PARAMETERS.get(name, general)
    optional = ", optional" if parameter.default is not inspect.Parameter.empty else ""
    return f"{name} : {kind}{optional}\n    {said}\n"


def _setup(names, module):
    lines = ["import numpy", f"from quern.pycuda import {', '.join(sorted((module, 'gpuarray')))}"]
    for name in names:
        if name in ARRAYS:
            values, dtype = ARRAYS[name]
            lines.append(f"{name} = gpuarray.to_gpu(numpy.array({values}, numpy.{dtype}))")
        elif name in RESULTS:
            lines.append(f"{name} = gpuarray.zeros(3, numpy.{RESULTS[name]})")
    return lines


def _sections(function, summary, returns, errors, lines, output):
    parameters = "".join(map(_parameter, inspect.signature(function).parameters.values()))
    parts = {"Parameters": parameters, "Returns": returns, "Raises": errors if parameters else "", "Examples": ""}
    shown = "".join(f"{title}\n{'-' * len(title)}\n{text.rstrip()}\n\n" for title, text in parts.items() if text)
    return f"{summary}\n\n{shown}Examples\n--------\n" + "\n".join(f">>> {line}" for line in lines) + f"\n{output}\n"


def makes_elementwise(arguments, operands, output):
    """A decorator: the docstring says "FORMULA; arguments NAMES", and gets sections and an example.

    The example calls the function with `arguments`, and the kernel with `operands`: names of ARRAYS and RESULTS, and numbers. `output`
    are the values of the last operand that is of RESULTS.
    """
    names = operands.split()
    result = [name for name in names if name in RESULTS][-1]

    def described(function):
        formula, _, takes = " ".join(function.__doc__.split()).rstrip(".").partition("; arguments ")
        has_textures = formula.startswith("(function, texture references): ")
        formula = formula.removeprefix("(function, texture references): ")
        takes, _, notes = takes.partition("; ")
        kernel = f"Prepared kernel with the arguments {takes}, and the number of elements."
        if has_textures:
            kernel += f" {notes[:1].upper() + notes[1:]}." if notes else ""
        returns = ("tuple of (Function, list of TextureReference)" if has_textures else "Function") + "\n" + _wrapped(kernel)
        errors = "ValueError\n    For a dtype without a name in C.\n"
        if {"func", "func_name", "operator"} & {*inspect.signature(function).parameters}:
            errors += "CompileError\n    For a name that C++ does not know for these dtypes.\n"
        shown = ", ".join(name if re.match(r"[\d.-]", name) else f"{name}.gpudata" for name in names)
        lines = [
            *_setup(names, "elementwise"),
            f"kernel = elementwise.{function.__name__}({arguments})",
            f"kernel.prepared_call((1, 1), (32, 1, 1), {shown}, 3)",
            result,
        ]
        output_shown = f"array([{output}], dtype={RESULTS[result]})"
        summary = f"Return a prepared kernel that computes ``{formula}``."
        function.__doc__ = _sections(function, summary, returns, errors, lines, output_shown)
        return function

    return described


def makes_reduction(arguments, operands, output):
    """The same for functions that return a ReductionKernel.

    The docstring says what the function returns, and after "; arguments: " what the kernel accepts.
    """

    def described(function):
        computes, _, takes = " ".join(function.__doc__.split()).rstrip(".").partition("; arguments: ")
        returns = f"ReductionKernel\n{_wrapped('Kernel' + (f' with the arguments {takes}.' if takes else ' of one array.'))}"
        lines = [*_setup(operands, "reduction"), f"reduction.{function.__name__}({arguments})({', '.join(operands)})"]
        function.__doc__ = _sections(function, f"{computes}.", returns, "", lines, output)
        return function

    return described


def _wrapped(text):
    return textwrap.indent(textwrap.fill(text, 110), "    ")

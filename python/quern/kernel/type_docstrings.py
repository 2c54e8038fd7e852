"""Docstrings of the types of kernels, each made of the type's name when it is read. Start reading at TypeDocstring."""

_SECTIONS = """

Parameters
----------
{parameters} : Type
    Types of the parameters of a signature.{values}

Returns
-------
Signature
    Signature of a function that returns this type.

Examples
--------
>>> from quern.numba import cuda, types
>>> {example}
{printed}
"""


class TypeDocstring:
    """The docstring of a class of types, and those of its instances.

    Parameters
    ----------
    of_class : str
        Docstring of the class.
    summary : str
        Summary of an instance, with its attributes in braces.
    """

    def __init__(self, of_class, summary):
        self.of_class, self.summary = of_class, summary

    def __get__(self, made, owner=None):
        if made is None:
            return self.of_class
        summary = self.summary.format(type=made)
        is_number, has_fields = hasattr(made, "dtype"), hasattr(made, "axes")
        name = "boolean" if made.name == "bool" else made.name
        example, printed = f"types.{name}(types.int64)", f"(int64,) -> {made}"
        if not is_number:
            example, printed = (f"cuda.{made}.axes", repr(made.axes)) if has_fields else ("cuda." + _SHOWN[made.name], made.name)
        return summary + _SECTIONS.format(
            parameters="*arguments" if is_number or has_fields else "*parameters",
            values=" A value instead is converted to this type." if is_number else "",
            example=example,
            printed=printed,
        )


_SHOWN = {"none": "none", "GridGroup": "grid_group", "Dim3": "dim3"}

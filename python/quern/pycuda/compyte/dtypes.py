"""The C names of NumPy's types under the names of pycuda.compyte.dtypes; quern.pycuda._arguments has them."""

from types import SimpleNamespace

from quern.pycuda import _arguments
from quern.pycuda._arguments import get_or_register_dtype, parsed_argument, register_dtype  # noqa: F401

DTYPE_TO_NAME, NAME_TO_DTYPE = _arguments._names_of_dtypes, _arguments._dtypes_of_names
dtype_to_ctype = _arguments.base_dtype_to_ctype
TypeNameNotKnown = ValueError  # what a name that nobody registered gives
TYPE_REGISTRY = SimpleNamespace(
    dtype_to_name=DTYPE_TO_NAME, name_to_dtype=NAME_TO_DTYPE, dtype_to_ctype=dtype_to_ctype, get_or_register_dtype=get_or_register_dtype
)


def parse_c_arg_backend(c_arg, scalar_arg_factory, vec_arg_factory, name_to_dtype=None):
    """A parameter as C declares it: what one of the factories, for values and for pointers, makes of its NumPy type and its name.

    ``name_to_dtype``: gives the types of names, or a registry of them.
    """
    find = name_to_dtype.name_to_dtype.__getitem__ if hasattr(name_to_dtype, "name_to_dtype") else name_to_dtype
    return parsed_argument(c_arg, scalar_arg_factory, vec_arg_factory, find or get_or_register_dtype)

"""Types by name: of parameters, and of what functions and methods of arrays return.

A function of a module in ARRAYS returns one array where its source shows nothing else and no table here names it; a method of an array
returns its own class. {A} stands for the array's class, {n} for numpy.
"""

import inspect

ARRAYS = {
    **dict.fromkeys(("quern", "quern.fft", "quern.linalg", "quern.random"), "quern.Array"),
    **dict.fromkeys(("quern.array_api", "quern.array_api.fft", "quern.array_api.linalg"), "quern.Array"),
    **dict.fromkeys(
        ("quern.cupy", "quern.cupy.fft", "quern.cupy.linalg", "quern.cupy.random", "quern.cupy.lib.stride_tricks"), "quern.cupy.ndarray"
    ),
    **dict.fromkeys(
        ("quern.torch", "quern.torch.fft", "quern.torch.linalg", "quern.torch.special", "quern.torch.nn.functional"), "quern.torch.Tensor"
    ),
    **dict.fromkeys(("quern.pycuda.gpuarray", "quern.pycuda.cumath"), "quern.pycuda.gpuarray.GPUArray"),
}
# Classes whose operators and methods return their own class.
ARRAY_CLASSES = {"quern.Array", "quern.cupy.ndarray", "quern.torch.Tensor", "quern.pycuda.gpuarray.GPUArray"}

# Methods that programs override with other parameters, by their classes.
OVERRIDDEN = {"Module": ("forward",), "Function": ("forward", "backward", "setup_context", "jvp")}
# Modules whose functions are those of arrays; others that a front end shows are about devices, settings and related things.
OF_ARRAYS = (
    *("quern.arrays", "quern.array_api", "quern.cupy", "quern.pycuda", "cupy", "pycuda"),
    *(f"quern.torch.{name}" for name in "_elementwise _shaping _reductions _indexing _linalg _special _creation".split()),
    *(f"quern.torch.{name}" for name in "_arguments _namespace _copies_and_queries _matrix_functions _settings _scatter".split()),
    *(f"quern.torch.{name}" for name in "_conversions _functional_forms _view_copies".split()),
    *("quern.torch.linalg", "quern.torch.random", "quern.torch.nn.functional"),
)
ANY = "_t.Any"
# Of functions that return something else than one array, in any front end.
FUNCTIONS = {
    "_b.bool": """allclose array_equal array_equiv can_cast is_complex is_floating_point is_inference is_nonzero is_same_size is_signed
        is_storage is_tensor is_conj is_neg iscomplexobj isdtype isfortran isrealobj isscalar issubdtype iterable is_available
        may_share_memory shares_memory are_deterministic_algorithms_enabled is_grad_enabled is_inference_mode_enabled is_anomaly_enabled""",
    "_b.int": "get_num_threads numel initial_seed",
    "_b.tuple[_b.int, ...]": "broadcast_shapes shape",
    "_b.tuple[{A}, ...]": """broadcast_arrays chunk unbind tensor_split split_with_sizes unsafe_chunk unsafe_split
        unsafe_split_with_sizes unstack meshgrid ix_ unravel_index diag_indices diag_indices_from tril_indices_from triu_indices_from
        mask_indices broadcast_tensors modf divmod frexp histogram histogram2d polydiv var_mean std_mean aminmax lstm gru rnn_tanh
        rnn_relu lstm_cell""",
    "_b.str": """array_repr array_str array2string base_repr binary_repr format_float_positional format_float_scientific
        get_float32_matmul_precision typename""",
    "_t.Any": """ndim size unique unique_all unique_counts unique_inverse unique_consecutive where gradient average polyfit eig eigh svd
        qr slogdet lstsq triangular_solve histogramdd result_type promote_types min_scalar_type common_type load get_default_dtype
        get_default_device set_default_dtype einsum_path get_array_module get_printoptions geterr seterr errstate printoptions
        apply_along_axis apply_over_axes fromfunction item get_state get_rng_state default_rng bytes compile manual_seed to_dlpack
        toDlpack atleast_1d atleast_2d atleast_3d indices as_ndarray fuse memoize obj2sctype safe_eval sctype2char on_stream
        multi_take_put plain compiled_with_cxx11_abi __array_namespace_info__ embedding_bag info get_fallback set_fallback finfo iinfo""",
    "{n}.ndarray[_t.Any, _t.Any]": "asnumpy",
    "None": "save savez savez_compressed savetxt show_config copyto clear_memo",
}
NUMPYS = {
    "_b.list[{A}]": "array_split split hsplit vsplit dsplit",
    "_b.tuple[{A}, ...]": "nonzero tril_indices triu_indices",
}
TORCHS = {
    "_b.tuple[{A}, ...]": "split hsplit vsplit dsplit",
    "_t.Any": """nonzero max min median nanmedian sort topk kthvalue mode cummax cummin lu lu_unpack lu_factor lu_factor_ex inv_ex
        cholesky_ex ldl_factor ldl_factor_ex solve_ex geqrf svd_lowrank pca_lowrank multi_head_attention_forward seed""",
}
# Of methods of arrays, as above.
METHODS = {
    "_t.Any": """item tolist get qr svd lu eig slogdet unique unique_consecutive triangular_solve geqrf __array_namespace__
        untyped_storage storage result_type __cuda_array_interface__ __array__ to_dlpack toDlpack mdspan const_data_ptr dim_order""",
    "_b.bool": """is_complex is_floating_point is_conj is_neg is_contiguous is_inference is_pinned is_same_size is_set_to is_shared
        is_signed is_nonzero allclose equal has_names is_coalesced is_distributed""",
    "_b.int": "dim numel nelement ndimension element_size __len__ __int__ __index__ __hash__",
    "_b.bytes": "tobytes dumps",
    "_b.tuple[_te.Self, ...]": """chunk unbind split tensor_split split_with_sizes unsafe_chunk unsafe_split unsafe_split_with_sizes
        hsplit vsplit dsplit aminmax frexp histogram __divmod__ __rdivmod__""",
    "None": "tofile dump __setitem__ __delitem__",
    "_b.float": "__float__",
    "_b.complex": "__complex__",
    "_t.Iterator[_te.Self]": "__iter__",
    "{n}.ndarray[_t.Any, _t.Any]": "numpy",
}
NUMPYS_METHODS = {"_b.tuple[_te.Self, ...]": "nonzero"}
TORCHS_METHODS = {
    "_t.Any": """nonzero max min median nanmedian mode sort topk kthvalue cummax cummin size stride storage_offset get_device data_ptr
        type register_hook record_stream register_post_accumulate_grad_hook retain_grad backward""",
}
# Functions that return one array without this flag, and more with it.
FLAGS = {"linspace": "retstep", "average": "returned"}
# Of functions that no table names, by how their names begin.
PREFIXES = {"is_": "_b.bool", "get_": ANY, "set_": ANY, "sym_": ANY}
PROPERTIES = {
    "_t.Any": "grad",
    "_b.int": "ndim itemsize nbytes element_size output_nr",
    "_b.bool": "requires_grad is_cuda is_cpu is_leaf is_sparse is_quantized is_meta is_mkldnn retains_grad is_nested is_mps is_xpu",
    "_te.Self": "T mT H mH real imag",
}
NUMPYS_PROPERTIES = {
    "_b.tuple[_b.int, ...]": "shape strides",
    "_b.int": "size",
    "{n}.dtype[_t.Any]": "dtype",
}
TORCHS_PROPERTIES = {"_quern_torch.Size": "shape", "_quern_torch.dtype": "dtype", "_quern_torch.device": "device"}
# Of special methods of any class.
SPECIAL = {
    "_b.str": "__repr__ __str__ __format__",
    "_b.int": "__len__ __hash__ __index__ __int__ __sizeof__",
    "_b.bool": "__bool__ __contains__ __eq__ __ne__",
    "_b.float": "__float__",
    "_b.complex": "__complex__",
    "None": "__init__ __setitem__ __delitem__ __setattr__ __delattr__ __init_subclass__ __set_name__ __del__",
}
OPERATORS = """add sub mul truediv floordiv mod pow matmul and or xor lshift rshift radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand
ror rxor rlshift rrshift iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift neg pos abs invert lt le gt
ge eq ne getitem copy deepcopy round""".split()

_AXES = "_t.SupportsIndex | _t.Sequence[_t.SupportsIndex] | None"
# Of parameters of functions and methods of arrays.
PARAMETERS = {
    "axis": _AXES,
    "dim": _AXES,
    "keepdims": "_b.bool",
    "keepdim": "_b.bool",
    "requires_grad": "_b.bool",
    "pin_memory": "_b.bool",
    "inplace": "_b.bool",
    "memory_format": "_t.Any",
}
FACE_KINDS = {"array": "{A}", "boolean": "_b.bool | None", "integer": "_t.SupportsIndex", "number": "_b.complex | None"}  # others: Any


def _by_name(*tables):
    return {name: text for table in tables for text, names in table.items() for name in names.split()}


_OF_NUMPY, _OF_TORCH = _by_name(FUNCTIONS, NUMPYS), _by_name(FUNCTIONS, TORCHS)
_METHODS_OF_NUMPY, _METHODS_OF_TORCH = _by_name(METHODS, NUMPYS_METHODS), _by_name(METHODS, TORCHS_METHODS)
_PROPERTIES_OF_NUMPY, _PROPERTIES_OF_TORCH = _by_name(PROPERTIES, NUMPYS_PROPERTIES), _by_name(PROPERTIES, TORCHS_PROPERTIES)
special = _by_name(SPECIAL)
array_special = {f"__{name}__": "_te.Self" for name in OPERATORS}


def is_of_arrays(function):
    """Whether a function is one of arrays, by the module that defines it."""
    module = inspect.unwrap(function).__module__ or ""
    return module.startswith(OF_ARRAYS) or module == "quern.torch" or type(function).__name__ == "array_function"


def function(module, name):
    """The result of a module's function by its name, or None."""
    table = _OF_TORCH if module.startswith("quern.torch") else _OF_NUMPY
    return table.get(name) or next((text for prefix, text in PREFIXES.items() if name.startswith(prefix)), None)


def methods(module):
    """The results by name of the methods of a module's array class."""
    return _METHODS_OF_TORCH if module.startswith("quern.torch") else _METHODS_OF_NUMPY


def properties(module):
    """The types by name of the properties of a module's array class."""
    return _PROPERTIES_OF_TORCH if module.startswith("quern.torch") else _PROPERTIES_OF_NUMPY

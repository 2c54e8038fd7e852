"""Sections of the docstrings of torch.cuda's functions: parameters by their names, results and examples. Start reading at complete()."""

import sys
import types

PARAMETERS = {
    "device": 'device, str or int, optional\n    GPU, such as "cuda:1"; None is the current one.',
    "peer_device": "device, str or int\n    GPU whose memory is accessed.",
    "including_emulation": "bool, optional\n    Whether emulation counts, too.",
    "abbreviated": "bool, optional\n    Accepted for compatibility.",
    "fraction": "float\n    Fraction, from 0 to 1.",
    "data_ptr": "int\n    Address of the stream.",
    "stream": "Stream or None\n    Stream; None has no effect.",
    "seed": "int\n    Seed, of 64 bits.",
    "new_state": "Tensor\n    State that :func:`get_rng_state` returned.",
    "new_states": "iterable of Tensor\n    States that :func:`get_rng_state_all` returned.",
}
OF_FUNCTIONS = {
    ("set_device", "device"): 'device, str or int\n    GPU, such as "cuda:1"; a negative number has no effect.',
    ("can_device_access_peer", "device"): "device, str or int\n    GPU that accesses.",
    **dict.fromkeys(
        (("get_rng_state", "device"), ("set_rng_state", "device")),
        "device, str or int, optional\n    Accepted for compatibility: one generator is used for all devices.",
    ),
}
_BYTES = "int\n    Bytes."
# Types and descriptions of results.
RETURNS = {
    **dict.fromkeys(
        "is_available is_initialized is_bf16_supported is_tf32_supported is_current_stream_capturing".split(), "bool\n    Whether it is so."
    ),
    "can_device_access_peer": "bool\n    Whether it can.",
    "device_count": "int\n    Number of GPUs.",
    "current_device": "int\n    Number of the GPU.",
    "get_device_properties": "object\n    Properties as attributes, such as `total_memory`.",
    "get_device_name": "str\n    Name.",
    "get_device_capability": "tuple of ints\n    Major and minor number.",
    "get_arch_list": "list of str\n    Architectures.",
    "get_gencode_flags": "str\n    Options.",
    "mem_get_info": "tuple of ints\n    Free and total bytes.",
    **dict.fromkeys("memory_allocated memory_reserved max_memory_allocated max_memory_reserved".split(), _BYTES),
    "memory_stats": "dict\n    Numbers by name.",
    "memory_summary": "str\n    Lines of names and numbers.",
    "get_allocator_backend": "str\n    Name.",
    "current_stream": "Stream\n    Stream.",
    "default_stream": "Stream\n    Stream.",
    "get_stream_from_external": "ExternalStream\n    Stream.",
    "stream": "StreamContext\n    Context manager.",
    "initial_seed": "int\n    Seed.",
    "get_rng_state": "Tensor\n    State, a tensor of bytes.",
    "get_rng_state_all": "list of Tensor\n    States.",
}
RAISES = {
    "set_per_process_memory_fraction": "ValueError\n    For a fraction below 0 or above 1.",
    **dict.fromkeys("init current_device".split(), "RuntimeError\n    Without a GPU."),
}
# Calls in examples, where they need more than their name; those of NEED_GPU run where there is a GPU.
CALLS = {
    "is_available": "isinstance(torch.cuda.is_available(), bool)\nTrue",
    "device_count": "torch.cuda.device_count() > 0 or not torch.cuda.is_available()\nTrue",
    "is_initialized": "torch.cuda.is_initialized() is torch.cuda.is_available()\nTrue",
    "get_allocator_backend": "torch.cuda.get_allocator_backend()\n'native'",
    "is_current_stream_capturing": "torch.cuda.is_current_stream_capturing()\nFalse",
    "get_arch_list": "len(torch.cuda.get_arch_list()) <= torch.cuda.device_count()\nTrue",
    "get_gencode_flags": "isinstance(torch.cuda.get_gencode_flags(), str)\nTrue",
    "get_rng_state": "state = torch.cuda.get_rng_state()\n>>> torch.cuda.set_rng_state(state)",
    "set_rng_state": "torch.cuda.set_rng_state(torch.cuda.get_rng_state())",
    "get_rng_state_all": "len(torch.cuda.get_rng_state_all()) == torch.cuda.device_count()\nTrue",
    "set_rng_state_all": "torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())",
    "manual_seed": "torch.cuda.manual_seed(7)\n>>> torch.cuda.initial_seed()\n7",
    "initial_seed": "torch.cuda.manual_seed(7)\n>>> torch.cuda.initial_seed()\n7",
    "is_bf16_supported": "torch.cuda.is_bf16_supported() is torch.cuda.is_available()\nTrue",
    "is_tf32_supported": "isinstance(torch.cuda.is_tf32_supported(), bool)\nTrue",
    "memory_allocated": "torch.cuda.memory_allocated() <= torch.cuda.memory_reserved()\nTrue",
    "memory_reserved": "torch.cuda.memory_reserved() >= torch.cuda.memory_allocated()\nTrue",
    "max_memory_allocated": "torch.cuda.max_memory_allocated() >= torch.cuda.memory_allocated()\nTrue",
    "max_memory_reserved": "torch.cuda.max_memory_reserved() >= torch.cuda.memory_reserved()\nTrue",
    "memory_stats": "isinstance(torch.cuda.memory_stats(), dict)\nTrue",
    "memory_summary": "isinstance(torch.cuda.memory_summary(), str)\nTrue",
    "set_stream": "torch.cuda.set_stream(None)",
    "stream": "with torch.cuda.stream(None) as stream:\n...     stream is None\nTrue",
    **{name: f"torch.cuda.{name}()" for name in "empty_cache ipc_collect reset_peak_memory_stats seed".split()},
}
NEED_GPU = {
    "set_device": "set_device(0)",
    "can_device_access_peer": "peers = torch.cuda.can_device_access_peer(0, 0)",
    "set_per_process_memory_fraction": "set_per_process_memory_fraction(1.0)",
    "init": "init()",
    "synchronize": "synchronize()",
    "get_stream_from_external": "stream = torch.cuda.get_stream_from_external(torch.cuda.Stream().cuda_stream)",
    **{
        name: f"found = torch.cuda.{name}()"
        for name in """current_device get_device_properties get_device_name get_device_capability mem_get_info current_stream
        default_stream""".split()
    },
}


def _example(name):
    call = CALLS.get(name)
    if call is None:
        call = NEED_GPU[name]
        call = f"if torch.cuda.is_available():\n...     {call if '= ' in call else f'torch.cuda.{call}'}"
    return f">>> from quern import torch\n>>> {call}"


def complete(module):
    """Add the sections to the docstrings of a module's own functions, which have summaries.

    Parameters
    ----------
    module : str
        Name of the module.
    """
    for name, value in vars(sys.modules[module]).items():
        is_own = isinstance(value, types.FunctionType) and value.__module__ == module
        if not is_own or name.startswith("_") or name != value.__name__ or "---" in value.__doc__:
            continue
        parameters = value.__code__.co_varnames[: value.__code__.co_argcount]
        sections = {
            "Parameters": "\n".join(f"{one} : {OF_FUNCTIONS.get((name, one)) or PARAMETERS[one]}" for one in parameters),
            "Returns": RETURNS.get(name),
            "Raises": RAISES.get(name),
            "Examples": _example(name),
        }
        summary = value.__doc__.strip().replace("\n    ", "\n")
        parts = [summary, *(f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if text)]
        value.__doc__ = "\n\n".join(parts) + "\n"

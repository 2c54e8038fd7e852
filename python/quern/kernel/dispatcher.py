"""Dispatcher: a Python function that compiles itself for the types that it is called with.

The warm way of a launch is the engine's (bindings/dispatcher.cpp); it comes here for types that it has not seen.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import threading
import weakref

from quern.device import current_device
from quern.errors import CompileError, InternalError
from quern.kernel import conversions, plain, signatures, transposed_indexing, types
from quern.kernel.errors import KernelError, LinkError, TypingError
from quern.kernel.hosted import check_not_none
from quern.kernel.inspection import Inspectable
from quern.kernel.intrinsics import running
from quern.kernel.launching import LaunchConfig, checked_tasks, leaves_of, numbers_of, reduced, shape_of
from quern.kernel.powers import with_integer_powers
from quern.kernel.program import Program
from quern.kernel.raised import Raised, RaisingLaunch
from quern.lib import _engine
from quern.tools.check import report

_NUMBER = {name: number for number, name, _ in _engine.device_attributes()}  # of a device's attribute, by the driver's name


class Definition:
    """A kernel compiled for given types: what ``overloads`` of a dispatcher holds."""

    def __init__(self, dispatcher, program, device):
        self.signature = signatures.Signature(types.none, program.kernel.parameters)
        self.symbol = program.kernel.symbol
        self.is_turned = transposed_indexing.is_better_turned(program)
        self.text = program.text_of(self.is_turned)
        self.device = device
        self.variables = program.kernel.named_types()
        self.flags = flags_of(dispatcher.targetoptions, program, device)
        self.is_relocatable = bool(program.linked_code)
        try:
            name, kinds = f"{dispatcher.__name__}.cu", signatures.listed(self.signature.args)
            self.program = _engine.build(device, self.text, name, self.flags, [], program.linked_code, keep=True, types=kinds)
        except CompileError as e:
            if program.linked or program.declared:
                names = ", ".join(sorted({name for name, _, _ in program.declared})) or "nothing"
                raise LinkError(f"[{dispatcher.__name__}] its declarations do not match the linked code (declared: {names})\n{e}") from None
            if "too much shared data" in str(e):  # of NVIDIA's assembler
                _, compiler, node = program.largest_shared
                hint = "ask for it at the launch: shape 0, kernel[grid, block, stream, bytes]"
                raise compiler.error(KernelError, node, "the device has 49152 bytes for the shared arrays of a kernel", hint) from None
            raise InternalError(
                f"[{dispatcher.__name__}] quern generated C++ source that does not compile; this is a bug in quern, please report it\n{e}"
            ) from None
        written = program.kernel.written
        self.writes = [name in written for name in (*(name for name, _ in _leaves(program.kernel)), *program.kernel.found)]
        raised = {} if program.raised is None else {"raised_words": program.raised.memory(device)}
        self.found = [raised[name] if name in raised else program.found[name] for name in program.kernel.found]
        self.dynamic_shared = program.dynamic_shared_place or ""
        report.note_dynamic_shared(program.kernel.source.file, program.kernel.source.name, program.dynamic_shared_element())
        self.cooperative = program.is_cooperative
        for code in program.linked:
            if code.loaded:
                code.loaded(self.program)
            if code.unloaded:
                weakref.finalize(self, code.unloaded, self.program)

    @functools.cached_property
    def info(self):
        """What the device says of it, as a dict."""
        return self.program.kernel(self.symbol).info()

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """How many blocks of ``blockdim`` threads, with so many bytes of dynamic shared memory, are on the device at once."""
        threads = math.prod(blockdim) if isinstance(blockdim, (tuple, list)) else int(blockdim)
        if not 0 < threads <= self.info["max_threads"]:
            return 0
        if self.device.kind == "cpu":  # blocks take turns
            return 2**31 - 1
        return self.device.attribute(_NUMBER["MULTIPROCESSOR_COUNT"]) * self._blocks_together(-(-threads // 32), dynsmemsize)

    def _blocks_together(self, warps, dynsmemsize):
        """Blocks of so many warps on one multiprocessor: registers are given out in 256s to a warp, shared memory in 128s of bytes."""
        def of(name):
            return self.device.attribute(_NUMBER[name])

        counts = [of("MAX_BLOCKS_PER_MULTIPROCESSOR"), of("MAX_THREADS_PER_MULTIPROCESSOR") // 32 // warps]
        if registers := -(-self.info["registers"] * 32 // 256) * 256:
            counts.append(of("MAX_REGISTERS_PER_MULTIPROCESSOR") // registers // 4 * 4 // warps)
        reserved = of("RESERVED_SHARED_MEMORY_PER_BLOCK")
        if shared := -(-(self.info["static_shared"] + dynsmemsize + reserved) // 128) * 128:
            counts.append(of("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR") // shared)
        return min(counts)


def bounds_text(bounds):
    """``__launch_bounds__(...)`` for the option ``launch_bounds``. Raises TypeError for what are no bounds."""
    if not bounds:
        return ""
    given = bounds if isinstance(bounds, (tuple, list)) else (bounds,)
    if not 1 <= len(given) <= 3 or not all(type(n) is int and 0 < n < 2**31 for n in given):
        raise TypeError(f"[jit] launch_bounds must be a number of threads or a tuple of up to three positive integers, not {bounds!r}")
    return f"__launch_bounds__({', '.join(map(str, given))}) "


def flags_of(options, program, device):
    """Return the compiler options for options of ``@cuda.jit``."""
    flags = ["-I" + folder for code in program.linked for folder in code.folders]
    if options.get("fastmath"):
        flags.append("--use_fast_math")
    if device.kind != "cpu":
        if options.get("max_registers"):
            flags.append(f"--maxrregcount={options['max_registers']}")
        if options.get("debug") or options.get("lineinfo"):
            flags.append("-lineinfo")
    return flags


def _leaves(function):
    for name, variable in function.arguments.items():
        yield from leaves_of(name, variable.type)


class Dispatcher(Inspectable):
    """What ``@cuda.jit`` makes of a kernel.

    ``kernel[grid, block]`` or ``kernel[grid, block, stream, shared_bytes]`` is called with the kernel's arguments: grid and block are
    numbers or tuples of up to three. Arguments are arrays (of the device; NumPy arrays are copied in and back), numbers, tuples of
    them, and None.

    Raises
    ------
    quern.kernel.errors.KernelError
        When the function, with these types, cannot be a kernel; the message shows the line.
    quern.LogicError
        When the grid, the block or the shared memory do not suit the device or the kernel.
    """

    warns = True  # of what quern/cuda/warned.py looks for

    def __new__(cls, function, given_signatures=None, **options):
        if plain.is_on(function):
            return plain.PlainKernel(function, given_signatures, **options)
        return super().__new__(cls)

    def __init__(self, function, given_signatures=None, **options):
        super().__init__()
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        bounds_text(options.get("launch_bounds"))
        self._lock = threading.Lock()
        self._programs = {}  # types -> Program
        self.told = {}  # where it was warned of small grids (quern/cuda/warned.py)
        self._definitions = {}  # (device, types) -> Definition
        self._shaped = None  # (device, types, a launch's shape) -> Definition, where its code depends on that
        self.captures = []  # dicts that receive, under "config", the launch that it is compiled for
        self._raised = Raised() if options.get("debug") else None
        self._only = None  # the types of eager signatures, once they are compiled
        self._may_compile = True
        self._in_compile = 0
        if given_signatures:
            only = []
            for given in given_signatures:
                signature = signatures.parsed(given)
                if signature.return_type not in (None, types.none):
                    raise TypeError(f"[{self.__name__}] CUDA kernel must have void return type.")
                for parameters in itertools.product(
                    *[(types.none, t.type) if isinstance(t, types.Optional) else (t,) for t in signature.args]
                ):
                    self._definition(parameters)
                    only.append(parameters)
            self._only = only

    def __reduce__(self):
        return reduced(self, self._only, **self.targetoptions)

    def __get__(self, instance, owner=None):
        return self

    # ---- compiling

    def _program(self, parameters, anew=False):
        found = None if anew else self._programs.get(parameters)
        if found is None:
            options = self.targetoptions
            attributes = bounds_text(options.get("launch_bounds"))
            links = options.get("link") or ()
            found = self._programs[parameters] = Program(
                self.py_func, parameters, True, bool(options.get("debug")), attributes, links=links, finds=True, raised=self._raised
            )
        return found

    def _definition(self, parameters, launch=None, args=()):
        device = current_device()
        with self._lock:
            found = self._known(device, parameters, launch)
            if found is None:
                if not self._may_compile:
                    raise RuntimeError(f"[{self.__name__}] compilation is disabled, and there is no compiled version for {parameters}")
                self._in_compile += 1
                try:
                    found = self._made(device, parameters, None if launch is None else LaunchConfig(launch, args))
                finally:
                    self._in_compile -= 1
        return found

    def _known(self, device, parameters, launch):
        if self._shaped is None or launch is None:
            return self._definitions.get((device, parameters))
        return self._shaped.get((device, parameters, shape_of(launch)))

    def _made(self, device, parameters, launch):
        """Compiles. ``launch``: the LaunchConfig that it is done for, which code that runs meanwhile may look at and mark."""
        for record in self.captures:
            record["config"] = launch
        with launch or contextlib.nullcontext():
            found = self._definitions[device, parameters] = Definition(self, self._program(parameters, self._shaped is not None), device)
        if launch is not None and launch.is_kernel_launch_config_sensitive():
            self._shaped = {} if self._shaped is None else self._shaped
        if launch is not None and self._shaped is not None:
            self._shaped[device, parameters, shape_of(launch)] = found
        return found

    def _definition_for(self, described, launch):
        """For the engine: what ``overloads`` has for arguments of these types, launched so."""
        given = tuple(signatures.of_description(d) for d in described)
        return self._definition(given if self._only is None else self._chosen(given), launch)

    def _compile(self, described, launch, args):
        """For the engine: the kernel for arguments of these types."""
        given = tuple(signatures.of_description(d) for d in described)
        parameters = given if self._only is None else self._chosen(given)
        try:
            made = self._definition(parameters, launch, args)
        except KernelError as e:
            raise e.with_traceback(None) from None  # the place that counts is in the message
        numbers = numbers_of(parameters)
        first = made.program, made.symbol, made.writes, made.dynamic_shared, made.cooperative, made.is_turned, numbers, made.found
        return *first, self._shaped is not None

    def _chosen(self, given):
        """Of the signatures that were given, the one that these arguments mean. A number with a fraction does not go into an integer."""
        found = conversions.only_nearest(self._only, given, self.__name__)
        for g, p in zip(given, found, strict=True):
            if isinstance(g, types.Float) and isinstance(p, types.Integer):
                raise TypeError(f"[{self.__name__}] it was compiled for {p}, and the argument is {g}; convert it with int()")
        return found

    def compile(self, sig):
        """Compile the kernel for a signature now.

        Parameters
        ----------
        sig : str, Signature or tuple
            Types of the arguments, such as ``"void(float64[:])"``.

        Returns
        -------
        object
            Compiled kernel, as `overloads` has it.
        """
        return self._definition(signatures.parsed(sig).args)

    def specialize(self, *args):
        """Return a kernel for the types of arguments only.

        Parameters
        ----------
        *args : object
            Arguments.

        Returns
        -------
        CUDADispatcher
            Kernel.
        """
        parameters = tuple(signatures.argument_type(a) for a in args)
        return type(self)(self.py_func, [parameters], **self.targetoptions)

    def compile_device(self, args, return_type=None):
        """Compile the function as one that kernels call.

        Parameters
        ----------
        args : tuple
            Types of the arguments.
        return_type : Type, optional
            Type of the result; another one raises TypingError.

        Returns
        -------
        object
            Result with the attributes `signature` and `text`.
        """
        program = Program(self.py_func, tuple(signatures.as_type(a) for a in args), False)
        return DeviceResult(program, return_type)

    def disable_compile(self, val=True):
        """Forbid compilations for new types, which raise RuntimeError.

        Parameters
        ----------
        val : bool, optional
            Whether they are forbidden.
        """
        self._may_compile = not val

    def recompile(self):
        """Compiles all definitions anew, with the values that globals have now."""
        known = list(self._programs)
        self._programs, self._definitions = {}, {}
        self._shaped = None if self._shaped is None else {}
        self._forget()
        for parameters in known:
            self._definition(parameters)

    def add_overload(self, kernel, argtypes):
        """Add a compiled kernel for arguments of types.

        Parameters
        ----------
        kernel : object
            Compiled kernel, as :meth:`compile` returns it.
        argtypes : sequence of types
            Types of the arguments.
        """
        self._definitions[kernel.device, tuple(signatures.as_type(a) for a in argtypes)] = kernel

    def enable_caching(self):
        """Nothing is to be done: compiled kernels are always kept."""

    def mark_launch_config_sensitive(self):
        """Nothing is to be done: the launch that a kernel is compiled for is asked (quern.cuda.launchconfig)."""

    # ---- launching

    def _launch(self, key):
        launch = super().__getitem__(key)
        return launch if self._raised is None else RaisingLaunch(launch, self._raised)

    def call(self, args, launch_config):
        """Launch the kernel.

        Parameters
        ----------
        args : tuple
            Arguments.
        launch_config : object
            Launch configuration: ``kernel[grid, block]``.
        """
        return launch_config(*args)

    @property
    def extensions(self):
        """Objects whose ``prepare_args(type, value, stream, retr)`` sees each argument before a launch; see :func:`quern.cuda.jit`."""
        return list(self.targetoptions.get("extensions") or ())

    def __call__(self, *args, **kwargs):
        if getattr(running, "thread", None) is not None:  # in a kernel that runs as plain Python
            return with_integer_powers(self.py_func)(*args, **kwargs)
        raise ValueError(
            f"[{self.__name__}] Kernel launch configuration was not specified: write {self.__name__}[blocks, threads](...); "
            "for a function that kernels call, write @cuda.jit(device=True)"
        )

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """Return the kernel with a launch configuration: ``kernel[griddim, blockdim, stream, sharedmem]``.

        Parameters
        ----------
        griddim : int or tuple of ints
            Number of blocks in each dimension.
        blockdim : int or tuple of ints
            Number of threads of a block in each dimension.
        stream : Stream, optional
            Stream of the launch.
        sharedmem : int, optional
            Bytes of dynamic shared memory.

        Returns
        -------
        object
            Launch configuration, which is called with the arguments.
        """
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """Return the kernel with a launch configuration for a number of threads in one dimension.

        Parameters
        ----------
        ntasks : int
            Number of threads; the launch has at least as many.
        tpb : int, optional
            Number of threads of a block; 0 lets the device choose.
        stream : Stream, optional
            Stream of the launch.
        sharedmem : int, optional
            Bytes of dynamic shared memory.

        Returns
        -------
        object
            Launch configuration, which is called with the arguments.

        Examples
        --------
        >>> from quern import cuda
        >>> import numpy as np
        >>> @cuda.jit
        ... def double(x):
        ...     i = cuda.grid(1)
        ...     if i < x.size:
        ...         x[i] *= 2
        >>> x = np.arange(5.0)
        >>> double.forall(len(x))(x)  # doctest: +SKIP
        """
        return ForAll(self, *checked_tasks(ntasks, tpb), stream, sharedmem)

    def _threads_for(self, args):
        """How many threads a block has where nobody says it."""
        parameters = tuple(signatures.of_description(d) for d in _engine.argument_types(*args))
        definition = self._definition(parameters if self._only is None else self._chosen(parameters))
        return min(256, definition.info["max_threads"])


class RaisingDispatcher(Dispatcher):
    """A dispatcher with ``debug=True``: a launch raises what threads raise."""

    __getitem__ = Dispatcher._launch


class _ExtendedLaunch:
    """``kernel[grid, block]`` of a kernel with extensions."""

    def __init__(self, dispatcher, launch):
        self._dispatcher, self._launch = dispatcher, launch

    def __call__(self, *args):
        after = []
        args = [self._dispatcher._prepared(a, self._launch.stream or 0, after) for a in args]
        self._launch(*args)
        for callback in after:
            callback()

    def __getattr__(self, name):
        return getattr(self._launch, name)


class ExtendedDispatcher(Dispatcher):
    """A dispatcher with ``extensions``, each of which may replace arguments before a launch; the last one comes first, as Numba has it."""

    def __getitem__(self, key):
        return _ExtendedLaunch(self, self._launch(key))

    def _threads_for(self, args):
        return 128  # before the arguments are prepared, their types are not known

    def _prepared(self, value, stream, after):
        try:
            type_ = signatures.argument_type(value)
        except TypeError:  # of a class that only the extension knows
            type_ = None
        for extension in reversed(self.extensions):
            type_, value = extension.prepare_args(type_, value, stream=stream, retr=after)
        return value


def check_returned(program, wanted):
    """Raises TypingError where the function's result does not go into the type ``wanted``, which may be None."""
    check_not_none(program.kernel, wanted)
    made, tree = program.kernel.result, program.kernel.source.tree
    made, wanted = (t.type if isinstance(t, types.Optional) else t for t in (made, wanted))
    if wanted is not None and (types.unified(made, wanted) is None or isinstance(made, types.Complex) > isinstance(wanted, types.Complex)):
        raise program.kernel.error(TypingError, tree, f"it returns {made}, and its signature says {wanted}")


class DeviceResult:
    """A function compiled for given types, as one that kernels call: its ``signature``, its CUDA C++ ``text``."""

    def __init__(self, program, return_type=None):
        result, wanted = program.kernel.result, None if return_type is None else signatures.as_type(return_type)
        check_returned(program, wanted)
        self.signature = signatures.Signature(result, program.kernel.parameters)
        self.text = program.text


class ForAll:
    """``dispatcher.forall(n)``: called with the arguments."""

    def __init__(self, dispatcher, ntasks, tpb, stream, sharedmem):
        self.dispatcher, self.ntasks, self.thread_per_block, self.stream, self.sharedmem = dispatcher, ntasks, tpb, stream, sharedmem

    def __call__(self, *args):
        if self.ntasks == 0:
            return
        # Few tasks get no threads beyond their own: kernels exist that do not ask whether theirs is one.
        threads = self.thread_per_block or min(self.dispatcher._threads_for(args), self.ntasks)
        self.dispatcher[-(-self.ntasks // threads), threads, self.stream, self.sharedmem](*args)


class DeviceFunction:
    """What ``@cuda.jit(device=True)`` makes: kernels call it; each types it anew."""

    def __init__(self, function, given_signatures=None, **options):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        self.links = tuple(options.get("link") or ())
        self.declared = [signatures.parsed(s) for s in given_signatures or ()]
        for signature in self.declared:
            try:
                check_returned(Program(function, signature.args, False, finds=True), signature.return_type)
            except KernelError as e:
                raise e.with_traceback(None) from None  # the place that counts is in the message

    def compile_device(self, args, return_type=None):
        """The function for arguments of these types: its ``signature`` and its ``text``."""
        program = Program(self.py_func, tuple(signatures.as_type(a) for a in args), False, links=self.links, finds=True)
        return DeviceResult(program, return_type)

    def __getitem__(self, key):
        raise RuntimeError(f"[{self.__name__}] Cannot compile a device function as a kernel; leave out device=True for a kernel")

    def __call__(self, *args, **named):
        if getattr(running, "thread", None) is not None:  # in a kernel that runs as plain Python
            return with_integer_powers(self.py_func)(*args, **named)
        raise RuntimeError(f"[{self.__name__}] a device function is called by kernels; its Python function is {self.__name__}.py_func")


__all__ = ["Definition", "DeviceFunction", "Dispatcher", "ExtendedDispatcher", "ForAll", "KernelError"]

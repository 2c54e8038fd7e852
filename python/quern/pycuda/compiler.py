"""PyCUDA's compiler module: SourceModule, and what goes with it. No nvcc is run: the engine compiles, and its cache keeps the code."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from os import unlink  # noqa: F401  (PyCUDA's name)
from tempfile import mkdtemp, mkstemp  # noqa: F401

from quern.errors import CompileError, LogicError
from quern.lib import _engine
from quern.pycuda.driver import Linker, Module
from quern.pycuda.enums import jit_input_type
from quern.user_files import warn_user

DEFAULT_NVCC_FLAGS = [flag.strip() for flag in os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split() if flag.strip()]

_FIXED_WIDTH = re.compile(r"\bu?int(8|16|32|64|ptr)_t\b")
_OWN_FIXED_WIDTH = re.compile(r"\b(typedef\b[^;{]*|using\s+|define\s+)\bu?int\d+_t\b\s*[;=\s]")


def _folders(include_dirs):
    if isinstance(include_dirs, (str, bytes)):
        raise TypeError("include_dirs must be a list of folders")
    return [os.fspath(folder) for folder in include_dirs or ()]


def _text(source):
    """The source, also of what has it as its text: modules of cgen, templates."""
    return source if isinstance(source, str) else source.decode() if isinstance(source, bytes) else str(source)


def _flags(source, options, include_dirs):
    # nvcc, for which these programs are written, reads these headers before every text. The last ones take milliseconds.
    before = ["nvcc_includes.h"] + (["cmath", "limits", "type_traits"] if "std::" in source or "namespace std" in source else [])
    if _FIXED_WIDTH.search(source) and not _OWN_FIXED_WIDTH.search(source):
        before.append("stdint.h")  # whether nvcc brings these types depends on the host's compiler
    flags = list(DEFAULT_NVCC_FLAGS if options is None else options)
    return ["-include=" + header for header in before] + flags + ["-I" + folder for folder in _folders(include_dirs)]


def _keep(source, code=None, target="cubin"):
    """keep=True: the files go to a new folder, whose name is printed, as PyCUDA does."""
    folder = mkdtemp(prefix="quern-pycuda-")
    with open(os.path.join(folder, "kernel.cu"), "w") as f:
        f.write(source)
    if code is not None:
        with open(os.path.join(folder, "kernel." + target), "wb") as f:
            f.write(code)
    print(f"*** compiler output in {folder}")


def compile(
    source,
    nvcc="nvcc",
    options=None,
    keep=False,
    no_extern_c=False,
    arch=None,
    code=None,
    cache_dir=None,
    include_dirs=None,
    target="cubin",
):
    """Compiles CUDA C++ source for the current device and returns the code as bytes, for driver.module_from_buffer().

    `target`: "cubin", or on a GPU "ptx". `keep` writes source and code to a new folder and prints its name. The engine's cache keeps the
    code, whatever `cache_dir` says; `nvcc`, `arch`, `code` and `no_extern_c` are accepted.
    """
    source = _text(source)
    return _compiled(source, _flags(source, options, include_dirs), keep, target)


def compile_plain(source, options, keep, nvcc, cache_dir, target="cubin"):
    """The same of source and options alone."""
    source = _text(source)
    return _compiled(source, _flags(source, options, None), keep, target)


def _compiled(source, flags, keep, target):
    device = _engine.current_device()
    if target == "cubin":
        made = _engine.compile_code(device, source, "kernel.cu", flags, [])
    elif target == "ptx" and device.kind == "cuda":
        major, minor = device.info()["compute_capability"]
        made = _engine.ptx(source, "kernel.cu", flags, f"compute_{major}{minor}").encode()
    else:
        raise LogicError(f"[compile] unsupported target '{target}' for {device.name}; use 'cubin' for module_from_buffer()")
    if keep:
        _keep(source, made, target)
    return made


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)[^\n]*$', re.MULTILINE)


def preprocess_source(source, options, nvcc):
    """The source with the user's own headers in place of their ``#include`` lines: the text identifies the state of the files.

    Headers that are not found in the folders of `options` (``-I``) or the current one stay as they are, and so do macros.
    """
    options = list(options or ())
    folders = [os.getcwd()]
    for i, option in enumerate(options):
        if option in ("-I", "--include-path") and i + 1 < len(options):
            folders.append(options[i + 1])
        elif option.startswith("-I") and len(option) > 2:
            folders.append(option[2:])
        elif option.startswith("--include-path="):
            folders.append(option.partition("=")[2])
    return _with_headers(source, folders, set())


def _with_headers(text, folders, seen):
    def replaced(line):
        name = line[1] or line[2]
        for folder in folders:
            path = os.path.realpath(os.path.join(folder, name))
            if os.path.isfile(path):
                if path in seen:
                    return ""
                seen.add(path)
                with open(path, errors="replace") as f:
                    return _with_headers(f.read(), [os.path.dirname(path), *folders], seen)
        return line[0]

    return _INCLUDE.sub(replaced, text)


class CudaModule(Module):
    """Base of modules that are made from source: get_function(), get_global() and related methods."""

    def __init__(self):
        raise LogicError("[CudaModule] a module comes from SourceModule, DynamicModule or DynamicSourceModule")

    @property
    def module(self):
        """The driver's module: this one."""
        return self


class SourceModule(CudaModule):
    """CUDA C++ source, compiled for the current device.

    Parameters
    ----------
    source : str
        The source, or what has it as its ``str()``.
    nvcc : str
        Accepted for compatibility: no nvcc is run.
    options : list of str
        Compiler options, such as ``["-DN=4", "-use_fast_math"]``; without them DEFAULT_NVCC_FLAGS.
    keep : bool
        Whether to write the source to a new folder and print its name.
    no_extern_c : bool
        Accepted: kernels are found by their names with and without ``extern "C"``.
    arch : str
        Accepted for compatibility.
    code : str
        Accepted for compatibility.
    cache_dir : str
        Accepted for compatibility: the engine's cache keeps the code.
    include_dirs : list of str
        Folders for ``#include``.

    Raises
    ------
    CompileError
        With the compiler's log: file, line, column and the source line.

    Warns
    -----
    UserWarning
        With the compiler's warnings about a source that compiles.

    Examples
    --------
    >>> from quern.pycuda.compiler import SourceModule
    >>> SourceModule("__global__ void f(int* a) { *a = 1; }").get_function("f").num_regs >= 0
    True
    """

    def __init__(
        self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None, include_dirs=None
    ):
        Module.__init__(self, _built(source, options, include_dirs, keep))


def _built(source, options, include_dirs, keep, linked=()):
    source = _text(source)
    program = _engine.build(_engine.current_device(), source, "kernel.cu", _flags(source, options, include_dirs), [], list(linked))
    if program.log.strip():
        warn_user("The CUDA compiler succeeded, but said the following:\n" + program.log.strip())
    if keep:
        _keep(source)
    return program


class DynamicModule(CudaModule):
    """A module of several sources and pieces of compiled code, which link() puts together.

    Sources become one text, in the order in which they were added. Compiled code (PTX, cubins, objects, archives) is linked to it on a GPU;
    the CPU has none. Kernels that launch kernels are not supported.
    """

    def __init__(
        self,
        nvcc="nvcc",
        link_options=None,
        keep=False,
        no_extern_c=False,
        arch=None,
        code=None,
        cache_dir=None,
        include_dirs=None,
        message_handler=None,
        log_verbose=False,
        cuda_libdir=None,
    ):
        self._keeps, self._include_dirs, self._libraries = keep, _folders(include_dirs), cuda_libdir
        self._message_handler = message_handler
        self._sources, self._options = [], []
        self._linker = Linker(message_handler)
        self._is_linked = False

    def _may_add(self):
        if self._is_linked:
            raise LogicError("[DynamicModule] the module is linked already")

    def add_source(self, source, nvcc_options=None, name="kernel.ptx"):
        """Adds CUDA C++ source; returns the module."""
        self._may_add()
        source = _text(source)
        _refuse_nested(source)
        self._sources.append(f'#line 1 "{os.path.splitext(name)[0]}.cu"\n{source}\n')
        options = DEFAULT_NVCC_FLAGS if nvcc_options is None else nvcc_options
        self._options += [o for o in options if o not in ("-rdc=true", "-lcudadevrt")]
        return self

    def add_data(self, data, input_type, name="unknown"):
        """Adds compiled code; returns the module."""
        self._may_add()
        self._linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename, input_type):
        """Adds compiled code from a file; returns the module."""
        self._may_add()
        self._linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname):
        """Adds a library of CUDA's, by name ("cudadevrt"), from `cuda_libdir`; returns the module.

        "cudadevrt" is for kernels that launch kernels: it is left out, as those are not supported.
        """
        self._may_add()
        if libname == "cudadevrt":
            return self
        for folder in [self._libraries, *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep), "/usr/local/cuda/lib64"]:
            path = os.path.join(folder, f"lib{libname}.a") if folder else None
            if path and os.path.isfile(path):
                return self.add_file(path, jit_input_type.LIBRARY)
        raise LogicError(f"[DynamicModule.add_stdlib] there is no lib{libname}.a; name its folder as cuda_libdir")

    def link(self):
        """Compiles and links what was added; returns the module. Raises CompileError with the log, LogicError where there is nothing."""
        self._may_add()
        added = self._linker._added
        if self._sources:
            if added and _engine.current_device().kind == "cpu":
                raise LogicError("[DynamicModule] GPU code cannot be linked on the CPU; add the sources instead")
            program = _built("".join(self._sources), self._options, self._include_dirs, self._keeps, added)
            if self._message_handler is not None:
                self._message_handler(True, program.log, "")
        else:
            program = self._linker.link_module()._program
        Module.__init__(self, program)
        self._is_linked = True
        return self

    def get_function(self, name):
        self._must_be_linked()
        return super().get_function(name)

    def get_global(self, name):
        self._must_be_linked()
        return super().get_global(name)

    def _must_be_linked(self):
        if not self._is_linked:
            raise LogicError("[DynamicModule] link() was not called")


def _refuse_nested(source):
    if "<<<" in re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", source, flags=re.DOTALL):
        raise CompileError("[DynamicModule] a kernel that launches kernels (<<<...>>>) is not supported; launch them from Python")


class DynamicSourceModule(DynamicModule):
    """CUDA C++ source that would be linked with CUDA's device runtime. Kernels that launch kernels are refused with CompileError."""

    def __init__(
        self,
        source,
        nvcc="nvcc",
        options=None,
        keep=False,
        no_extern_c=False,
        arch=None,
        code=None,
        cache_dir=None,
        include_dirs=None,
        cuda_libdir=None,
    ):
        super().__init__(keep=keep, include_dirs=include_dirs, cuda_libdir=cuda_libdir)
        self.add_source(source, options)
        self.link()


def get_nvcc_version(nvcc="nvcc"):
    """What stands for nvcc here."""
    return "quern"


def call_capture_output(cmdline, cwd=None, error_on_nonzero=True):
    """Runs a command: (exit status, standard output, standard error)."""
    done = subprocess.run(cmdline, cwd=cwd, capture_output=True, check=error_on_nonzero)
    return done.returncode, done.stdout, done.stderr


def memoize(*args, **kwargs):
    """Remembers what a function returned for its arguments."""
    return functools.lru_cache(maxsize=None)(args[0]) if args else functools.lru_cache(maxsize=None)

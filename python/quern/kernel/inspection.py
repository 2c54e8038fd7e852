"""What is known of a compiled kernel: its overloads, registers and memory, types of variables, texts of all stages.

Texts: inspect_types (variables), inspect_cuda (the C++ that quern makes of it), inspect_llvm (on the CPU), inspect_asm (PTX, on a GPU).
"""

from __future__ import annotations

import collections
import inspect
import linecache
import os
import sys

from quern.device import current_device
from quern.errors import CompileError
from quern.kernel import signatures
from quern.lib import _engine

Stats = collections.namedtuple("Stats", "cache_path cache_hits cache_misses")

_AS_IR = """
import os, sys
from quern.lib import _engine
import quern.device
text, flags = eval(sys.stdin.read())
_engine.compile_code(_engine.cpu(), text, "kernel.cu", flags, [])
"""


class Inspectable(_engine.Dispatcher):
    """The part of a dispatcher that answers questions. Without a signature the answers for all overloads come as a dict."""

    @property
    def overloads(self):
        """The compiled definitions by the types of their arguments."""
        device = current_device()
        return {parameters: d for (where, parameters), d in self._definitions.items() if where == device}

    @property
    def signatures(self):
        """The types of arguments that it is compiled for."""
        return list(self.overloads)

    @property
    def nopython_signatures(self):
        """The same as signatures: ``(float64[:], int64) -> none``."""
        return [d.signature for d in self.overloads.values()]

    @property
    def specialized(self):
        """Is it compiled for one signature, and no other?"""
        return self._only is not None and len(self._only) == 1

    @property
    def is_compiling(self):
        """Is it being compiled now?"""
        return self._in_compile > 0

    @property
    def stats(self):
        """Where compiled code is kept, and how often each signature was found there, or not."""
        found, made = collections.Counter(), collections.Counter()
        for parameters, d in self.overloads.items():
            (made if d.program.cache == "compiled" else found)[parameters] += 1
        return Stats(_engine.cache_info()["directory"], found, made)

    def get_overload(self, sig):
        """The definition for a signature. Raises KeyError where it is not compiled."""
        return self.overloads[tuple(signatures.parsed(sig).args)]

    def get_compile_result(self, sig):
        """The definition for a signature, compiled now where it is not yet."""
        return self._definition(tuple(signatures.parsed(sig).args))

    def get_function_type(self):
        """The signature, where there is exactly one; else None."""
        known = self.nopython_signatures
        return known[0] if len(known) == 1 else None

    def typeof_pyval(self, val):
        """The type that a kernel sees of a value. Raises TypeError for what kernels do not take."""
        return signatures.typeof(val)

    def fold_argument_types(self, args, kws):
        """(the Python function's signature, the types of all arguments in order), with keywords and defaults put in place."""
        python = inspect.signature(self.py_func)
        bound = python.bind(*args, **dict(kws))
        given = set(bound.arguments)
        bound.apply_defaults()
        folded = [value if name in given else signatures.argument_type(value) for name, value in bound.arguments.items()]
        return python, tuple(folded)

    def _of(self, signature, what):
        known = self.overloads
        if signature is not None:
            return what(known[tuple(signatures.parsed(signature).args)])
        if self.specialized:
            return what(next(iter(known.values())))
        return {parameters: what(d) for parameters, d in known.items()}

    def get_regs_per_thread(self, signature=None):
        """Registers that each thread takes; for all overloads, a dict, without a signature. 0 on the CPU."""
        return self._of(signature, lambda d: d.info["registers"])

    def get_const_mem_size(self, signature=None):
        """Bytes of constant memory."""
        return self._of(signature, lambda d: d.info["const_bytes"])

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of shared memory whose size is known in the kernel."""
        return self._of(signature, lambda d: d.info["static_shared"])

    def get_max_threads_per_block(self, signature=None):
        """The most threads that a block may have."""
        return self._of(signature, lambda d: d.info["max_threads"])

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of local memory of each thread."""
        return self._of(signature, lambda d: d.info["local_bytes"])

    def get_metadata(self, signature=None):
        """What the device says of it, as a dict: registers, bytes of each kind of memory, the most threads."""
        return self._of(signature, lambda d: dict(d.info))

    def get_annotation_info(self, signature=None):
        """For each overload its place, its lines, and the types of its variables, as a dict."""

        def info(d):
            lines, first = inspect.getsourcelines(self.py_func)
            return {
                "filename": inspect.getsourcefile(self.py_func),
                "funcname": self.__name__,
                "python_lines": list(enumerate((line.rstrip("\n") for line in lines), first)),
                "types": dict(d.variables),
                "signature": d.signature,
            }

        return self._of(signature, info)

    def dump(self, tab=""):
        """Prints its name, and the signatures that it is compiled for."""
        print(f"{tab}{self.__module__}.{self.__qualname__}")
        for signature in self.nopython_signatures:
            print(f"{tab}  {signature}")

    # ---- texts

    def inspect_types(self, file=None):
        """Prints the source of each overload with the types of its variables."""
        for parameters, d in self.overloads.items():
            lines, first = inspect.getsourcelines(self.py_func)
            print(f"{self.__name__} {parameters}", file=file)
            print("-" * 80, file=file)
            for number in range(first, first + len(lines)):
                print(f"{number:5d}  {linecache.getline(self.py_func.__code__.co_filename, number).rstrip()}", file=file)
            print("-" * 80, file=file)
            for name, type_ in d.variables.items():
                print(f"  {name}: {type_}", file=file)

    def inspect_cuda(self, signature=None):
        """The CUDA C++ text of an overload, or of all, as a dict."""
        return self._of(signature, lambda d: d.text)

    def inspect_llvm(self, signature=None):
        """LLVM's intermediate representation after all optimisation, on the CPU. On a GPU: NotImplementedError."""
        if current_device().kind != "cpu":
            raise NotImplementedError("[inspect_llvm] NVRTC, which compiles for GPUs, gives PTX and no LLVM; see inspect_asm()")
        return self._of(signature, lambda d: _llvm(d.text, d.flags))

    def inspect_asm(self, signature=None):
        """PTX, the assembly text of GPUs. Raises NotImplementedError where this is the CPU."""
        if current_device().kind == "cpu":
            raise NotImplementedError("[inspect_asm] PTX is of GPUs, and this kernel is compiled for the CPU; see inspect_llvm()")
        capability = current_device().info()["compute_capability"]
        return self._of(signature, lambda d: ptx_of(d.text, d.flags, self.__name__, capability, d.is_relocatable))

    def inspect_sass(self, signature=None):
        """Machine code of GPUs is not shown: NotImplementedError."""
        raise NotImplementedError("[inspect_sass] GPU machine code and its control flow are not shown; inspect_asm() gives PTX")

    inspect_sass_cfg = inspect_cfg = inspect_disasm_cfg = inspect_sass

    def inspect_lto_ptx(self, signature=None):
        """Kernels are not optimised after linking: NotImplementedError."""
        raise NotImplementedError("[inspect_lto_ptx] there is no LTO-IR here: a kernel and the source that it is linked to are one text")


def ptx_of(text, flags, name, capability, relocatable=False):
    """PTX of a text, for GPUs of a compute capability. Raises RuntimeError where there is no NVRTC to make it.

    ``relocatable``: functions that it declares may be elsewhere.
    """
    major, minor = capability
    return _engine.ptx(text, f"{name}.cu", list(flags), f"compute_{major}{minor}", relocatable)


def _llvm(text, flags):
    """What the compiler for the CPU shows of its work, in a process of its own whose log is read."""
    import subprocess  # rarely needed

    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    env = {**os.environ, "QUERN_DEBUG": "5", "QUERN_CACHE_SIZE": "0", "QUERN_DEVICE": "cpu"}
    env["PYTHONPATH"] = os.pathsep.join([here, *filter(None, [env.get("PYTHONPATH")])])
    done = subprocess.run([sys.executable, "-c", _AS_IR], input=repr((text, flags)), env=env, capture_output=True, text=True)
    if done.returncode:
        raise CompileError(f"[inspect_llvm] the compiler failed\n{done.stderr[-2000:]}")
    return done.stderr.rpartition("; ---- ")[2].partition("\n")[2]

"""What a kernel's dispatcher has besides launches: overloads, what is known of them, texts, extensions."""

import io
import pickle

import numpy as np
import pytest
from quern import cuda
from quern.cuda import errors
from quern.cuda.dispatcher import CUDADispatcher
from quern.errors import CompileError
from quern.kernel import types

FACTOR = 2
F8, F4, I8 = types.float64[::1], types.float32[::1], types.int64


def scale(x, n=3):
    i = cuda.grid(1)
    y = n + 0.5
    if i < x.size:
        x[i] *= FACTOR + y - y


def made(**options):
    kernel = cuda.jit(**options)(scale)
    kernel[1, 32](np.ones(4), 1)
    kernel[1, 32](np.ones(4, np.float32), 1)
    return kernel


def test_overloads(device):
    kernel = made()
    assert type(kernel) is CUDADispatcher
    assert kernel.py_func is scale
    assert kernel.signatures == [(F8, I8), (F4, I8)] == list(kernel.overloads)
    assert [str(s) for s in kernel.nopython_signatures] == [f"({a!r}, int64) -> none" for a in (F8, F4)]
    assert not kernel.specialized
    assert not kernel.is_compiling
    one = kernel.get_overload((F8, I8))
    assert one is kernel.overloads[F8, I8] is kernel.compile((F8, I8)) is kernel.get_compile_result((F8, I8))
    with pytest.raises(KeyError):
        kernel.get_overload("(int8[:], int64)")
    assert kernel.get_function_type() is None
    only = kernel.specialize(np.ones(3), 1)
    assert only.specialized
    assert only.signatures == [(F8, I8)]
    assert only.get_function_type() == only.nopython_signatures[0]
    x = np.ones(3)
    only[1, 32](x, 1)
    assert x.tolist() == [2, 2, 2]
    assert kernel == kernel
    assert kernel != only
    assert "scale" in format(kernel) or "scale" in repr(kernel) or kernel.__name__ == "scale"


def test_launches(device):
    kernel = cuda.jit(scale)
    x = np.ones(5)
    kernel[1, 32](x, 1)
    kernel.configure(1, 32)(x, 1)
    kernel.configure(1, 32, cuda.stream(), 0)(x, 1)
    cuda.synchronize()
    kernel.call((x, 1), kernel[1, 32])
    kernel.forall(5)(x, 1)
    kernel.forall(5, tpb=2, stream=0, sharedmem=8)(x, 1)
    assert x.tolist() == [64] * 5
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        kernel(x, 1)


def test_what_is_known(device):
    kernel = made()
    questions = ["get_regs_per_thread", "get_const_mem_size", "get_shared_mem_per_block", "get_local_mem_per_thread"]
    for name in questions:
        of_all = getattr(kernel, name)()
        assert set(of_all) == {(F8, I8), (F4, I8)}
        assert all(isinstance(n, int) and n >= 0 for n in of_all.values())
        assert getattr(kernel, name)((F8, I8)) == of_all[F8, I8]
    assert kernel.get_max_threads_per_block((F8, I8)) >= 256
    assert kernel.get_metadata((F8, I8))["registers"] == kernel.get_regs_per_thread((F8, I8))
    assert set(kernel.get_metadata()) == set(kernel.overloads)
    assert kernel.overloads[F8, I8].max_cooperative_grid_blocks(32) > 0
    assert kernel.get_regs_per_thread("void(float64[::1], int64)") >= 0


def test_types_are_shown(device, capsys):
    kernel, out = made(), io.StringIO()
    kernel.inspect_types(file=out)
    for text in ("x[i] *= FACTOR + y - y", f"x: {F8}", f"x: {F4}", "y: float64", "i: int64", "n: int64"):
        assert text in out.getvalue()
    kernel.inspect_types()
    assert capsys.readouterr().out == out.getvalue()
    info = kernel.get_annotation_info((F8, I8))
    assert info["funcname"] == "scale"
    assert info["filename"] == __file__
    assert info["types"]["y"] == types.float64
    assert any("cuda.grid(1)" in line for _, line in info["python_lines"])
    assert set(kernel.get_annotation_info()) == set(kernel.overloads)
    kernel.dump(tab="..")
    text = capsys.readouterr().out
    assert text.startswith("..")
    assert "scale" in text
    assert str(kernel.nopython_signatures[0]) in text


def test_texts(device):
    kernel = made()
    assert "scale(" in kernel.inspect_cuda((F8, I8))
    if device.kind == "cpu":
        text = kernel.inspect_llvm((F8, I8))
        assert "define" in text
        assert "scale" in text
        with pytest.raises(NotImplementedError, match="PTX is of GPUs"):
            kernel.inspect_asm()
    else:
        with pytest.raises(NotImplementedError, match="no LLVM"):
            kernel.inspect_llvm()
        assert ".entry scale" in kernel.inspect_asm((F8, I8))
    for name in ("inspect_sass", "inspect_sass_cfg", "inspect_cfg", "inspect_disasm_cfg", "inspect_lto_ptx"):
        with pytest.raises(NotImplementedError):
            getattr(kernel, name)()


def test_stats(device):
    kernel = made()
    stats = kernel.stats
    assert isinstance(stats.cache_path, str)
    assert sum(stats.cache_hits.values()) + sum(stats.cache_misses.values()) == 2
    again = made()
    assert again.stats.cache_hits == {(F8, I8): 1, (F4, I8): 1}
    assert not again.stats.cache_misses
    assert again.enable_caching() is None
    assert again.mark_launch_config_sensitive() is None


def test_compiling_may_be_switched_off(device):
    kernel = made()
    kernel.disable_compile()
    kernel[1, 32](np.ones(4), 1)
    with pytest.raises(RuntimeError, match="compilation is disabled"):
        kernel[1, 32](np.ones(4, int), 1)
    kernel.disable_compile(False)
    kernel[1, 32](np.ones(4, int), 1)
    assert len(kernel.overloads) == 3


def test_compiled_anew(device, monkeypatch):
    kernel = made()
    monkeypatch.setitem(globals(), "FACTOR", 5)
    x = np.ones(4)
    kernel[1, 32](x, 1)
    assert x[0] == 2  # globals are as they were
    kernel.recompile()
    kernel[1, 32](x, 1)
    assert x[0] == 10
    assert kernel.signatures == [(F8, I8), (F4, I8)]


def test_definitions_may_be_added(device):
    kernel, other = cuda.jit(scale), made()
    kernel.add_overload(other.overloads[F8, I8], (F8, I8))
    assert kernel.overloads[F8, I8] is other.overloads[F8, I8]
    x = np.ones(3)
    kernel[1, 32](x, 1)
    assert x.tolist() == [2, 2, 2]


def test_types_of_arguments(device):
    kernel = cuda.jit(scale)
    assert kernel.typeof_pyval(np.ones(3)) == F8
    assert kernel.typeof_pyval((1, 2.5)) == types.Tuple([types.int64, types.float64])
    with pytest.raises(TypeError):
        kernel.typeof_pyval(object())
    python, folded = kernel.fold_argument_types((F8,), {})
    assert folded == (F8, I8)
    assert list(python.parameters) == ["x", "n"]
    assert kernel.fold_argument_types((), {"n": types.int8, "x": F4})[1] == (F4, types.int8)
    with pytest.raises(TypeError):
        kernel.fold_argument_types((F8, I8, I8), {})


def test_as_a_device_function(device):
    def plus(a, b):
        return a + b

    for function in (cuda.jit(plus), cuda.jit(device=True)(plus)):
        result = function.compile_device((types.int32, types.float64))
        assert result.signature.return_type == types.float64
        assert "plus" in result.text
        with pytest.raises(errors.TypingError):
            function.compile_device((types.int32, types.int32), return_type=F8)


def test_pickles(device):
    assert pickle.loads(pickle.dumps(module_kernel)) is module_kernel


@cuda.jit
def module_kernel(x):
    x[0] = 1


class Box:
    def __init__(self, values):
        self.values = values


class Unboxes:
    def __init__(self, log):
        self.log = log

    def prepare_args(self, ty, val, stream, retr):
        if isinstance(val, Box):
            self.log.append((ty, stream))
            retr.append(lambda: self.log.append("after"))
            return types.float64[::1], val.values
        return ty, val


class Doubles:
    def prepare_args(self, ty, val, **kwargs):
        return ty, (val * 2 if isinstance(val, int) else val)


def test_extensions(device):
    log = []
    extension = Unboxes(log)
    kernel = cuda.jit(extensions=[extension, Doubles()])(scale)
    assert kernel.extensions == [extension, kernel.extensions[1]]
    assert cuda.jit(scale).extensions == []
    x = np.ones(4)
    kernel[1, 32](Box(x), 1)
    assert x.tolist() == [2] * 4
    assert log == [(None, 0), "after"]
    assert kernel.signatures == [(F8, I8)]
    kernel.forall(4)(Box(x), 1)
    assert x.tolist() == [4] * 4


def test_text_that_llvm_does_not_take(device, monkeypatch):
    @cuda.jit("void(float64[::1])")
    def kernel(x):
        x[0] = 1

    if device.kind != "cpu":
        with pytest.raises(NotImplementedError, match="NVRTC, which compiles for GPUs, gives PTX and no LLVM"):
            kernel.inspect_llvm()
        return
    monkeypatch.setattr(kernel.overloads[(F8,)], "text", "no C++")
    with pytest.raises(CompileError, match="the compiler failed"):
        kernel.inspect_llvm((F8,))

"""Code made from headers of the user's: it is used again while the compiler would read the same files, and not longer."""

import os
import pathlib
import re
import time

import numpy as np
import pytest
import quern
from programs import code, has_nvrtc
from quern.lib import _engine
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

TEXT = """
// nvrtc: skip
#include INCLUDED
extern "C" __global__ void f(int* a) { a[0] = VALUE; }
"""


def write(path, value):
    """A header that says VALUE; seen by the clock of any file system."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#define VALUE {value}\n")
    return path


def text(name):
    return TEXT.replace("INCLUDED", name)


def value_on_device(text, flags, hit):
    program = _engine.build(quern.current_device(), text, "kernel.cu", flags, [])
    if hit is not None:
        assert program.cache == hit
    x = drv.to_device(np.zeros(1, np.int32))
    _engine.Function(program, "f")(x, block=(1, 1, 1))
    return int(drv.from_device(x, 1, np.int32)[0])


def value_in_ptx(text, flags, hit):
    """NVRTC needs no GPU to say what it makes of a text."""
    ptx = _engine.ptx(text, "kernel.cu", flags, "compute_90")
    (number,) = re.findall(r"mov\.[bu]32\s+%r\d+, (\d+);", ptx)
    return int(number)


def value(text, *flags, hit=None):
    """What the kernel stores, built anew from text."""
    return current_value(text, [str(f) for f in flags], hit)


current_value = value_on_device


@pytest.fixture(params=["memory", "disk", "memory, nvrtc", "disk, nvrtc"])
def from_cache(request, device, monkeypatch):
    """Where code that is used again comes from; call it between two builds."""
    where, _, by = request.param.partition(", ")
    if by:
        if device.kind == "cuda":
            pytest.skip("the device's own compiler is NVRTC")
        if not has_nvrtc():
            pytest.skip("there is no NVRTC")
        monkeypatch.setitem(globals(), "current_value", value_in_ptx)

    def forget():
        if where == "disk":
            _engine.cache_forget_memory()
        return where

    return forget


@pytest.fixture
def src(tmp_path):
    """A folder whose path comes in no other test's text, so that nothing is in the cache before."""
    return tmp_path


def check(text, flags, change, before, after, from_cache):
    """The code is kept until `change` is made; the new one is kept in turn."""
    assert value(text, *flags, hit="compiled") == before
    assert value(text, *flags, hit=from_cache()) == before
    change()
    from_cache()
    assert value(text, *flags, hit="compiled") == after
    assert value(text, *flags, hit=from_cache()) == after


def test_a_header_is_edited(src, from_cache):
    h = write(src / "h.h", 1)
    check(text('"h.h"'), ["-I", src], lambda: write(h, 2), 1, 2, from_cache)


def test_through_a_linked_folder(src, from_cache):
    h = write(src / "real" / "h.h", 1)
    (src / "inc").mkdir()
    (src / "inc" / "sub").symlink_to(src / "real")
    check(text('"sub/h.h"'), [f"-I{src / 'inc'}"], lambda: write(h, 2), 1, 2, from_cache)


def test_through_a_folder_above(src, from_cache):
    h = write(src / "h.h", 1)
    (src / "inc").mkdir()
    check(text('"../h.h"'), [f"--include-path={src / 'inc'}"], lambda: write(h, 2), 1, 2, from_cache)


def test_by_an_absolute_path(src, from_cache):
    h = write(src / "h.h", 1)
    check(text(f'"{h}"'), ["-I", src], lambda: write(h, 2), 1, 2, from_cache)


def test_a_header_of_a_header(src, from_cache):
    (src / "a").mkdir()
    (src / "a" / "first.h").write_text('#include "../b/second.h"\n')
    h = write(src / "b" / "second.h", 1)
    check(text("<a/first.h>"), ["-I", src], lambda: write(h, 2), 1, 2, from_cache)


def test_a_linked_header_points_elsewhere(src, from_cache):
    write(src / "one.h", 1), write(src / "two.h", 2)
    (src / "h.h").symlink_to("one.h")

    def change():
        (src / "h.h").unlink()
        (src / "h.h").symlink_to("two.h")

    check(text('"h.h"'), ["-I", src], change, 1, 2, from_cache)


def test_a_linked_folder_points_elsewhere(src, from_cache):
    write(src / "one" / "h.h", 1), write(src / "two" / "h.h", 2)
    (src / "inc").symlink_to("one")

    def change():
        (src / "inc").unlink()
        (src / "inc").symlink_to("two")

    check(text('"h.h"'), ["-I", src / "inc"], change, 1, 2, from_cache)


def test_a_header_appears_in_an_earlier_folder(src, from_cache):
    (src / "first").mkdir()
    write(src / "second" / "h.h", 1)
    flags = ["-I", src / "first", "-I", src / "second"]
    check(text('"h.h"'), flags, lambda: write(src / "first" / "h.h", 2), 1, 2, from_cache)


def test_an_earlier_folder_appears(src, from_cache):
    write(src / "second" / "sub" / "h.h", 1)
    flags = ["-I", src / "first", "-I", src / "second"]
    check(text('"sub/h.h"'), flags, lambda: write(src / "first" / "sub" / "h.h", 2), 1, 2, from_cache)


def test_a_header_appears_beside_the_one_that_includes_it(src, from_cache):
    (src / "a").mkdir()
    (src / "a" / "first.h").write_text('#include "second.h"\n')
    write(src / "second.h", 1)
    check(text('"a/first.h"'), ["-I", src], lambda: write(src / "a" / "second.h", 2), 1, 2, from_cache)


def test_a_header_is_deleted(src, from_cache):
    h = write(src / "first" / "h.h", 1)
    write(src / "second" / "h.h", 2)
    check(text('"h.h"'), ["-I", src / "first", "-I", src / "second"], h.unlink, 1, 2, from_cache)
    (src / "second" / "h.h").unlink()
    from_cache()
    with pytest.raises(quern.CompileError, match="h.h"):
        value(text('"h.h"'), "-I", src / "first", "-I", src / "second")


def test_has_include(src, from_cache):
    (src / "inc").mkdir()
    asks = """
#if __has_include("extra.h")
#define VALUE 2
#else
#define VALUE 1
#endif
extern "C" __global__ void f(int* a) { a[0] = VALUE; }
"""
    check(asks, ["-I", src / "inc"], lambda: write(src / "inc" / "extra.h", 7), 1, 2, from_cache)


def test_has_include_by_a_macro(src, from_cache):
    (src / "inc").mkdir()
    (src / "inc" / "ask.h").write_text("#define HAS(x) __has_include(x)\n")
    asks = """
// nvrtc: skip
#include "ask.h"
#if HAS(<extra.h>)
#define VALUE 2
#else
#define VALUE 1
#endif
extern "C" __global__ void f(int* a) { a[0] = VALUE; }
"""
    check(asks, ["-I", src / "inc"], lambda: (src / "inc" / "extra.h").write_text(""), 1, 2, from_cache)


def test_named_by_a_macro(src, from_cache):
    h = write(src / "h.h", 1)
    check('#define WHICH "h.h"\n' + text("WHICH"), ["-I", src], lambda: write(h, 2), 1, 2, from_cache)


def test_named_by_an_option(src, from_cache):
    h = write(src / "h.h", 1)
    check(text("WHICH"), ["-I", src, "-DWHICH=<h.h>"], lambda: write(h, 2), 1, 2, from_cache)


def test_put_together_by_macros(src, from_cache):
    # The compiler for GPUs does not tell what it read, so that such a text is compiled each time there.
    h = write(src / "h.h", 1)
    joined = "#define STRING(x) #x\n#define NAME(x) STRING(x.h)\n" + text("NAME(h)")
    assert value(joined, "-I", src) == 1
    assert value(joined, "-I", src) == 1
    write(h, 2)
    from_cache()
    assert value(joined, "-I", src) == 2


def test_read_before_the_text(src, from_cache):
    h = write(src / "h.h", 1)
    plain = 'extern "C" __global__ void f(int* a) { a[0] = VALUE; }' + f"// {src}"
    check(plain, ["-I", src, "-include=h.h"], lambda: write(h, 2), 1, 2, from_cache)


def test_the_same_size_and_time(src, from_cache):
    h = write(src / "h.h", 1)
    os.utime(h, ns=(10**18, 10**18))

    def change():
        write(h, 2)
        os.utime(h, ns=(10**18, 10**18))

    check(text('"h.h"'), ["-I", src], change, 1, 2, from_cache)


def test_written_again_at_once(src, from_cache):
    # Between two ticks of the file system's clock: the same size, time and place on the disk.
    h = write(src / "h.h", 1)
    for round in range(2, 6):
        assert value(text('"h.h"'), "-I", src) == round - 1
        write(h, round)
        from_cache()


def test_a_change_of_time_alone_is_none(src, from_cache):
    h = write(src / "h.h", 1)
    assert value(text('"h.h"'), "-I", src, hit="compiled") == 1
    os.utime(h)
    assert value(text('"h.h"'), "-I", src, hit=from_cache()) == 1
    content = h.read_bytes()
    h.unlink()
    h.write_bytes(content)
    assert value(text('"h.h"'), "-I", src, hit=from_cache()) == 1


def test_other_files_do_not_count(src, from_cache):
    write(src / "h.h", 1)
    write(src / "other.h", 1)
    assert value(text('"h.h"'), "-I", src, hit="compiled") == 1
    write(src / "other.h", 2)
    write(src / "new.h", 2)
    assert value(text('"h.h"'), "-I", src, hit=from_cache()) == 1


@pytest.mark.alone
def test_among_many_files(src, from_cache):
    folder = src / "many"
    folder.mkdir()
    for i in range(10_050):
        (folder / f"a{i}.h").touch()
    h = write(src / "many" / "z" / "h.h", 1)
    start = time.perf_counter()
    check(text('"z/h.h"'), ["-I", folder], lambda: write(h, 2), 1, 2, from_cache)
    assert time.perf_counter() - start < 60


def test_a_relative_folder(src, from_cache, monkeypatch):
    for name, number in (("one", 1), ("two", 2)):
        write(src / name / "inc" / "h.h", number)
    unlike_others = text('"h.h"') + f"// {src}"
    for _ in range(2):
        for name, number in (("one", 1), ("two", 2)):
            monkeypatch.chdir(src / name)
            from_cache()
            assert value(unlike_others, "-Iinc") == number
    assert value(unlike_others, "-Iinc", hit=from_cache()) == 2


def test_two_folders_two_entries(src, from_cache):
    write(src / "one" / "h.h", 1), write(src / "two" / "h.h", 2)
    for hit in ("compiled", None):
        for name, number in (("one", 1), ("two", 2)):
            assert value(text('"h.h"'), "-I", src / name, hit=hit or from_cache()) == number


def test_in_another_process(device, src):
    h = write(src / "h.h", 1)
    program = f"""
import quern, numpy as np
from quern.device import set_current_device
set_current_device(quern.device({device.name!r}))
from quern.lib import _engine
p = _engine.build(quern.current_device(), {text('"h.h"')!r}, "kernel.cu", ["-I{src}"], [])
print(p.cache, end=" ")
import quern.pycuda.driver as drv
x = drv.to_device(np.zeros(1, np.int32))
_engine.Function(p, "f")(x, block=(1, 1, 1))
print(drv.from_device(x, 1, np.int32)[0])
"""

    def run():
        done = code(program)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run() == ["compiled", "1"]
    assert run() == ["disk", "1"]
    time.sleep(3)  # the header is old enough now for its time to be believed
    assert value(text('"h.h"'), f"-I{src}") == 1
    write(h, 2)
    assert run() == ["compiled", "2"]
    assert run() == ["disk", "2"]


def test_the_front_ends(device, src):
    h = write(src / "h.h", 1)
    t = text('"h.h"')
    x = drv.to_device(np.zeros(1, np.int32))

    for number in (1, 2, 3):
        write(h, number)
        quern.RawKernel(t, "f", options=(f"-I{src}",))((1,), (1,), (x,))
        assert drv.from_device(x, 1, np.int32)[0] == number
        drv.memset_d32(x, 0, 1)
        quern.RawModule(code=t, options=(f"-I{src}",)).get_function("f")((1,), (1,), (x,))
        assert drv.from_device(x, 1, np.int32)[0] == number
        drv.memset_d32(x, 0, 1)
        SourceModule(t, include_dirs=[str(src)], no_extern_c=True).get_function("f")(x, block=(1, 1, 1))
        assert drv.from_device(x, 1, np.int32)[0] == number
        drv.memset_d32(x, 0, 1)


def test_linked_source_of_a_python_kernel(device, src):
    from quern.numba import cuda

    h = write(src / "h.h", 1)
    (src / "linked.cu").write_text('#include "h.h"\nextern "C" __device__ int told(int* result) { *result = VALUE; return 0; }\n')
    told = cuda.declare_device("told", "int32()")

    def kernel(x):
        x[0] = told()

    for number in (1, 2, 3):
        write(h, number)
        x = np.zeros(1, np.int32)
        cuda.jit(link=[str(src / "linked.cu")])(kernel)[1, 1](x)
        assert x[0] == number

"""cupy.cuda.MemoryHook: hooks receive every allocation of a block, in order."""

import gc
import io
import os
import re

import pytest
import quern.cupy as cp
from quern.lib import _engine

HERE = os.path.basename(__file__)


class Log(cp.cuda.MemoryHook):
    name = "Log"

    def __init__(self):
        self.calls = []

    def _note(self, what, numbers):
        self.calls.append((what, dict(numbers), self.place))


for _what in ("alloc", "malloc", "free"):
    for _when in ("preprocess", "postprocess"):
        setattr(Log, f"{_what}_{_when}", lambda self, _name=f"{_what}_{_when}", **numbers: self._note(_name, numbers))


def test_calls_and_what_they_say(device):
    gc.collect()  # what tests before left behind is not freed meanwhile
    cp.cuda.Device().synchronize()
    _engine.wait_for_cpu() if device.kind == "cpu" else None
    with Log() as log:
        memory = cp.cuda.alloc(5_000_000)
        address = memory.ptr
        del memory
    names = [what for what, *_ in log.calls]
    assert [n for n in names if not n.startswith("alloc")] == [
        "malloc_preprocess",
        "malloc_postprocess",
        "free_preprocess",
        "free_postprocess",
    ]
    assert names.count("alloc_preprocess") == names.count("alloc_postprocess") <= 1
    told = {what: numbers for what, numbers, _ in log.calls}
    number = max(device.index, 0) if hasattr(device, "index") else told["malloc_preprocess"]["device_id"]
    size = told["malloc_preprocess"]["mem_size"]
    assert size >= 5_000_000
    assert told["malloc_preprocess"] == {"device_id": number, "size": 5_000_000, "mem_size": size}
    held = {"device_id": number, "mem_size": size, "mem_ptr": address, "pmem_id": address}
    assert told["malloc_postprocess"] == {**held, "size": 5_000_000}
    assert told["free_preprocess"] == told["free_postprocess"] == held
    assert all(place.split(":")[0].endswith(HERE) for what, _, place in log.calls)


def test_array_work_is_seen_that_is_still_pending(device):
    x = cp.ones(200_000)
    with Log() as log:
        y = x + 1  # recorded
        z = cp.sort(y)
    sizes = [numbers["size"] for what, numbers, _ in log.calls if what == "malloc_postprocess"]
    assert sizes.count(1_600_000) >= 2, sizes
    assert y.shape == z.shape


def test_work_of_before_and_behind_is_not_reported(device):
    x = cp.ones(300_000)
    before = x + 1
    with Log() as log:
        pass
    assert not [numbers for what, numbers, _ in log.calls if what.startswith("malloc")]
    behind = before * 2
    assert float(behind[0]) == 4 and not [c for c in log.calls if c[0] == "malloc_preprocess"]


def test_several_hooks(device):
    class Other(Log):
        name = "Other"

    outer, inner = Log(), Other()
    with outer:
        cp.cuda.alloc(1 << 20)
        with inner:
            cp.cuda.alloc(1 << 21)
            with pytest.raises(KeyError, match="memory hook Log already exists"):
                Log().__enter__()
        cp.cuda.alloc(1 << 22)

    def sizes(hook):
        return [numbers["size"] for what, numbers, _ in hook.calls if what == "malloc_preprocess"]

    assert sizes(outer) == [1 << 20, 1 << 21, 1 << 22] and sizes(inner) == [1 << 21]


def test_a_hook_that_raises_is_left(device):
    class Wrong(cp.cuda.MemoryHook):
        name = "Wrong"

        def malloc_preprocess(self, **numbers):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        with Wrong():
            cp.cuda.alloc(1000)
    with Log() as log:
        cp.cuda.alloc(1000)
    assert log.calls


def test_lines(device):
    hook = cp.cuda.memory_hooks.LineProfileHook()
    with hook:
        x = cp.zeros(1 << 17)
        float(x[0])
        y = x + 1
        float(y[0])
    out = io.StringIO()
    hook.print_report(out)
    root, *lines = out.getvalue().splitlines()
    assert re.fullmatch(r"_root \([\d.]+(K|M)?B, [\d.]+(K|M)?B\)", root)
    assert len(lines) >= 2 and all(re.fullmatch(rf"  .*{HERE}:\d+ \(.*B, .*B\)", line) for line in lines)


def test_printed(device):
    out = io.StringIO()
    with cp.cuda.memory_hooks.DebugPrintHook(out):
        cp.cuda.alloc(24)
    lines = out.getvalue().splitlines()
    assert re.fullmatch(r'\{"hook":"malloc","device_id":\d,"size":24,"mem_size":\d+,"mem_ptr":\d+,"pmem_id":"0x[0-9a-f]+"\}', lines[-2])
    assert re.fullmatch(r'\{"hook":"free","device_id":\d,"mem_size":\d+,"mem_ptr":\d+,"pmem_id":"0x[0-9a-f]+"\}', lines[-1])

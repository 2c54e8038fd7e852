"""`qn.profile()` and `quern profile FILE`: costs by the user's line, their reasons, and the views of them."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import quern as qn
from devices import DEVICES
from profiles import figures, line
from programs import environment, quern

PROGRAM = """\
import numpy as np
import cupy as cp

def step(u):
    return u[1:-1] + 0.001 * (u[:-2] - u[2:])

x = cp.asarray(np.random.rand(300_000))
seen = 0.0
for i in range(30):
    y = x.copy()
    y[1:-1] = step(x)
    x = y
    if x.max() > 100:
        break
    seen += float(x.sum())
print("done", seen > 0)
"""
COPY_IN, STEP, TEST, LOOK = 7, 5, 13, 15  # its lines


@pytest.mark.parametrize("device", DEVICES)
def test_costs_are_charged_to_lines(program, device):
    found = figures(program(PROGRAM), device=device)
    assert found["program"] == "program.py" and device in found["devices"]
    into, look, test, step = (line(found, n) for n in (COPY_IN, LOOK, TEST, STEP))
    assert into["copies"] == {"host_to_device": 1} and into["copied_bytes"] == {"host_to_device": 2_400_000}
    assert look["copies"] == {"device_to_host": 30} and look["copied_bytes"] == {"device_to_host": 240}
    assert test["copies"] == {"device_to_host": 30} and look["source"] == "seen += float(x.sum())"
    # The kernel that computes line 5 is submitted at evaluation; its time is line 5's.
    assert step["function"] == "step" and step["device_seconds"] > 0 and step["launches"] == 0
    assert found["peak_memory"] >= 2 * 2_400_000
    total = found["total"]
    assert total["copies"] == {"host_to_device": 1, "device_to_host": 60}
    assert total["launches"] == sum(one["launches"] for one in found["lines"]) >= 30
    assert sum(one["device_seconds"] for one in found["lines"]) == pytest.approx(total["device_seconds"])
    assert sum(group["seconds"] for group in found["work"]) == pytest.approx(total["device_seconds"], rel=1e-6)


def test_reasons_name_the_expression(program):
    found = figures(program(PROGRAM))
    assert any(re.match(r"30 copies to the host, 240 bytes, because `float\(x.sum\(\)\)` takes values to the host", why)
               for why in line(found, LOOK)["why"])  # fmt: skip
    why = " ".join(line(found, TEST)["why"])
    assert "30 copies to the host" in why and ("x.max() > 100" in why)
    assert line(found, COPY_IN)["why"][-1].startswith("1 copy to the device, 2.29 MB, because `cp.asarray(np.random.rand(300_000))` takes")


def test_compiles_say_what_changes(program):
    path = program("""\
        import quern as qn
        for rank in range(1, 5):
            x = qn.array(qn.ones((12,) * rank + (3000,)).get())
            print(float((x[(slice(None, None, 2),) * rank] * 1.5 + 2).sum()))
        """)
    found = figures(path, QUERN_CACHE_SIZE=0)
    why = " ".join(line(found, 4)["why"])
    assert "compiles" in why and "new number of dimensions: " in why, why
    assert found["total"]["compiles"] >= 4
    again = figures(path)
    assert figures(path)["total"]["compiles"] == 0, again["total"]


@pytest.mark.parametrize("device", DEVICES)
def test_the_default_view(program, device):
    done = quern("profile", "--tree", program(PROGRAM), QUERN_DEVICE=device)
    assert done.returncode == 0 and done.stdout == "done True\n"  # the program's alone
    text = done.stderr
    assert text.splitlines()[0].startswith("quern profile: program.py, ")
    assert re.search(rf"^{LOOK} .* 240 bytes to the host .*seen \+= float\(x\.sum\(\)\)", text, re.M)
    assert f"line {LOOK}: 30 copies to the host" in text and "step (program.py)" in text
    assert re.search(r"└── \d+ lines? of less than 1 % of the function", text)


def test_lines_limit_the_view(program):
    done = quern("profile", "--lines", "2", program(PROGRAM))
    table = done.stderr.split("Source")[1].split("Why")[0]
    assert len([row for row in table.splitlines() if re.match(r"\d+ ", row)]) == 2


@pytest.mark.parametrize("device", DEVICES)
def test_nvprofs_trace(program, device):
    done = quern("profile", "--print-gpu-trace", program(PROGRAM), QUERN_DEVICE=device)
    head, *rows = done.stderr.splitlines()
    assert head.split() == ("Start Duration Grid Size Block Size Regs* SSMem* DSMem* Size Throughput Device Context Stream Name").split()
    assert sum("[CUDA memcpy HtoD]" in row for row in rows) == 1 and sum("[CUDA memcpy DtoH]" in row for row in rows) == 60
    fused = [row for row in rows if f"(program.py:{STEP},11)" in row]
    assert len(fused) == 30 and all(re.search(r"\(\d+ \d+ \d+\)\s+\(\d+ \d+ \d+\)", row) for row in fused)
    assert "subtract, multiply, add, update" in fused[0]


@pytest.mark.parametrize("device", DEVICES)
def test_nvprofs_summary(program, device):
    done = quern("profile", "--summary", program(PROGRAM), QUERN_DEVICE=device)
    head, *rows = done.stderr.splitlines()
    assert head.split() == ["Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"]
    work = rows[: next(i for i, row in enumerate(rows) if "API calls:" in row)]
    assert "GPU activities:" in rows[0]
    share = [float(re.search(r"(\d+\.\d+)%", row)[1]) for row in work]
    assert sum(share) == pytest.approx(100, abs=0.1) and share == sorted(share, reverse=True)
    assert any(re.search(r" 60 .*\[CUDA memcpy DtoH\]", row) for row in work)
    assert any(re.search(r" 60 .* memcpy DtoH$", row) for row in rows[len(work) :])


@pytest.mark.parametrize("device", DEVICES)
def test_perfettos_timeline(program, device, tmp_path):
    out = tmp_path / "trace.json"
    done = quern("profile", "--trace", out, program(PROGRAM), QUERN_DEVICE=device)
    assert done.returncode == 0, done.stderr
    events = json.loads(out.read_text())["traceEvents"]
    complete = [e for e in events if e["ph"] == "X"]
    assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in complete)
    host = [e for e in complete if e["pid"] == 0]
    work = [e for e in complete if e["pid"] != 0]
    assert any(e["args"]["line"] == f"program.py:{LOOK}" and e["args"]["expression"] == "float(x.sum())" for e in host)
    assert work and {e["pid"] for e in work} <= {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    starts = {e["id"] for e in events if e["ph"] == "s"}
    assert starts == {e["id"] for e in events if e["ph"] == "f"} and len(starts) == len(work)


@pytest.mark.parametrize(
    "option, most, text",
    [("--max-copies", "10", "61 copies, the budget is 10: program.py:"), ("--max-memory", "1MB", "peak memory is "),
     ("--max-copies", "61", None), ("--max-memory", "1GiB", None), ("--max-waits", "1000", None)],
)  # fmt: skip
def test_budgets(program, option, most, text):
    done = quern("profile", option, most, program(PROGRAM))
    assert done.returncode == (3 if text else 0)
    told = [row for row in done.stderr.splitlines() if row.startswith("quern profile: ") and "budget" in row]
    assert (text in told[0]) if text else not told


def test_a_budget_of_compiles(program):
    path = program("import quern as qn\nprint(float((qn.ones(5000) * 2.5).sum()))\n")
    done = quern("profile", "--max-compiles", "0", path, QUERN_CACHE_SIZE=0)
    assert done.returncode == 3 and re.search(r"\d+ compiles?, the budget is 0: program.py:2", done.stderr)


def test_the_programs_failure_comes_through_with_the_report(program):
    path = program("import quern as qn\nx = qn.ones(5000)\nprint(float((x + 1).sum()))\nraise ValueError('mine')\n")
    done = quern("profile", path)
    assert done.returncode == 1 and done.stdout == "10000.0\n"
    assert done.stderr.startswith("Traceback (most recent call last):") and "ValueError: mine" in done.stderr
    assert "quern/cli" not in done.stderr and "float((x + 1).sum())" in done.stderr.split("quern profile:")[1]
    assert quern("profile", program("import sys\nsys.exit(7)\n")).returncode == 7
    assert quern("profile", "--max-copies", "0", program("import sys\nsys.exit(7)\n")).returncode == 7


def test_a_report_without_any_work(program):
    done = quern("profile", program("print('nothing')\n"))
    assert done.returncode == 0 and done.stdout == "nothing\n" and "no launch" in done.stderr


def test_control_c_leaves_the_report(program, tmp_path):
    path = program("""\
        import quern as qn
        print(float((qn.ones(5000) + 1).sum()), flush=True)
        while True:
            float((qn.ones(50_000) + 1).sum())
        """)
    process = subprocess.Popen([sys.executable, "-m", "quern", "profile", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment(PYTHONFAULTHANDLER="1"),
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip  # a shell's `&` ignores it
    assert process.stdout.readline() == "10000.0\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    try:
        _, told = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # it prints where its threads are
        pytest.fail("it did not end: " + process.communicate()[1][-4000:])
    assert process.returncode == 130 and "KeyboardInterrupt" in told and "line 4:" in told.split("quern profile:")[1]


@pytest.mark.parametrize(
    "arguments, text",
    [(["no_such_file.py"], "no_such_file.py: No such file or directory"), (["--max-copies", "many", "x.py"], "'many' is not a non-negative integer"),
     (["--trace", "/no/such/folder/t.json", "x.py"], "there is no folder /no/such/folder"), (["--json", "/", "x.py"], "is a folder"),
     (["--nonsense", "x.py"], ""), ([], "usage: quern profile"), (["--compare", "a.json", "b.json"], "a.json")],
)  # fmt: skip
def test_wrong_arguments(arguments, text, tmp_path):
    done = quern("profile", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr


def test_compare(program, tmp_path):
    path = program(PROGRAM)
    figures(path)
    os.rename(f"{path}.json", tmp_path / "a.json")
    path.write_text(PROGRAM.replace("    seen += float(x.sum())\n", "seen += float(x.sum())\n"))
    figures(path)
    done = quern("profile", "--compare", tmp_path / "a.json", f"{path}.json")
    assert done.returncode == 0, done.stderr
    rows = {row.split()[0]: row.split() for row in done.stdout.splitlines()}
    assert rows["copies"][1:3] == ["61", "32"] and rows["copies"][3] == "0.52"
    (tmp_path / "other.json").write_text("[1]")
    wrong = quern("profile", "--compare", tmp_path / "other.json", f"{path}.json")
    assert wrong.returncode == 2 and "does not contain the figures of a profile" in wrong.stderr


def test_the_programs_arguments_and_name(program):
    done = quern("profile", program("import sys\nprint(sys.argv[1:], __name__)\n"), "--json", "a")
    assert done.stdout == "['--json', 'a'] __main__\n"


# ---- from Python


def test_a_block_of_the_program(device):
    x = qn.array(np.arange(50_000.0))
    with qn.profile("mine") as p:
        total = float((x * 2).sum())
    assert total == 50_000 * 49_999
    assert p.title == "mine" and p.total.copies["device_to_host"] == 1
    looked = next(one for one in p.lines if one.copies["device_to_host"])
    assert looked.file == __file__ and looked.source == "total = float((x * 2).sum())"
    assert p.exceeded({"copies": 0})[0].startswith("1 copy, the budget is 0: test_profile.py:")
    assert p.exceeded({"copies": 1, "waits": None}) == []
    assert device.name in p.device_names


def test_one_at_a_time():
    with qn.profile() as p:
        with pytest.raises(RuntimeError, match="a profile is already active"):
            with qn.profile():
                pass
        with pytest.raises(RuntimeError, match="has not ended"):
            p.lines  # noqa: B018
        float((qn.ones(5000) + 1).sum())
    assert p.total.copies["device_to_host"] == 1
    with qn.profile() as after:
        pass
    assert after.total.launches == 0


def test_an_exception_in_the_block_leaves_the_profile():
    with pytest.raises(ZeroDivisionError):
        with qn.profile() as p:
            float((qn.ones(5000) + 1).sum())
            1 / 0  # noqa: B018
    assert p.total.copies["device_to_host"] == 1


def test_memory_at_the_peak_is_its_lines(device):
    with qn.profile() as p:
        a = qn.ones(1_000_000)
        qn.synchronize()
        b = a + 1  # this line has memory of its own
        qn.synchronize()
        del a, b
        c = qn.ones(1000) + 1
        qn.synchronize()
    held = {one.source.partition("  #")[0]: one.peak for one in p.lines if one.peak}
    assert held["b = a + 1"] >= 8_000_000 and "c = qn.ones(1000) + 1" not in held
    assert p.peak >= 8_000_000 and c is not None


def test_many_events_fit(device):
    x = qn.zeros(64, dtype="float32")
    assert float(x[0]) == 0  # it is there: no launch of its own below
    f = qn.RawKernel('extern "C" __global__ void many(float* x) { x[threadIdx.x] += 1; }', "many")
    with qn.profile() as p:
        for _ in range(20_000):
            f((1,), (32,), (x,))
    assert p.total.launches == 20_000 and p.recording.rows.nbytes < 20_000 * 160 + 1000
    assert p.recording.of_kind("launch")["device_ns"].min() >= 0
    assert float(x[0]) == 20_000


def test_work_that_a_library_asks_for_is_its_callers(program, tmp_path):
    path = program("""\
        import statistics
        import quern as qn
        values = [qn.ones(5000).sum() for _ in range(4)]
        print(statistics.fmean(values))
        """)
    found = figures(path)
    assert all(os.path.basename(one["file"]) in ("program.py", "") for one in found["lines"])
    assert line(found, 4)["copies"]["device_to_host"] >= 1


def test_linspace_copies_nothing(program):
    found = figures(program("import quern as qn\nx = qn.linspace(0, 1, 10)\ny = qn.linspace(-1, 1, 100_000)\nqn.synchronize()\n"))
    assert all(one["copies"] == {} for one in found["lines"]), found["lines"]

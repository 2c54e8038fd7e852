"""bench/first_run.py at small sizes: it compares every result with NumPy's, and its file has the form of the other benchmarks'."""

import json
import pathlib

from places import ROOT
from programs import python


def test_first_run_quick(tmp_path):
    out = tmp_path / "first.json"
    done = python(pathlib.Path(ROOT) / "bench" / "first_run.py", "--quick", "--out", out, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["name"]: row for row in json.loads(out.read_text())["rows"]}
    programs = {name.partition(":")[0] for name in rows}
    assert len(programs) == 10
    for program in programs:
        assert rows[f"{program}: first run, empty cache"]["peers"]["NumPy"] > 0
        assert rows[f"{program}: kernels compiled"]["value"] >= rows[f"{program}: kernels compiled, full cache"]["value"] == 0
        assert rows[f"{program}: compiler, parse, all threads"]["value"] >= 0
        assert rows[f"{program}: peak of live arrays"]["value"] > 0

"""The cache of compiled code: hits, damage, foreign and full folders, many processes, killed writers."""

import os
import pathlib
import subprocess
import sys
import uuid

import pytest
from programs import code, environment, quern
from quern.lib import _engine

PROGRAM = """
import numpy as np, quern
from quern.lib import _engine
from quern.pycuda import driver as drv
d = quern.device(DEVICE)
from quern.device import set_current_device
set_current_device(d)
p = _engine.build(d, 'extern "C" __global__ void f(int* a) { a[threadIdx.x] = threadIdx.x * 3 + KEY; }', "f.cu", ["-DKEY=5"])
x = drv.mem_alloc(128)
_engine.Function(p, "f")(x, block=(32, 1, 1))
assert (drv.from_device(x, 32, np.int32) == np.arange(32) * 3 + 5).all()
print(p.cache)
"""


def run(device, cache, **named):
    done = code(PROGRAM.replace("DEVICE", repr(device.name)), QUERN_CACHE_DIR=cache, **named)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def own(cache):
    """The folder that the cache makes for itself in the one that it is given."""
    return pathlib.Path(cache) / f"quern-cache-1-{os.geteuid()}"


def entries(cache):
    return [p for p in own(cache).rglob("*") if p.is_file() and p.name != "marker.txt"]


def overfill(device, cache):
    """Forty more entries in a cache that may hold 1 MiB."""
    more = """
for k in range(40):
    _engine.build(d, f'__device__ int table{k}[2000] = {{1}}; __global__ void g{k}(int* o) {{ o[0] = table{k}[o[1]]; }}', 'g.cu')
"""
    program = PROGRAM.replace("DEVICE", repr(device.name)).replace("print(p.cache)", more)
    done = code(program, QUERN_CACHE_DIR=cache, QUERN_CACHE_SIZE=1)
    assert done.returncode == 0, done.stderr


def test_memory_then_disk(device, tmp_path):
    assert run(device, tmp_path / "c") == "compiled"
    assert run(device, tmp_path / "c") == "disk"
    assert len(entries(tmp_path / "c")) == 1
    assert own(tmp_path / "c").stat().st_mode & 0o777 == 0o700
    assert entries(tmp_path / "c")[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b[:-1],
        lambda b: b[:50],
        lambda b: b"",
        lambda b: b[:-20] + bytes([b[-20] ^ 1]) + b[-19:],
        lambda b: b"X" + b[1:],
        lambda b: b[:8] + b"\0" * 16 + b[24:],
        lambda b: b + b"more",
    ],
)
def test_a_damaged_entry_is_compiled_again(device, tmp_path, damage):
    run(device, tmp_path / "c")
    (entry,) = entries(tmp_path / "c")
    good = entry.read_bytes()
    entry.write_bytes(damage(good))
    assert run(device, tmp_path / "c") == "compiled"
    assert run(device, tmp_path / "c") == "disk"


def test_an_entry_of_another_key_is_not_run(device, tmp_path):
    run(device, tmp_path / "c")
    (entry,) = entries(tmp_path / "c")
    good = entry.read_bytes()
    other = tmp_path / "c2"
    run(device, other)
    (target,) = entries(other)
    body = bytearray(good)
    body[8] ^= 1  # the key in the header
    target.write_bytes(bytes(body))
    assert run(device, other) == "compiled"


def test_an_entry_that_others_may_write_is_not_run(device, tmp_path):
    run(device, tmp_path / "c")
    (entry,) = entries(tmp_path / "c")
    entry.chmod(0o666)
    assert run(device, tmp_path / "c") == "compiled"


def test_a_link_is_not_followed(device, tmp_path):
    run(device, tmp_path / "c")
    (entry,) = entries(tmp_path / "c")
    moved = tmp_path / "elsewhere"
    entry.rename(moved)
    entry.symlink_to(moved)
    assert run(device, tmp_path / "c") == "compiled"


def test_a_folder_that_cannot_be_used(device, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    assert run(device, blocker) == "compiled"
    assert run(device, blocker / "below") == "compiled"
    assert run(device, "/proc/quern-cache") == "compiled"
    assert run(device, "/dev/full") == "compiled"


def test_a_read_only_folder(device, tmp_path):
    run(device, tmp_path / "c")
    (entry,) = entries(tmp_path / "c")
    os.chmod(entry.parent, 0o500)
    os.chmod(own(tmp_path / "c"), 0o500)
    os.chmod(tmp_path / "c", 0o500)
    try:
        assert run(device, tmp_path / "c") == "disk"
    finally:
        os.chmod(tmp_path / "c", 0o700)
        os.chmod(own(tmp_path / "c"), 0o700)
        os.chmod(entry.parent, 0o700)


def test_a_full_disk_loses_nothing(device, tmp_path):
    # A file system of one page: every write of an entry fails in its middle.
    folder = tmp_path / "c"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,mode=0700", "none", folder], capture_output=True).returncode != 0:
        pytest.skip("a small file system can only be made by root")
    try:
        program = PROGRAM.replace("DEVICE", repr(device.name)).replace("'extern", "'__device__ int table[4000] = {1}; extern")
        done = code(program, QUERN_CACHE_DIR=folder)
        assert done.returncode == 0, done.stderr
        assert entries(folder) == []
    finally:
        subprocess.run(["umount", folder], check=True)


def test_ten_cold_processes_at_once(device, tmp_path):
    text = PROGRAM.replace("DEVICE", repr(device.name))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", text],
            env=environment(QUERN_CACHE_DIR=tmp_path / "c"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(10)
    ]
    for process in running:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        assert out.strip() in ("compiled", "disk")
    assert len(entries(tmp_path / "c")) == 1
    assert run(device, tmp_path / "c") == "disk"


def test_what_a_killed_writer_leaves_is_harmless(device, tmp_path):
    run(device, tmp_path / "c")
    (entry,) = entries(tmp_path / "c")
    half = entry.with_name(entry.name + ".4711.0.tmp")
    half.write_bytes(entry.read_bytes()[:100])
    entry.unlink()
    assert run(device, tmp_path / "c") == "compiled"
    assert run(device, tmp_path / "c") == "disk"


def test_processes_killed_while_writing(device, tmp_path):
    text = PROGRAM.replace("DEVICE", repr(device.name)).replace("-DKEY=5", "-DKEY=5")
    loop = text.replace(
        "print(p.cache)", "import itertools\nfor k in itertools.count():\n    _engine.build(d, f'__global__ void g{k}() {{}}', 'g.cu')"
    )
    for wait in (0.6, 0.8, 1.0):
        process = subprocess.Popen([sys.executable, "-c", loop], env=environment(QUERN_CACHE_DIR=tmp_path / "c"), stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for path in entries(tmp_path / "c"):
        if path.suffix != ".tmp":
            assert path.read_bytes()[:8] == b"QUERNC01"
    assert run(device, tmp_path / "c") in ("compiled", "disk")
    assert run(device, tmp_path / "c") == "disk"


def test_the_size_is_bounded(device, tmp_path):
    run(device, tmp_path / "c")
    filler = own(tmp_path / "c") / "ab"
    filler.mkdir(mode=0o700, exist_ok=True)
    for i in range(30):
        old = filler / f"ab{i:030x}"
        old.write_bytes(b"x" * 100_000)
        os.utime(old, (i + 1, i + 1))
    # Entries are small beside the limit: what decides is the sum that was written since, so write enough.
    overfill(device, tmp_path / "c")
    assert sum(p.stat().st_size for p in entries(tmp_path / "c")) <= 1.2 * 2**20
    assert not (filler / f"ab{0:030x}").exists()


def photos(folder, *where):
    """Files of the user's, old ones: the first to go if they were the cache's."""
    files = [folder / "photos" / "wedding.jpg", folder / "report.tmp", folder / "ab" / f"{'ab' * 16}", *where]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 3_000_000)
        os.utime(file, (1, 1))
    return files


def test_clear_removes_only_entries(device, tmp_path):
    run(device, tmp_path / "c")
    files = photos(tmp_path / "c", own(tmp_path / "c") / "note.txt")
    done = quern("cache", "clear", QUERN_CACHE_DIR=tmp_path / "c")
    assert done.stdout.strip() == "1 entries removed"
    assert all(file.stat().st_size == 3_000_000 for file in files)
    done = quern("cache", QUERN_CACHE_DIR=tmp_path / "c")
    assert f"{own(tmp_path / 'c')}: 0 entries, 0.0 of" in done.stdout


def test_other_peoples_files_stay(device, tmp_path):
    run(device, tmp_path / "c")
    files = photos(tmp_path / "c", own(tmp_path / "c") / "note.txt", own(tmp_path / "c") / "ab" / "letter.tmp")
    overfill(device, tmp_path / "c")
    assert all(file.stat().st_size == 3_000_000 for file in files)
    assert len(entries(tmp_path / "c")) > 3  # the limit counts the cache's own files alone


@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o755, 0o700])
def test_a_folder_that_is_there_keeps_its_mode(device, tmp_path, mode):
    (tmp_path / "c").mkdir()
    (tmp_path / "c").chmod(mode)
    assert run(device, tmp_path / "c") == "compiled"
    assert run(device, tmp_path / "c") == "disk"
    assert (tmp_path / "c").stat().st_mode & 0o7777 == mode
    assert own(tmp_path / "c").stat().st_mode & 0o7777 == 0o700


def hostile_link(folder):
    elsewhere = folder.parent.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "marker.txt").touch()
    folder.symlink_to(elsewhere)


def hostile_mode(folder):
    folder.mkdir()
    (folder / "marker.txt").touch()
    folder.chmod(0o777)


def hostile_content(folder):
    folder.mkdir(mode=0o700)
    (folder / "letter.txt").write_text("dear")


def hostile_owner(folder):
    folder.mkdir(mode=0o777)
    (folder / "marker.txt").touch()
    os.chown(folder, 65534, 65534)


def looks(folder):
    """What a change of the folder would show; not when it was read last."""
    seen = {p: p.lstat() for p in folder.rglob("*")}
    return {p: (s.st_mode, s.st_ino, s.st_nlink, s.st_uid, s.st_gid, s.st_size, s.st_mtime_ns) for p, s in seen.items()}


@pytest.mark.parametrize("make", [hostile_link, hostile_mode, hostile_content, hostile_owner])
def test_a_hostile_folder_is_refused_and_named_once(device, tmp_path, make):
    if make is hostile_owner and os.geteuid() != 0:
        pytest.skip("only root gives folders away")
    (tmp_path / "c").mkdir()
    make(own(tmp_path / "c"))
    before = looks(tmp_path)
    program = PROGRAM.replace("DEVICE", repr(device.name))
    for k in range(2):
        program += f"_engine.build(d, '__global__ void g{k}() {{}}', 'g.cu')\n"
    done = code(program, QUERN_CACHE_DIR=tmp_path / "c")
    assert done.stdout.strip() == "compiled" and done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "compiled code is not kept on disk" in line and str(own(tmp_path / "c")) in line and "QUERN_CACHE_DIR" in line
    assert run(device, tmp_path / "c") == "compiled"
    assert looks(tmp_path) == before
    for word in ("show", "clear"):
        done = quern("cache", word, QUERN_CACHE_DIR=tmp_path / "c")
        assert done.returncode == 0
        assert ("not kept" if word == "show" else "0 entries removed") in done.stdout


def test_no_home(device, tmp_path):
    done = code(PROGRAM.replace("DEVICE", repr(device.name)), QUERN_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=None)
    assert done.stdout.strip() == "compiled"
    assert done.stderr.count("QUERN_CACHE_DIR") == len(done.stderr.splitlines()) == 1
    # An empty name is none; the next place is taken.
    for _ in range(2):
        done = code(PROGRAM.replace("DEVICE", repr(device.name)), QUERN_CACHE_DIR="", XDG_CACHE_HOME=None, HOME=tmp_path)
    assert done.stdout.strip() == "disk" and not done.stderr
    assert len(entries(tmp_path / ".cache" / "quern")) == 1


def test_a_size_of_zero_writes_nothing(device, tmp_path):
    for _ in range(2):
        assert run(device, tmp_path / "c", QUERN_CACHE_SIZE=0) == "compiled"
    assert not (tmp_path / "c").exists()


def test_memory_keeps_the_last_ones_alone(device):
    new = uuid.uuid4()  # a folder that an earlier run has filled knows other texts

    def build(k):
        return _engine.build(device, f'// {new}\n__device__ int table[1000000] = {{{k}}}; __global__ void g(int* o) {{ o[0] = table[o[1]]; }}', "g.cu").cache

    first = [build(k) for k in range(20)]  # 80 MB
    assert first == ["compiled"] * 20
    assert [build(k) for k in (19, 18, 0, 1, 0)] == ["memory", "memory", "disk", "disk", "memory"]


def test_removed_while_the_process_lives(device, tmp_path):
    program = PROGRAM.replace("DEVICE", repr(device.name)) + f"""
import shutil
shutil.rmtree({str(tmp_path / "c")!r})
_engine.build(d, '__global__ void g() {{}}', 'g.cu')
"""
    done = code(program, QUERN_CACHE_DIR=tmp_path / "c")
    assert done.returncode == 0 and not done.stderr
    assert len(entries(tmp_path / "c")) == 1


def test_a_forked_child_uses_it_too(device, tmp_path):
    if device.kind != "cpu":
        pytest.skip("CUDA does not live on in a forked child")
    program = PROGRAM.replace("DEVICE", repr(device.name)) + """
import os
child = os.fork()
p = _engine.build(d, f'__global__ void g{child == 0}() {{}}', 'g.cu')
assert p.cache == "compiled"
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
_engine.cache_forget_memory()
assert _engine.build(d, '__global__ void gTrue() {}', 'g.cu').cache == "disk"
"""
    done = code(program, QUERN_CACHE_DIR=tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert len(entries(tmp_path / "c")) == 3


def test_the_warm_start_does_not_load_the_compiler(device, tmp_path):
    run(device, tmp_path / "c")
    library = "libquern_clang" if device.kind == "cpu" else "libnvrtc"
    done = code(
        PROGRAM.replace("DEVICE", repr(device.name)) + f"\nassert '{library}' not in open('/proc/self/maps').read()",
        QUERN_CACHE_DIR=tmp_path / "c",
    )
    assert done.returncode == 0, done.stderr

"""Array work on streams: it goes to the stream that was current when it was recorded, and what two streams need is in order."""

import random
import threading

import numpy as np
import pytest
import quern as qn
from quern import cupy as cp
from quern.lib import _engine

ADD = 'extern "C" __global__ void add(float* a, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += by; }'


def streams(count):
    return [cp.cuda.Stream.null, *(cp.cuda.Stream(non_blocking=i % 2 == 0) for i in range(count))]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n", [40, 3000, 200_000])
def test_random_work_on_random_streams(device, seed, n):
    choose = random.Random(seed * 7 + n)
    all_streams = streams(3)
    add = cp.RawKernel(ADD, "add")
    host = [np.arange(n, dtype="f4") % 97 + k for k in range(4)]
    ours = [cp.asarray(h) for h in host]
    for _ in range(100):
        i, j, by = choose.randrange(4), choose.randrange(4), np.float32(choose.randrange(5))
        with choose.choice(all_streams):
            match choose.randrange(8):
                case 0:
                    ours[i], host[i] = ours[j] * by % 89, host[j] * by % 89
                case 1:
                    ours[i] += by
                    host[i] += by
                case 2:
                    ours[i][: n // 2] = ours[j][n - n // 2 :]
                    host[i][: n // 2] = host[j][n - n // 2 :].copy()
                case 3:
                    add((n // 256 + 1,), (256,), (ours[i], n, by))
                    host[i] += by
                case 4:
                    ours[i], host[i] = cp.sort(ours[j]), np.sort(host[j])
                case 5:
                    ours[i] = ours[i] - ours[j].max()
                    host[i] = host[i] - host[j].max()
                case 6:
                    assert float(ours[i].max()) == float(host[i].max())
                case 7:
                    where = np.arange(n)[::-1].copy()
                    ours[i], host[i] = ours[i][cp.asarray(where)], host[i][where]
    for mine, theirs in zip(ours, host, strict=True):
        assert np.array_equal(mine.get(), theirs)


def test_work_goes_to_the_stream_it_was_recorded_on(device):
    x = cp.arange(100_000, dtype="f8")
    (x + 1).get()
    one, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    with qn.trace() as events:
        with one:
            y = x * 2
            with other:  # which submits what is one's
                z = x * 3
        w = y + z
        w.get()
    launches = [e["stream"] for e in events if e["kind"] == "launch"]
    assert len(launches) == 3 and len(set(launches)) == 3
    assert np.array_equal(w.get(), np.arange(100_000.0) * 5)


def test_each_thread_has_its_current_stream(device):
    wrong = []

    def work(k):
        try:
            cp.cuda.Device(0).use()
            stream = cp.cuda.Stream(non_blocking=True)
            with stream:
                x = cp.full(5000, k, dtype="i8")
                for _ in range(50):
                    x = x * 3 % 1009 + k
                    x[::2] += 1
                assert cp.cuda.get_current_stream() is stream
                got = x.get()
            want = np.full(5000, k)
            for _ in range(50):
                want = want * 3 % 1009 + k
                want[::2] += 1
            assert np.array_equal(got, want)
        except BaseException as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_error_found_on_another_stream_is_raised_by_reading(device):
    x, places = qn.arange(4000), qn.asarray(np.full(3000, 3)) * 2000
    with cp.cuda.Stream(non_blocking=True):
        taken = x[places]
    after = taken + 1
    with pytest.raises(IndexError, match="index 6000"):
        after.get()
    with pytest.raises(IndexError, match="index 6000"):
        after.get()
    assert int(x.sum()) == 4000 * 3999 // 2


def test_memory_of_one_stream_is_not_another_streams_too_early(device):
    n = 1 << 16
    kernel = cp.RawKernel(
        """extern "C" __global__ void slow(float* a, int n) {
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             float x = a[i];
             for (int k = 0; k < 2000; ++k) x = x * 0.5f + 1.0f;
             if (i < n) a[i] = x; }""",
        "slow",
    )
    stream = cp.cuda.Stream(non_blocking=True)
    for _ in range(10):
        with stream:
            x = cp.zeros(n, "f4")
            kernel((n // 256,), (256,), (x, n))
            total = x.sum()
        del x
        y = cp.full(n, 5, "f4")  # may get x's memory, later
        assert float(y.sum()) == 5.0 * n
        assert float(total) == 2.0 * n


def test_streams_of_the_engine_and_the_pool_come_and_go(device):
    before = _engine.current_device().pool_info()["used"]
    for _ in range(20):
        with cp.cuda.Stream(non_blocking=True):
            x = cp.ones(10_000) * 2
            y = x.sum()
        del x
        assert float(y) == 20_000
        del y
    cp.cuda.Device(0).synchronize()
    assert _engine.current_device().pool_info()["used"] == before

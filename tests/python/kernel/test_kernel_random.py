"""numba.cuda.random: the sequences that Numba's functions give for the same seed and thread, as recorded from them."""

import numpy as np
import pytest
from kernels import module_of
from quern import cuda
from quern.cuda import random as cuda_random

# seed, subsequence_start: the states
STATES = {
    (1, 0): [
        (10451216379200822465, 10451216379200822465),
        (8341117667364343960, 7824662623250379246),
        (809817624983272012, 15258973161149853818),
        (4287641842676342503, 12987378992932203451),
    ],
    (0, 0): [(16294208416658607535, 16294208416658607535)],
    (2**63 + 12345, 3): [
        (283893504274305695, 2687453106568498067),
        (1413646274760763334, 145817721227920516),
        (7323700485118563136, 6687784890332857549),
    ],
    (-7, 1): [(4864651679494650944, 2727224167840380388), (10101312653190538831, 3318276038005659615)],
}
# Of three states of seed 42, four numbers each: by next, then uniform, then normal ones of the same states.
NEXT = [
    [8912170991800999210, 5395008446319293879, 6709549384480225246, 10119786534785070043],
    [724445951447396335, 14077641675563974563, 8980304907528498470, 10432493572756820665],
    [17362749564429413242, 2524849808299597648, 12622176576187308120, 735610232619746459],
]
UNIFORM32 = [
    [0.7402422428131104, 0.6186007857322693, 0.6298415660858154, 0.8438951373100281],
    [0.5936844348907471, 0.42236796021461487, 0.7904052138328552, 0.2936462461948395],
    [0.1618061512708664, 0.26196980476379395, 0.8412008285522461, 0.2861529588699341],
]
UNIFORM64 = [
    [0.7415458738360821, 0.029998073586575247, 0.8165416402251032, 0.8423469910694685],
    [0.6929712327337654, 0.7397329295888659, 0.13343267505177936, 0.2550051756557221],
    [0.3735629918404497, 0.7516284659779466, 0.07134399690229654, 0.28788092475951066],
]
NORMAL32 = [
    [0.012065957300364971, -1.129259705543518, -0.8116326928138733, -0.47112733125686646],
    [0.5366418957710266, 0.3036210834980011, 0.41604188084602356, -0.0594366081058979],
    [-0.21336078643798828, -1.3037676811218262, -0.30674630403518677, 0.28112900257110596],
]
NORMAL64 = [
    [0.24094232581735336, 0.4918887869165067, 0.9741444717297114, 0.3323812301601498],
    [1.0110081909700555, 0.507232311954343, 0.6125654769761121, -0.08611702972185864],
    [-0.29819770596586304, -0.10465741538570475, 0.5516311937087363, 0.18315701693211822],
]
JUMPED = [(1404748586815397850, 10760137583664635136)] + [(5755509224768243131, 15427664993403756081)] * 2

DRAW = """
from quern.cuda.random import *
@cuda.jit
def kernel(states, integers, u32, u64, n32, n64):
    t = cuda.grid(1)
    if t < states.shape[0]:
        for i in range(4):
            integers[t, i] = xoroshiro128p_next(states, t)
        for i in range(4):
            u32[t, i] = xoroshiro128p_uniform_float32(states, t)
        for i in range(4):
            u64[t, i] = xoroshiro128p_uniform_float64(states, t)
        for i in range(4):
            n32[t, i] = xoroshiro128p_normal_float32(states, t)
        for i in range(4):
            n64[t, i] = xoroshiro128p_normal_float64(states, t)
        if t == 1:
            xoroshiro128p_jump(states, t)
"""
TYPES = ("u8", "f4", "f8", "f4", "f8")


def check(drawn):
    for got, wanted, dtype in zip(drawn, (NEXT, UNIFORM32, UNIFORM64), TYPES, strict=False):
        np.testing.assert_array_equal(got, np.array(wanted, dtype))
    np.testing.assert_allclose(drawn[3], NORMAL32, rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(drawn[4], NORMAL64, rtol=2e-6, atol=2e-6)  # its logarithm is a float32's


@pytest.mark.parametrize("seed, start", STATES)
def test_states(device, seed, start):
    wanted = np.array(STATES[seed, start], cuda_random.xoroshiro128p_dtype)
    made = cuda_random.create_xoroshiro128p_states(len(wanted), seed, start)
    np.testing.assert_array_equal(made.copy_to_host(), wanted)
    host = np.empty(len(wanted), cuda_random.xoroshiro128p_dtype)
    cuda_random.init_xoroshiro128p_states_cpu(host, seed, start)
    np.testing.assert_array_equal(host, wanted)
    again = cuda_random.create_xoroshiro128p_states(len(wanted), 77)
    cuda_random.init_xoroshiro128p_states(again, seed, start)
    np.testing.assert_array_equal(again.copy_to_host(), wanted)


def test_many_states(device):
    host = cuda_random.create_xoroshiro128p_states(10000, 9, 5).copy_to_host()
    assert (int(np.bitwise_xor.reduce(host["s0"])), int(np.bitwise_xor.reduce(host["s1"]))) == (15856237502039482753, 6989140434053941189)


def test_numbers_in_a_kernel(device, tmp_path):
    states = cuda_random.create_xoroshiro128p_states(3, seed=42)
    drawn = [np.zeros((3, 4), t) for t in TYPES]
    module_of(tmp_path, DRAW).kernel[1, 32](states, *drawn)
    check(drawn)
    assert states.copy_to_host().tolist() == JUMPED


def test_numbers_on_the_host():
    states = np.empty(3, cuda_random.xoroshiro128p_dtype)
    cuda_random.init_xoroshiro128p_states_cpu(states, 42, 0)
    functions = [
        getattr(cuda_random, "xoroshiro128p_" + n)
        for n in ("next", "uniform_float32", "uniform_float64", "normal_float32", "normal_float64")
    ]
    check([np.array([[f(states, t) for _ in range(4)] for t in range(3)], d) for f, d in zip(functions, TYPES, strict=True)])
    cuda_random.xoroshiro128p_jump(states, 1)
    assert states.tolist() == JUMPED


def test_seeded_in_a_kernel(device, tmp_path):
    text = """
from quern.cuda.random import init_xoroshiro128p_state, rotl
@cuda.jit
def kernel(states, out):
    init_xoroshiro128p_state(states, 0, 1)
    init_xoroshiro128p_state(states, 1, 0)
    out[0] = rotl(np.uint64(0x8000000000000001), 4)
"""
    states, out = cuda_random.create_xoroshiro128p_states(2, 5), np.zeros(1, np.uint64)
    module_of(tmp_path, text).kernel[1, 1](states, out)
    assert states.copy_to_host().tolist() == [STATES[1, 0][0], STATES[0, 0][0]] and out[0] == 24


def test_even_and_normal(device, tmp_path):
    text = """
from quern.cuda.random import *
@cuda.jit
def kernel(states, u, n):
    t = cuda.grid(1)
    for i in range(u.shape[1]):
        u[t, i] = xoroshiro128p_uniform_float64(states, t)
        n[t, i] = xoroshiro128p_normal_float32(states, t)
"""
    u, n = np.zeros((512, 200)), np.zeros((512, 200), np.float32)
    module_of(tmp_path, text).kernel[4, 128](cuda_random.create_xoroshiro128p_states(512, 3), u, n)
    assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.005 and abs(u.var() - 1 / 12) < 0.001
    assert abs(n.mean()) < 0.01 and abs(n.std() - 1) < 0.01


def test_states_as_an_array(device):
    dtype = cuda_random.xoroshiro128p_dtype
    states = cuda_random.create_xoroshiro128p_states(5, 1)
    assert states.shape == (5,) and states.size == len(states) == 5 and states.ndim == 1 and states.dtype == dtype
    assert states[0].tolist() == STATES[1, 0][0] and states[1:3].tolist() == STATES[1, 0][1:3]
    states[0] = (1, 2)
    into = np.zeros(5, dtype)
    assert states.copy_to_host(into) is into and into[0].tolist() == (1, 2)
    moved = cuda.to_device(into)
    assert isinstance(moved, cuda_random.RandomStates) and moved.copy_to_host().tolist() == into.tolist()
    empty = cuda.device_array(5, dtype=dtype)
    cuda_random.init_xoroshiro128p_states(empty, 1)
    assert empty[1].tolist() == STATES[1, 0][1]
    with pytest.raises(ValueError, match="shapes differ"):
        states.copy_to_device(into[:2])
    with pytest.raises(ValueError, match="non-negative integer"):
        cuda_random.create_xoroshiro128p_states(2, 1, -1)
    assert cuda_random.create_xoroshiro128p_states(0, 1).copy_to_host().shape == (0,)


def test_names_that_there_are_not():
    with pytest.raises(AttributeError, match="module 'quern.cuda.random' has no attribute 'foo'"):
        cuda_random.foo  # noqa: B018

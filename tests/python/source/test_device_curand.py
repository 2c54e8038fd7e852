"""curand_kernel.h in kernels: cuRAND's numbers, distributions, and what is refused."""

import math

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

# What cuRAND 10 gives on the host. State, seed, subsequence, offset; six words; from the beginning again a uniform float and double, two
# normal floats and doubles, and the word after them.
CURAND = [
    ("Philox4_32_10", 0, 0, 0, [1713891541, 3781805453, 3159862348, 2600524760, 4175744164, 1555169499], [0.399046481, 0.88052019802853465, -0.482068747, -0.617608845, 0.3292107012677683, 1.3868442783732757, 83534633]),
    ("XORWOW", 0, 0, 0, [3179217846, 1883133293, 2220552389, 674260989, 306521119, 1986458431], [0.740219355, 0.51701279099749597, 0.834283531, 1.73410928, 1.3532052661582781, 1.0624427525104201, 806591051]),
    ("MRG32k3a", 0, 0, 0, [545508615, 1368065476, 1327943825, 3546985268, 951893240, 2290915747], [0.12701112, 0.31852756547095751, -1.36147583, 0.702857018, -0.3615845466015607, -1.6978660970764734, 2064909480]),
    ("Philox4_32_10", 0, 1, 3, [2214098416, 3397187230, 3653729773, 2120669524, 1835372352, 3321500563], [0.515509963, 0.79096928960643709, 0.0223015007, -0.568237245, 0.69311173401492188, 0.18344234076647856, 2847305120]),
    ("XORWOW", 0, 1, 3, [1599962988, 2102826641, 2436410096, 343192820, 1002308619, 2187761229], [0.372520417, 0.56727082159041431, 2.23580503, 0.234497741, -0.62395033842886616, 2.1093628496470926, 2348107256]),
    ("MRG32k3a", 0, 1, 3, [3078677252, 728620639, 2366770807, 1813435333, 1246189498, 1716704465], [0.716810405, 0.1696452124639995, 0.51252085, -0.963928163, 0.92704288091857268, -1.2709438973081157, 953667167]),
    ("Philox4_32_10", 0, 12345, 1000003, [4138676761, 3633811970, 1140024104, 1307624908, 3776514719, 1520598872], [0.963610768, 0.84606278012506664, 1.53432846, -0.546466291, -1.436018653913177, 0.1205494505110431, 439766218]),
    ("XORWOW", 0, 12345, 1000003, [2467097809, 3257501318, 2353433262, 2909712963, 2554007878, 769934113], [0.574415982, 0.5479515044246035, -0.494429529, -0.73097086, 1.1202640716582053, 0.49559415782078953, 932953898]),
    ("MRG32k3a", 0, 12345, 1000003, [2946939117, 2347079678, 2843842904, 1844036535, 2071422308, 1483740826], [0.686137736, 0.54647207218517158, 0.389995396, -0.820048153, 0.99685580915076333, -0.68168572205221478, 3299966974]),
    ("Philox4_32_10", 1234, 0, 0, [546353992, 3665621163, 1140953199, 3419031310, 2666454581, 482218876], [0.12720795, 0.8534689350053668, -1.56054044, 0.464621365, 1.0081967077372695, 1.8322492478152392, 1070188760]),
    ("XORWOW", 1234, 0, 0, [624778773, 1867875844, 3739671282, 1954919316, 3681184389, 2501467243], [0.145467639, 0.87070998751386286, -0.981185436, 0.781962335, 1.69989803371224, -0.5614579188538249, 1575338248]),
    ("MRG32k3a", 1234, 0, 0, [3379073520, 2521876100, 213678209, 1604391373, 2253011095, 4200718073], [0.786751866, 0.58717003574560811, 1.74795461, -1.71642387, -0.15612595123513762, 1.1251566098835863, 1717683530]),
    ("Philox4_32_10", 1234, 1, 3, [253049307, 118660703, 1698527859, 495137217, 2264860335, 738435355], [0.0589176342, 0.027627848088741302, 0.902600646, 1.0201354, 1.0907944538015346, -1.5269236890476487, 2632954224]),
    ("XORWOW", 1234, 1, 3, [2308946676, 3475686971, 75263415, 1929890176, 3433179576, 585435514], [0.537593544, 0.01752351558224724, -1.20457506, 0.385954112, -1.3930104226081523, 0.091076415968467328, 2324657611]),
    ("MRG32k3a", 1234, 1, 3, [2410030135, 1992398857, 2170368389, 1655077947, 420608390, 491297866], [0.561128855, 0.46389150851250754, 0.770713568, -0.878119946, 1.419366358787203, 1.6224651477617023, 159488216]),
    ("Philox4_32_10", 1234, 12345, 1000003, [2610792985, 599461304, 2703277971, 2085376930, 987265516, 1791417168], [0.607872605, 0.13957296148873866, 0.0873083919, -0.958297908, -0.64937979700356008, 1.152032961635741, 4199036907]),
    ("XORWOW", 1234, 12345, 1000003, [3264646578, 2354726653, 2347253467, 282710977, 41204107, 1863240620], [0.760109782, 0.54651228939675867, 0.140526667, 2.32847619, 0.13612303855572996, -0.81131301088930941, 3448071448]),
    ("MRG32k3a", 1234, 12345, 1000003, [3025993198, 2452202536, 2068982613, 2703138862, 3916993110, 1952406888], [0.704543948, 0.57094789490292552, -0.877786338, -0.830821872, 0.12083856957377827, -0.41187052622298187, 9299781]),
    ("Philox4_32_10", 81985529216486895, 0, 0, [3092259374, 3314331723, 346529824, 2055536633, 2915701862, 1379798405], [0.71997273, 0.77167798858135939, 0.300900936, -2.22349262, -1.4262300083547641, -0.48670601180062839, 4157483423]),
    ("XORWOW", 81985529216486895, 0, 0, [440680976, 1070377272, 2893829380, 3932485203, 2139601522, 2877978800], [0.102604032, 0.67377215493369302, 0.00484206527, -0.419906318, 0.68076436533617468, 0.79854663876764387, 557977002]),
    ("MRG32k3a", 81985529216486895, 0, 0, [2301419841, 2186294773, 3113353688, 1105608834, 766445636, 1818636257], [0.535841048, 0.50903641930516152, 0.801304758, -0.0373830013, 0.85910042927546759, -1.6458485197390622, 2572940040]),
    ("Philox4_32_10", 81985529216486895, 1, 3, [93388675, 4045390959, 2392758451, 2649802149, 826780507, 2171975953], [0.0217437446, 0.94189098104834557, -0.725229502, -0.802518666, -0.98227608413667322, 0.63146419028930623, 4254708498]),
    ("XORWOW", 81985529216486895, 1, 3, [1182441770, 2257628109, 1667709471, 3536008824, 2127976840, 2037116134], [0.275308669, 0.3882941108944295, 0.0177933909, -0.623357058, -1.7011044659003518, -0.41745219862262889, 1675054476]),
    ("MRG32k3a", 81985529216486895, 1, 3, [1525706017, 567705146, 3882359779, 1552118786, 2557110901, 1956538436], [0.355231106, 0.13217915469441641, 0.343805373, -0.289481282, 0.28079090288056008, -0.97892196658830022, 3751282284]),
    ("Philox4_32_10", 81985529216486895, 12345, 1000003, [1105443849, 33584621, 1049306247, 3403456683, 549691907, 2556834075], [0.257381201, 0.0078195291571319103, -1.61957109, 0.442288697, -0.20897110002544525, 0.99683476688890638, 3899555913]),
    ("XORWOW", 81985529216486895, 12345, 1000003, [2092804866, 1637573259, 3278500343, 3013717176, 888630965, 696682719], [0.487269104, 0.76333540581534143, 0.811071634, 0.225171119, 1.4105887967210564, -0.036241254365987303, 1737875324]),
    ("MRG32k3a", 81985529216486895, 12345, 1000003, [2101660546, 2892651532, 3691340262, 3818579422, 4046209591, 235153487], [0.489330977, 0.67349791823911132, -0.353259295, 0.422038585, 0.11650389052829613, 0.32519785689929953, 104614368]),
]  # fmt: skip
STATES = ("XORWOW", "Philox4_32_10", "MRG32k3a")

NUMBERS = r"""
#include <curand_kernel.h>
template <class State> __device__ void numbers(unsigned long long seed, unsigned long long sub, unsigned long long off, unsigned* words, double* reals) {
  State s;
  curand_init(seed, sub, off, &s);
  for (int i = 0; i < 6; ++i) words[i] = curand(&s);
  curand_init(seed, sub, off, &s);
  reals[0] = curand_uniform(&s);
  reals[1] = curand_uniform_double(&s);
  reals[2] = curand_normal(&s);
  reals[3] = curand_normal(&s);
  reals[4] = curand_normal_double(&s);
  reals[5] = curand_normal_double(&s);
  words[6] = curand(&s);
  curand_init(seed, sub, 0, &s);  // by hand where the offset says
  skipahead(off, &s);
  words[7] = curand(&s);
}
extern "C" __global__ void f(const unsigned long long* given, unsigned* words, double* reals) {
  int i = threadIdx.x;
  const unsigned long long* g = given + 4 * i;
  if (g[0] == 0) numbers<curandState>(g[1], g[2], g[3], words + 8 * i, reals + 6 * i);
  if (g[0] == 1) numbers<curandStatePhilox4_32_10_t>(g[1], g[2], g[3], words + 8 * i, reals + 6 * i);
  if (g[0] == 2) numbers<curandStateMRG32k3a_t>(g[1], g[2], g[3], words + 8 * i, reals + 6 * i);
}
"""


def test_the_numbers_are_curands(device):
    given = np.array([[STATES.index(row[0]), *row[1:4]] for row in CURAND], np.uint64)
    words, reals = np.zeros((len(CURAND), 8), np.uint32), np.zeros((len(CURAND), 6))
    places = [drv.to_device(v) for v in (given, words, reals)]
    quern.RawKernel(NUMBERS, "f")((1,), (len(CURAND),), tuple(places))
    words, reals = drv.from_device_like(places[1], words), drv.from_device_like(places[2], reals)
    for row, w, r in zip(CURAND, words, reals, strict=True):
        assert w[:6].tolist() == row[4], row[:4]
        assert w[6] == row[5][6] and w[7] == row[4][0], row[:4]
        np.testing.assert_allclose(r[:2], row[5][:2], rtol=1e-7)
        np.testing.assert_allclose(r[2:4], row[5][2:4], rtol=2e-5, atol=2e-6)
        np.testing.assert_allclose(r[4:6], row[5][4:6], rtol=1e-12, atol=1e-13)


DRAWS = r"""
// nvrtc: -DSTATE=curandState
#include <curand_kernel.h>
extern "C" __global__ void draws(double* out, int each) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x * each;
  STATE s;
  curand_init(99, thread, 0, &s);
  for (int i = thread * each; i < (thread + 1) * each; ++i) {
    out[i] = curand_uniform(&s);
    out[count + i] = curand_uniform_double(&s);
    out[2 * count + i] = curand_normal(&s);
    out[3 * count + i] = curand_normal_double(&s);
    out[4 * count + i] = log(curand_log_normal(&s, 1.0f, 0.5f));
    out[5 * count + i] = log(curand_log_normal_double(&s, -1.0, 2.0));
    out[6 * count + i] = curand_poisson(&s, 3.5);
    out[7 * count + i] = curand_poisson(&s, 70.0);
    out[8 * count + i] = curand_poisson(&s, 5000.0);
    float2 two = curand_normal2(&s);
    out[9 * count + i] = two.x * two.y;
  }
}
"""
# Mean and variance of each row.
MOMENTS = [(0.5, 1 / 12), (0.5, 1 / 12), (0, 1), (0, 1), (1, 0.25), (-1, 4), (3.5, 3.5), (70, 70), (5000, 5000), (0, 1)]


@pytest.mark.parametrize("state", STATES)
def test_distributions(device, state):
    each, threads = 50, 512
    out = np.zeros((len(MOMENTS), each * threads))
    place = drv.to_device(out)
    quern.RawKernel(DRAWS, "draws", options=(f"-DSTATE=curandState{state}",))((threads // 64,), (64,), (place, np.int32(each)))
    out = drv.from_device_like(place, out)
    assert out[:2].min() > 0 and out[:2].max() <= 1
    count = out.shape[1]
    for row, (mean, variance) in zip(out, MOMENTS, strict=True):
        assert abs(row.mean() - mean) < 5 * math.sqrt(variance / count)
        fourth = ((row - mean) ** 4).mean()
        assert abs(row.var() - variance) < 5 * math.sqrt(fourth / count)
    for row in out[:2]:  # Kolmogorov and Smirnov's distance
        assert np.abs(np.sort(row) - (np.arange(count) + 0.5) / count).max() < 2 / math.sqrt(count)
    poisson = np.bincount(out[6].astype(int), minlength=12)[:12]
    wanted = count * np.array([math.exp(-3.5) * 3.5**k / math.factorial(k) for k in range(12)])
    assert ((poisson - wanted) ** 2 / wanted).sum() < 40


FOURS = r"""
#include <curand_kernel.h>
extern "C" __global__ void fours(unsigned* out, double* reals) {
  curandStatePhilox4_32_10_t a, b;
  for (int k = 0; k < 4; ++k) {
    curand_init(7, 1, k, &a);
    b = a;
    uint4 four = curand4(&a);
    out[5 * k] = four.x == curand(&b) && four.y == curand(&b) && four.z == curand(&b) && four.w == curand(&b);
    out[5 * k + 1] = curand(&a) == curand(&b);
    float4 u = curand_uniform4(&a);
    out[5 * k + 2] = u.x == curand_uniform(&b) && u.y == curand_uniform(&b) && u.z == curand_uniform(&b) && u.w == curand_uniform(&b);
    float4 n = curand_normal4(&a);
    out[5 * k + 3] = n.x == curand_normal(&b) && n.y == curand_normal(&b) && n.z == curand_normal(&b) && n.w == curand_normal(&b);
    double2 d = curand_normal2_double(&a);
    out[5 * k + 4] = d.x == curand_normal_double(&b) && d.y == curand_normal_double(&b);
  }
  b = a;
  double4 u = curand_uniform4_double(&a), n = curand_normal4_double(&a), l = curand_log_normal4_double(&a, 0.5, 2.0);
  double2 v = curand_uniform2_double(&b), w = curand_uniform2_double(&b);
  out[20] = u.x == v.x && u.y == v.y && u.z == w.x && u.w == w.y;
  v = curand_normal2_double(&b), w = curand_normal2_double(&b);
  out[21] = n.x == v.x && n.y == v.y && n.z == w.x && n.w == w.y;
  v = curand_normal2_double(&b), w = curand_normal2_double(&b);
  out[22] = fabs(log(l.x) - 0.5 - 2 * v.x) + fabs(log(l.y) - 0.5 - 2 * v.y) + fabs(log(l.z) - 0.5 - 2 * w.x) < 1e-12 && l.w == exp(0.5 + 2 * w.y);
  reals[0] = curand_uniform2_double(&a).x;
  reals[1] = curand_poisson4(&a, 4.0).w;
}
"""


def test_four_at_a_time(device):
    out, reals = np.zeros(23, np.uint32), np.zeros(2)
    places = [drv.to_device(out), drv.to_device(reals)]
    quern.RawKernel(FOURS, "fours")((1,), (1,), tuple(places))
    assert drv.from_device_like(places[0], out).tolist() == [1] * 23
    reals = drv.from_device_like(places[1], reals)
    assert 0 < reals[0] <= 1 and reals[1] >= 0


@pytest.mark.parametrize("name", ["curandStateMtgp32", "curandStateSobol32_t", "curandStateScrambledSobol64"])
def test_other_generators_are_refused(device, name):
    text = f'#include <curand_kernel.h>\nextern "C" __global__ void f() {{ {name} s; }}'
    with pytest.raises(quern.Error, match="use curandState"):
        quern.RawKernel(text, "f")((1,), (1,), ())

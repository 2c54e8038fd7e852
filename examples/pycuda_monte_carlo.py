"""The price of an option on an average, by Monte Carlo: a state of curand_kernel.h for each thread, kept between two launches."""

from math import erf, exp, log, sqrt

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
#include <curand_kernel.h>

__global__ void seed(curandState* states, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}

// Paths of the stock's price in `steps` steps: what the call pays on their geometric mean, and its square.
__global__ void pay(curandState* states, double2* sums, int paths, int steps, float price, float strike, float rate,
                    float volatility, float years)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[i];
    float step = years / steps, drift = (rate - 0.5f * volatility * volatility) * step, noise = volatility * sqrtf(step);
    double sum = 0, squares = 0;
    for (int path = 0; path < paths; ++path) {
        float moved = 0, mean = 0;
        for (int k = 0; k < steps; ++k) {
            moved += drift + noise * curand_normal(&state);
            mean += moved;
        }
        float paid = fmaxf(price * expf(mean / steps) - strike, 0.0f);
        sum += paid;
        squares += (double)paid * paid;
    }
    sums[i] = make_double2(sums[i].x + sum, sums[i].y + squares);
    states[i] = state;
}
"""

price, strike, rate, volatility, years, steps = 100.0, 105.0, 0.03, 0.25, 1.0, 16
threads, blocks, paths, launches = 128, 64, 8, 2
module = SourceModule(SOURCE)
seed, pay = module.get_function("seed"), module.get_function("pay")
states = cuda.mem_alloc(threads * blocks * 48)  # sizeof(curandState)
sums = np.zeros((threads * blocks, 2))
device_sums = cuda.to_device(sums)

seed(states, np.uint64(2024), block=(threads, 1, 1), grid=(blocks, 1))
numbers = [np.int32(paths), np.int32(steps), *map(np.float32, (price, strike, rate, volatility, years))]
for _ in range(launches):  # the second one goes on where the first one stopped
    pay(states, device_sums, *numbers, block=(threads, 1, 1), grid=(blocks, 1))
cuda.memcpy_dtoh(sums, device_sums)

count = threads * blocks * paths * launches
mean = sums[:, 0].sum() / count
error = sqrt((sums[:, 1].sum() / count - mean**2) / count) * exp(-rate * years)
found = mean * exp(-rate * years)

# The geometric mean is log-normal, so the exact price is known.
middle = log(price) + (rate - volatility**2 / 2) * years * (steps + 1) / (2 * steps)
spread = volatility * sqrt(years * (steps + 1) * (2 * steps + 1) / (6 * steps**2))
normal = lambda x: (1 + erf(x / sqrt(2))) / 2  # noqa: E731
d = (middle - log(strike)) / spread + spread
exact = exp(-rate * years) * (exp(middle + spread**2 / 2) * normal(d) - strike * normal(d - spread))

assert abs(found - exact) < 4 * error, (found, exact, error)
print(f"{count} paths: {found:.3f} +- {error:.3f}, exactly {exact:.3f}")

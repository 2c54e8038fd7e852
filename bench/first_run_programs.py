"""The programs of bench/first_run.py: seven of examples/, by import, and three that are written here as for any array library.

`inputs` of a program makes host arrays, before the clock starts. `work` gets the library's module and these inputs, does what a user's
program does, and returns arrays of the library, which are read within the timed section. With NumPy as the module it is NumPy's twin.
"""

import functools
import importlib
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples"))


@dataclass
class Program:
    name: str
    inputs: Callable  # (**size) -> host arrays and numbers
    work: Callable  # (xp, *inputs) -> arrays
    size: dict  # the example's default, or NumPy takes 0.1 to 0.4 s
    quick: dict
    tolerance: float  # of floating-point elements: the largest absolute difference from NumPy's
    others: float = 0  # the fraction of labels or truth values that may differ: rounding decides them
    example: str = ""  # the file of examples/ that it calls
    module: str = "quern"  # what it imports


@functools.cache
def example(name):
    return importlib.import_module(name)


# ---- of examples/


def k_means_inputs(points, clusters):
    return example("k_means").clouds(points, clusters), clusters


def k_means(xp, points, clusters):
    centres, labels, spreads = example("k_means").cluster(xp, xp.asarray(points), clusters)
    return centres, labels, np.array(spreads)


def gray_scott(xp, size, steps):
    fields = example("gray_scott").start(xp, size)
    example("gray_scott").react(fields, steps)
    return fields


def black_scholes_inputs(options):
    """As in the example's main()."""
    rng = np.random.default_rng(4)
    stock, strike = rng.uniform(5, 30, options), rng.uniform(1, 100, options)
    return stock, strike, rng.uniform(0.25, 10, options), 0.02, rng.uniform(0.1, 0.5, options)


def black_scholes(xp, *market):
    return example("black_scholes").prices(xp, *(xp.asarray(v) if isinstance(v, np.ndarray) else v for v in market))


def heat(xp, size, steps):
    plate = example("heat_2d").plate(xp, size)
    example("heat_2d").spread(plate, steps)
    return (plate,)


def rk4(xp, points, steps):
    deltas = example("rk4").solve(xp, points, steps, 0.01)
    return (np.array([complex(delta) for delta in deltas]),)


def photograph(edge):
    """The example's photograph, or its upper left corner."""
    return example("image_filters").photograph()[:edge, :edge], 2.0, 0.5


def image_filters(xp, photo, sigma, threshold):
    return example("image_filters").chain(xp, xp.asarray(photo), sigma, threshold).values()


def attention_inputs(batch, tokens, heads, width):
    """As in the example's main()."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((batch, tokens, width), dtype=np.float32)
    return x, heads, *(rng.standard_normal((width, width), dtype=np.float32) / np.float32(width**0.5) for _ in range(4))


def attention(xp, x, heads, *matrices):
    return example("attention").attention(xp, xp.asarray(x), heads, *map(xp.asarray, matrices))


# ---- written here


def navier_stokes(xp, n, steps, viscosity=1e-3, dt=0.02):
    """Vorticity of a flow in a periodic square: spectral derivatives, the 2/3 rule, Runge-Kutta's classical method."""
    x = xp.linspace(0, 2 * xp.pi, n, endpoint=False)
    X, Y = xp.meshgrid(x, x, indexing="ij")
    w = sum(xp.exp(-5 * ((X - a) ** 2 + (Y - b) ** 2)) * s for a, b, s in ((2.4, 3.1, 3.0), (3.9, 3.1, 3.0), (3.1, 4.4, -2.0)))
    kx = xp.fft.fftfreq(n, 1 / n)[:, None]
    ky = xp.fft.rfftfreq(n, 1 / n)[None, :]
    k2 = kx**2 + ky**2
    inverse = 1 / xp.maximum(k2, 1)  # 1 for the mean, whose derivatives are 0
    kept = (xp.abs(kx) < n / 3) & (xp.abs(ky) < n / 3)

    def velocity(wh):
        psi = wh * inverse
        return xp.fft.irfft2(1j * ky * psi), xp.fft.irfft2(-1j * kx * psi)

    def slope(wh):
        u, v = velocity(wh)
        advection = u * xp.fft.irfft2(1j * kx * wh) + v * xp.fft.irfft2(1j * ky * wh)
        return -(kept * xp.fft.rfft2(advection)) - viscosity * k2 * wh

    wh = xp.fft.rfft2(w)
    energies = []
    for step in range(steps):
        s1 = slope(wh)
        s2 = slope(wh + dt / 2 * s1)
        s3 = slope(wh + dt / 2 * s2)
        s4 = slope(wh + dt * s3)
        wh = wh + dt / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
        if step % 10 == 0:
            u, v = velocity(wh)
            energies.append(float(0.5 * (u**2 + v**2).mean()))
    return xp.fft.irfft2(wh), np.array(energies)


def lattice_boltzmann(xp, height, width, steps, tau=0.6):
    """A flow around a cylinder: nine directions, relaxation to the equilibrium (BGK), bounce-back at the cylinder."""
    directions = [(0, 0), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    weights = [4 / 9] + [1 / 9, 1 / 36] * 4
    opposite = [0, 5, 6, 7, 8, 1, 2, 3, 4]
    cy = xp.asarray([c[0] for c in directions])[:, None, None]
    cx = xp.asarray([c[1] for c in directions])[:, None, None]
    y, x = xp.meshgrid(xp.arange(height), xp.arange(width), indexing="ij")
    cylinder = (x - width / 4) ** 2 + (y - height / 2) ** 2 < (height / 4) ** 2

    F = xp.ones((9, height, width)) + 0.01 * xp.cos(2 * xp.pi * x / width * 4)
    F[1] += 2.0
    F *= 100 / F.sum(0)
    for _ in range(steps):
        for i, (dy, dx) in enumerate(directions):
            F[i] = xp.roll(xp.roll(F[i], dx, axis=1), dy, axis=0)
        bounced = F[:, cylinder][opposite, :]
        rho = F.sum(0)
        ux = (F * cx).sum(0) / rho
        uy = (F * cy).sum(0) / rho
        Feq = xp.zeros(F.shape)
        for i, (dy, dx) in enumerate(directions):
            cu = dx * ux + dy * uy
            Feq[i] = rho * weights[i] * (1 + 3 * cu + 9 * cu**2 / 2 - 3 * (ux**2 + uy**2) / 2)
        F += -(1 / tau) * (F - Feq)
        F[:, cylinder] = bounced
    ux[cylinder] = 0
    uy[cylinder] = 0
    vorticity = (xp.roll(ux, -1, axis=0) - xp.roll(ux, 1, axis=0)) - (xp.roll(uy, -1, axis=1) - xp.roll(uy, 1, axis=1))
    return F, vorticity


def two_peaks(points, grid, resamples):
    rng = np.random.default_rng(6)
    data = np.concatenate([rng.normal(-2, 0.7, points // 3), rng.normal(1, 1.2, points - points // 3)])
    return data, grid, resamples


def kernel_density(xp, data, grid, resamples):
    """A density with Gaussian kernels, Scott's bandwidth, and the band in which 95 % of the bootstrap's densities lie."""
    rng = np.random.default_rng(7)
    data = xp.asarray(data)
    n = data.size
    h = 1.06 * float(data.std()) * n**-0.2
    x = xp.linspace(float(data.min()) - 3 * h, float(data.max()) + 3 * h, grid)

    def density(sample):
        u = (x[:, None] - sample[None, :]) / h
        return xp.exp(-0.5 * u**2).sum(axis=1) / (n * h * math.sqrt(2 * math.pi))

    estimate = density(data)
    resampled = []
    for _ in range(resamples):
        indices = xp.asarray(rng.integers(0, n, n))
        resampled.append(density(data[indices]))
    low, high = xp.percentile(xp.stack(resampled), xp.asarray([2.5, 97.5]), axis=0)
    return estimate, low, high


def given(**size):
    """The inputs of programs that make their own arrays."""
    return tuple(size.values())


PROGRAMS = [
    Program(
        "k-means", k_means_inputs, k_means,
        dict(points=20_000, clusters=12), dict(points=2000, clusters=4), 1e-7, others=1e-4, example="k_means",
    ),
    Program("Gray-Scott", given, gray_scott, dict(size=192, steps=2000), dict(size=64, steps=20), 1e-4, example="gray_scott"),
    Program(
        "Black-Scholes", black_scholes_inputs, black_scholes,
        dict(options=4_000_000), dict(options=2000), 1e-10, example="black_scholes",
    ),
    Program("heat", given, heat, dict(size=200, steps=2000), dict(size=40, steps=20), 1e-9, example="heat_2d"),
    Program("RK4", given, rk4, dict(points=512, steps=100), dict(points=40, steps=5), 1e-5, example="rk4"),
    Program("image filters", photograph, image_filters, dict(edge=None), dict(edge=64), 1e-5, others=1e-4, example="image_filters"),
    Program(
        "attention", attention_inputs, attention,
        dict(batch=2, tokens=512, heads=8, width=512), dict(batch=1, tokens=16, heads=2, width=32), 1e-4, example="attention",
    ),
    Program("Navier-Stokes", given, navier_stokes, dict(n=128, steps=80), dict(n=32, steps=3), 1e-10),
    Program(
        "lattice Boltzmann", given, lattice_boltzmann,
        dict(height=80, width=200, steps=120), dict(height=20, width=40, steps=3), 1e-9, module="quern.cupy",
    ),
    Program(
        "kernel density", two_peaks, kernel_density,
        dict(points=1000, grid=200, resamples=60), dict(points=100, grid=50, resamples=5), 1e-12,
    ),
]  # fmt: skip

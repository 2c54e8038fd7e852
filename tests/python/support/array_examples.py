"""The examples on arrays. Each compares itself with NumPy: its arguments for a small run, and what a line of its output begins with."""

PROGRAMS = {
    "attention.py": ("--batch 1 --tokens 48 --width 64 --heads 4", "6 matrix products, "),
    "black_scholes.py": ("--options 5000", "call and put differ from their parity by at most "),
    "conjugate_gradient.py": ("--size 31 --every 5", "the loop: "),
    "gray_scott.py": ("--size 48 --steps 60", "wrote gray_scott.png"),
    "heat_2d.py": ("--size 40 --steps 60 --out plate.png", "wrote plate.png"),
    "image_filters.py": ("--sigma 1 --threshold 0.5", "the chain: "),
    "k_means.py": ("--points 2000 --clusters 4", "largest difference of a centre "),
    "logistic_regression_qn.py": ("--points 1000", "the gradient differs from its formula by at most "),
    "n_body.py": ("--bodies 60 --steps 20", "the energy was "),
    "rk4.py": ("64", "200 steps without evaluation: "),
}

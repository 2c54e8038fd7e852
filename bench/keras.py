"""Training and prediction with Keras on the backends quern, jax and torch, each in a process of its own.

.venv/bin/python bench/keras.py [--backends quern jax torch] [--device cpu|cuda] [--out FILE]

QUERN_KERAS_PYTHON names another Python for jax and torch. Cases: the epoch of a small dense model (keras_dense: 1000 rows of 32, batches of
32), from a cold start and in the steady state; prediction of 32 rows; a wider model. Times are medians; a backend that is missing is named.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def measured(backend):
    """The cases' times in milliseconds; runs in the process of the backend."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]  # where this file would pass for Keras
    start = time.perf_counter()
    if backend == "quern":
        import quern.keras
    import keras
    import numpy as np

    out = {"import": 1e3 * (time.perf_counter() - start)}
    keras.utils.set_random_seed(1)

    def model(*sizes):
        layers = [keras.layers.Dense(n, activation="relu") for n in sizes[1:-1]]
        made = keras.Sequential([keras.Input((sizes[0],)), *layers, keras.layers.Dense(sizes[-1], activation="softmax")])
        made.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
        return made

    def epochs(name, made, x, y, batch, rounds):
        start = time.perf_counter()
        made.fit(x, y, epochs=1, batch_size=batch, verbose=0)
        out[f"{name}: first epoch"] = 1e3 * (time.perf_counter() - start)
        made.fit(x, y, epochs=3, batch_size=batch, verbose=0)
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            made.fit(x, y, epochs=5, batch_size=batch, verbose=0)
            times.append((time.perf_counter() - start) / 5)
        out[f"{name}: epoch"] = 1e3 * statistics.median(times)

    def predictions(name, made, x):
        for _ in range(5):
            made.predict(x, verbose=0)
        times = []
        for _ in range(50):
            start = time.perf_counter()
            made.predict(x, verbose=0)
            times.append(time.perf_counter() - start)
        out[f"{name}: predict {len(x)} rows"] = 1e3 * statistics.median(times)

    rng = np.random.default_rng(0)
    x, y = rng.random((1000, 32)), rng.integers(0, 10, 1000)
    dense = model(32, 64, 10)
    epochs("keras_dense", dense, x, y, 32, 7)
    predictions("keras_dense", dense, x[:32].astype("float32"))
    x, y = rng.random((4096, 784), dtype="float32"), rng.integers(0, 10, 4096)
    wide = model(784, 512, 512, 10)
    epochs("mnist_mlp", wide, x, y, 128, 3)
    if backend == "quern":
        out["machine"] = quern.current_device().info()["name"]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", nargs="+", default=["quern", "jax", "torch"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measured(args.measure)))
        return
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    results, machine = {}, ""
    for backend in args.backends:
        python = sys.executable if backend == "quern" else os.environ.get("QUERN_KERAS_PYTHON", sys.executable)
        env = dict(os.environ, KERAS_BACKEND=backend, QUERN_DEVICE=args.device)
        if backend == "quern":
            env["PYTHONPATH"] = os.pathsep.join(
                p for p in (os.environ.get("QUERN_PACKAGE") or os.path.join(root, "python"), env.get("PYTHONPATH")) if p
            )
        if args.device == "cpu":
            env |= {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
        done = subprocess.run([python, os.path.abspath(__file__), "--measure", backend], env=env, capture_output=True, text=True)
        if done.returncode:
            print(f"{backend}: not measured: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}")
            continue
        results[backend] = json.loads(done.stdout.splitlines()[-1])
        machine = results[backend].pop("machine", machine)
    names = list(dict.fromkeys(name for times in results.values() for name in times))
    width = max(map(len, names), default=10)
    print(f"{'ms':{width}}" + "".join(f"{backend:>12}" for backend in results))
    for name in names:
        print(f"{name:{width}}" + "".join(f"{times.get(name, float('nan')):12.2f}" for times in results.values()))
    if args.out:
        with open(args.out, "w") as file:
            json.dump({"machine": machine, "cores": os.cpu_count(), "device": args.device, "milliseconds": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()

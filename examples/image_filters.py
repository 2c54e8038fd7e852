"""A chain of filters on a photograph: grey, blur, unsharp mask, gamma, edges, threshold; written with shifted slices.

The picture is the one that matplotlib brings along. The last steps of the chain are drawn side by side to a picture, and every step
is compared with NumPy's.

    quern run examples/image_filters.py [--sigma 2.0] [--threshold 0.5] [--out image_filters.png]
"""

import argparse
import time

import matplotlib.cbook
import matplotlib.image
import numpy as np
import quern as qn


def photograph():
    with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
        return matplotlib.image.imread(file, format="jpg")[..., :3]


def grey(photo):
    """Between 0 and 1; how bright the eye sees red, green and blue."""
    red, green, blue = (photo[..., n].astype(np.float32) for n in range(3))
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def blur(xp, image, sigma):
    """Gauss's bell along both axes, as sums of shifted slices; outside the picture lies its border again."""
    reach = int(3 * sigma + 0.5)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    bell = [float(weight) for weight in bell / bell.sum()]
    height, width = image.shape
    padded = xp.pad(image, reach, mode="edge")
    rows = xp.asarray(sum(weight * padded[n : n + height] for n, weight in enumerate(bell)))
    return sum(weight * rows[:, n : n + width] for n, weight in enumerate(bell))


def edges(xp, image):
    """Sobel's operator: how steep the picture is."""
    p = xp.pad(image, 1, mode="edge")
    across = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    down = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    return xp.sqrt(across * across + down * down)


def chain(xp, photo, sigma, threshold):
    """The steps by name."""
    image = grey(photo)
    soft = blur(xp, image, sigma)
    sharp = xp.clip(image + 1.5 * (image - soft), 0, 1)
    bright = sharp**0.7
    steep = edges(xp, blur(xp, bright, sigma / 2))
    return {"grey": image, "blurred": soft, "sharp": sharp, "bright": bright, "edges": steep, "outline": steep > threshold}


def timed(xp, *inputs):
    """The steps, and the seconds until they are there."""
    qn.synchronize()
    begin = time.perf_counter()
    result = chain(xp, *inputs)
    qn.synchronize()
    return result, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description="a chain of filters on a photograph")
    parser.add_argument("--sigma", type=float, default=2.0, help="how wide the blur is, in pixels")
    parser.add_argument("--threshold", type=float, default=0.5, help="how steep an edge must be")
    parser.add_argument("--out", default="image_filters.png", help="the picture")
    args = parser.parse_args()

    photo = photograph()
    ours = qn.asarray(photo)
    timed(qn, ours, args.sigma, args.threshold)  # the first round compiles
    with qn.trace() as events:
        steps, took = timed(qn, ours, args.sigma, args.threshold)
    theirs, took_numpy = timed(np, photo, args.sigma, args.threshold)
    steps = {name: qn.asnumpy(step) for name, step in steps.items()}
    for name, step in steps.items():
        assert step.dtype == theirs[name].dtype and step.shape == theirs[name].shape, name
    error = max(np.abs(steps[name] - theirs[name]).max() for name in steps if name != "outline")
    others = int((steps["outline"] != theirs["outline"]).sum())
    assert error < 1e-5 and others <= 10, (error, others)

    launches = sum(e["kind"] == "launch" for e in events)
    copies = sum(e["kind"] in ("host_to_device", "device_to_host", "device_to_device") for e in events)
    assert copies == 0, copies
    drawn = [steps["grey"], steps["bright"], 1 - np.clip(steps["edges"], 0, 1), 1 - steps["outline"].astype(np.float32)]
    matplotlib.image.imsave(args.out, np.hstack(drawn), cmap="gray", vmin=0, vmax=1)
    print(f"filters: {len(steps)} steps on {photo.shape[1]} x {photo.shape[0]} pixels, computed on {qn.device().name}")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms; largest difference {error:.1e}, {others} pixels of the outline")
    print(f"the chain: {launches} launches, 0 copies; wrote {args.out}")


if __name__ == "__main__":
    main()

"""Times and sizes in words, as nvprof prints them: four digits and a unit."""


def duration(ns):
    """Nanoseconds in a fitting unit: 1234567 -> "1.2346ms"."""
    for limit, unit, name in ((1e3, 1.0, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms")):
        if abs(ns) < limit:
            return f"{_digits(ns / unit)}{name}"
    return f"{_digits(ns / 1e9)}s"


def size(count):
    """Bytes in a fitting unit: 1536 -> "1.5000KB"; a KB is 1,024 bytes."""
    for power, name in enumerate(("B", "KB", "MB", "GB")):
        if abs(count) < 1024 ** (power + 1) or name == "GB":
            return f"{_digits(count / 1024**power)}{name}" if power else f"{int(count)}B"
    raise AssertionError


def _digits(value):
    """Five digits in all, as nvprof has them."""
    whole = len(str(int(abs(value))))
    return f"{value:.{max(5 - whole, 0)}f}"


def rough(ns):
    """Nanoseconds in two or three digits: "1.2 ms"."""
    for limit, unit, name in ((1e3, 1.0, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms")):
        if abs(ns) < limit * 0.9995:
            return f"{ns / unit:.3g} {name}"
    return f"{ns / 1e9:.3g} s"


def rough_size(count):
    """Bytes in two or three digits: "1.2 GB"; a KB is 1,024 bytes."""
    for power, name in enumerate(("bytes", "KB", "MB", "GB")):
        if abs(count) < 1024 ** (power + 1) * 0.9995 or name == "GB":
            return f"{count / 1024**power:.3g} {name}" if power else f"{int(count)} bytes"
    raise AssertionError


def times(count, one, many=None):
    """ "1 copy", "300 copies"; a count of shares is rounded."""
    count = max(round(count), 1) if count else 0
    return f"{count:,} {one if count == 1 else many or one + 's'}"

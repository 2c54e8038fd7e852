"""Messages of the set-up, all on standard error, and the progress line of a terminal."""

import shutil
import sys

PREFIX = "quern set-up: "
_shown = False  # a progress line is on the terminal


def say(text):
    clear()
    print(PREFIX + text, file=sys.stderr, flush=True)


def fail(text):
    """End the program with a message: what is wrong, and what to do."""
    clear()
    sys.exit(PREFIX + text.strip())


def on_terminal():
    return sys.stderr.isatty()


def show(text):
    """Overwrite the progress line; do nothing in a log."""
    global _shown
    if on_terminal():
        width = shutil.get_terminal_size().columns
        print("\r\x1b[K" + (PREFIX + text)[: width - 1], end="", file=sys.stderr, flush=True)
        _shown = True


def clear():
    """Remove the progress line."""
    global _shown
    if _shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        _shown = False


def duration(seconds):
    """Return seconds in words: 8 s, 75 s, 5 min."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"

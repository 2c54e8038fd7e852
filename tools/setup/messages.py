"""Messages of the set-up, all on standard error, and the progress line of a terminal."""

import shutil
import sys

PREFIX = "quern set-up: "
_shown = False  # a progress line is on the terminal


def say(text):
    clear()
    print(PREFIX + text, file=sys.stderr, flush=True)


def fail(text):
    """Ends the program with a message: what is wrong, and what to do."""
    clear()
    sys.exit(PREFIX + text.strip())


def on_terminal():
    return sys.stderr.isatty()


def show(text):
    """Overwrites the progress line; does nothing in a log."""
    global _shown
    if on_terminal():
        width = shutil.get_terminal_size().columns
        print("\r\x1b[K" + (PREFIX + text)[: width - 1], end="", file=sys.stderr, flush=True)
        _shown = True


def clear():
    """Removes the progress line."""
    global _shown
    if _shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        _shown = False


def duration(seconds):
    """Seconds in words: 8 s, 75 s, 5 min."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"

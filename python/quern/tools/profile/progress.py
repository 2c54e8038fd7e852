"""What a long run shows meanwhile: one line on the terminal, which goes when the run ends."""

from __future__ import annotations

import threading
from time import perf_counter

from quern.lib import _engine

FIRST = 1.0  # seconds until it is shown
EVERY = 0.5


class Progress:
    """While it runs, the file object has a line with the time and the events so far; nothing where it is no terminal."""

    def __init__(self, file, title):
        self._file, self._title = file, title
        self._over = threading.Event()
        self._runner = threading.Thread(target=self._run, name="quern-profile-progress", daemon=True)

    def __enter__(self):
        if self._file.isatty():
            self._runner.start()
        return self

    def __exit__(self, *error):
        self._over.set()
        if self._runner.is_alive():
            self._runner.join()

    def _run(self):
        began = perf_counter()
        if self._over.wait(FIRST):
            return
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner

        spinner = Spinner("dots")
        # The program's own output is left as it is.
        live = Live(spinner, console=Console(file=self._file), transient=True, redirect_stdout=False, redirect_stderr=False)
        with live:
            while True:
                spinner.update(text=f"{self._title}: {perf_counter() - began:.0f} s, {_engine.trace_length():,} events")
                if self._over.wait(EVERY):
                    return

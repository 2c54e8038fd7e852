"""The cell magics. A cell runs as without them: its own output and traceback come first, then the report, also of what failed."""

from __future__ import annotations

import sys

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from quern.lib import _engine
from quern.tools.check import check
from quern.tools.notebook.pages import Page, page_of, page_of_text
from quern.tools.profile import profile


def _files_of_callers():
    """The files of what runs the magic: Jupyter's, IPython's, and the cell that holds it, whose lines are not those of the cell's text."""
    frame, files = sys._getframe(1), set()
    while frame is not None:
        files.add(frame.f_code.co_filename)
        frame = frame.f_back
    return sorted(files)


@magics_class
class QuernMagics(Magics):
    """`%%quern_profile` and `%%quern_check`."""

    @magic_arguments()
    @argument("--lines", type=int, default=20, help="how many lines to show (20)")
    @argument("--tree", action="store_true", help="costs by function, too")
    @argument("--summary", action="store_true", help="nvprof's summary by name instead")
    @argument("--print-gpu-trace", action="store_true", help="nvprof's table of the device's work instead")
    @argument("--html", metavar="OUT.html", help="writes the whole report as a page, too")
    @cell_magic
    def quern_profile(self, line, cell):
        """Where the cell's time goes, by its lines."""
        options = parse_argstring(self.quern_profile, line)
        try:
            with profile("this cell", leave_out=_files_of_callers()) as found:
                self._run(cell)
        except RuntimeError as error:  # another profile is being taken
            raise UsageError(str(error))
        if options.html:
            try:
                found.save_html(options.html)
            except OSError as error:
                raise UsageError(f"{options.html}: {error.strerror}")
        display(self._page(found, options))

    @staticmethod
    def _page(found, options):
        if options.print_gpu_trace:
            return page_of_text(found.print_gpu_trace)
        if options.summary:
            return page_of_text(found.print_summary)
        return page_of(lambda console: found.print(console, most=options.lines, tree=options.tree))

    @magic_arguments()
    @argument("--no-never-written", action="store_true", help="leaves out reads of memory that nobody has written")
    @argument("--nan", action="store_true", help="also numbers that become NaN or infinite")
    @argument("--leaks", action="store_true", help="also memory allocated explicitly, as by mem_alloc, and not freed at the end")
    @argument("--orders", type=int, default=1, help="runs the blocks of each launch in so many orders and compares the results")
    @argument("--seed", type=int, default=0, help="blocks and threads take their turns in an order of this seed")
    @cell_magic
    def quern_check(self, line, cell):
        """What is wrong in the kernels of the cell, which are compiled in it and run on the CPU."""
        options = parse_argstring(self.quern_check, line)
        try:
            asked = {"nan": options.nan, "leaks": options.leaks, "orders": options.orders, "seed": options.seed}
            block = check(not options.no_never_written, **asked)
        except ValueError as error:
            raise UsageError(str(error))
        before = _engine.current_device()
        _engine.set_current_device(_engine.cpu())
        try:
            with block as found:
                self._run(cell)
        except RuntimeError as error:  # another check runs
            raise UsageError(str(error))
        finally:
            _engine.set_current_device(before)
        display(Page(str(found)))

    def _run(self, cell):
        self.shell.run_cell(cell)  # an error of the cell is shown by it, and does not come out

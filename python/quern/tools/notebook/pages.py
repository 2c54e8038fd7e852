"""Reports for a terminal as HTML: rich keeps what is bold, and the lines keep their columns."""

from __future__ import annotations

import html
import io

from rich.console import Console

from quern.tools.profile.tables import PLAIN_WIDTH

FRAME = '<pre style="white-space:pre;overflow-x:auto;line-height:1.3;font-size:12px">{code}</pre>'


class Page:
    """A report: a text, and the same as HTML."""

    def __init__(self, text, page=None):
        self._text = text
        self._page = page or FRAME.format(code=html.escape(text))

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        return self._page


def page_of(show):
    """The page of what ``show`` prints to the console that it is given."""
    out = Console(file=io.StringIO(), width=PLAIN_WIDTH, highlight=False, soft_wrap=False, record=True, force_jupyter=False)
    show(out)
    return Page(out.export_text(clear=False), out.export_html(code_format=FRAME, inline_styles=True))


def page_of_text(show):
    """The page of what ``show`` prints to the file object that it is given."""
    out = io.StringIO()
    show(out)
    return Page(out.getvalue())

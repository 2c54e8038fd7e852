"""Columns of the Python source in the source of a kernel that is compiled for `quern check`.

`#line` says the line alone. An expression whose column a finding shows therefore stands on a line of its own, indented by its column in the
Python source plus BASE: debug information then has that column. Until the function is complete, comments mark these expressions. Columns
up to BASE are those of the kernel source, of which the report shows no caret.
"""

import re

BASE = 1000
_MARK = re.compile(r"/\*@(?:(\d+):(\d+))?\*/")
_LINE = re.compile(r"#line (\d+)")
_CALLED = re.compile(r"[\w:]+(?=\()")


def marked(text, line, column):
    """The text of an expression that begins at a line and a column (from 0) of the Python source."""
    return f"/*@{line}:{column}*/{text}/*@*/"


def marked_call(text, line, column):
    """The text of a call, whose function is marked; other texts as they are."""
    called = _CALLED.match(text)
    return marked(called[0], line, column) + text[called.end() :] if called else text


def placed(lines, file):
    """The lines of a function, with marks as `#line` and indentation."""
    statement, out = 1, []
    for line in lines:
        if found := _LINE.match(line):
            statement = found[1]

        def place(mark, statement=statement):
            return f'\n#line {mark[1] or statement} "{file}"\n{" " * (BASE + int(mark[2])) if mark[2] else ""}'

        out.append(_MARK.sub(place, line))
    return out

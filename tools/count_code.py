#!/usr/bin/env python3
"""Count lines of code: tools/count_code.py [FOLDER ...], by default python/quern and bindings.

A line counts if something of it is code: blank lines, comments and docstrings do not. Files that the build makes (what git ignores) do not.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}


def lines_of_python(text):
    """The number of lines with code in Python source."""
    code = set()
    for token in tokenize.tokenize(io.BytesIO(text.encode()).readline):
        if token.type not in NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) is not None:
            code.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(code)


def lines_of_cpp(text):
    """The number of lines with code in C++ source."""

    def kept(found):
        return found[0] if found[0][0] in "\"'" else "\n" * found[0].count("\n")

    return sum(bool(line.strip()) for line in COMMENT.sub(kept, text).splitlines())


COUNTERS = {".py": lines_of_python, ".pyi": lines_of_python, ".cpp": lines_of_cpp, ".h": lines_of_cpp, ".def": lines_of_cpp}


def main():
    folders = sys.argv[1:] or ["python/quern", "bindings"]
    total = 0
    for folder in folders:
        files = subprocess.run(["git", "ls-files", folder], capture_output=True, text=True, check=True).stdout.split("\n")
        count = 0
        for path in files:
            counter = COUNTERS.get(path[path.rfind(".") :]) if path else None
            if counter:
                with open(path, encoding="utf-8") as file:
                    count += counter(file.read())
        print(f"{count:7,} {folder}")
        total += count
    print(f"{total:7,} in all")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Turns the prelude's headers into a C++ file: embed_headers.py OUTPUT.cpp FOLDER... Run by CMake.

A header's name is its path in its folder, as texts include it.
"""

import hashlib
import pathlib
import sys

FIRST = "quern/device.cuh"


def literal(text):
    """A C++ string literal of any length: compilers limit one piece, not their sum."""
    pieces = []
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        pieces.append(f'    "{body}{chr(92) + "n" if line.endswith(chr(10)) else ""}"')
    return "\n".join(pieces) or '    ""'


def main():
    output, folders = pathlib.Path(sys.argv[1]), [pathlib.Path(folder) for folder in sys.argv[2:]]
    headers = {p.relative_to(folder).as_posix(): p.read_text() for folder in folders for p in folder.rglob("*") if p.is_file()}
    names = sorted(headers, key=lambda n: (n != FIRST, n))
    version = hashlib.sha256("".join(n + "\0" + headers[n] for n in names).encode()).hexdigest()[:16]
    out = [
        "// Made by tools/embed_headers.py; do not edit.",
        '#include "codegen/embedded.h"',
        "",
        "namespace quern {",
        "",
    ]
    for i, name in enumerate(names):
        out.append(f"static const char text_{i}[] =\n{literal(headers[name])};")
    out.append("const EmbeddedHeader embedded_headers[] = {")
    out += [f'    {{"{name}", text_{i}, sizeof text_{i} - 1}},' for i, name in enumerate(names)]
    out += [
        "};",
        f"const size_t embedded_header_count = {len(names)};",
        f'const char* const embedded_version = "{version}";',
        "",
        "}  // namespace quern",
        "",
    ]
    text = "\n".join(out)
    if not output.exists() or output.read_text() != text:
        output.write_text(text)


if __name__ == "__main__":
    main()

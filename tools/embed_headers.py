#!/usr/bin/env python3
"""Turns the prelude's headers into a C++ file: embed_headers.py OUTPUT.cpp. Run by CMake."""

import hashlib
import pathlib
import sys

FIRST = "quern/device.cuh"
ENGINE = pathlib.Path(__file__).resolve().parent.parent / "engine"
# A header's name is its path in the innermost of these, as texts include it.
FOLDERS = [ENGINE / name for name in ("core/elements", "codegen/prelude", "codegen/prelude/cuda_compat")]
# Names that nvcc finds on the host. Texts for it include them, often only for code that is not here: they read host_only.h.
HOST_ONLY = """any atomic bitset cctype cerrno charconv chrono complex condition_variable csignal cstdarg ctype.h cwchar deque
errno.h exception filesystem forward_list fstream functional future iomanip ios iosfwd iostream istream iterator list locale map
memory mutex new numeric optional ostream queue random ratio regex set signal.h sstream stack stdarg.h stdexcept streambuf string
string_view sys/stat.h sys/time.h sys/types.h thread tuple typeinfo unistd.h unordered_map unordered_set valarray variant vector"""


def headers():
    """The text of each header of the prelude, by its name."""
    found = {p: folder for folder in FOLDERS for p in folder.rglob("*") if p.is_file()}
    texts = {p.relative_to(folder).as_posix(): p.read_text() for p, folder in found.items()}
    return texts | dict.fromkeys(HOST_ONLY.split(), texts["host_only.h"])


def literal(text):
    """A C++ string literal of any length: compilers limit one piece, not their sum."""
    pieces = []
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        pieces.append(f'    "{body}{chr(92) + "n" if line.endswith(chr(10)) else ""}"')
    return "\n".join(pieces) or '    ""'


def main():
    output, texts = pathlib.Path(sys.argv[1]), headers()
    names = sorted(texts, key=lambda n: (n != FIRST, n))
    version = hashlib.sha256("".join(n + "\0" + texts[n] for n in names).encode()).hexdigest()[:16]
    out = [
        "// Made by tools/embed_headers.py; do not edit.",
        '#include "codegen/embedded.h"',
        "",
        "namespace quern {",
        "",
    ]
    for i, name in enumerate(names):
        out.append(f"static const char text_{i}[] =\n{literal(texts[name])};")
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

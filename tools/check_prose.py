#!/usr/bin/env python3
"""Check the prose of documents, comments, string literals and names of tests.

    tools/check_prose.py           the files that git tracks
    tools/check_prose.py FILE...   these

It prints each phrase of PHRASES, each sentence of a document with more than 40 words, and what codespell takes for misspelt. Phrases
are found across line breaks. ALLOWED has the exceptions with their reasons. Start reading at main().
"""

import io
import pathlib
import re
import subprocess
import sys
import tokenize

from check_format import tracked
from check_sizes import PIECES

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A regular expression of a phrase, where a space is any white space: what to write instead.
PHRASES = {
    r"not served|do(?:es)? not serve|doesn't serve|quern serves|(?:is|are) served": "supported",
    r"(?:is|are|was|were|be|been|being) told|tells": "reported, raised, logged, passed or knows",
    "a look|looked at|looks at|(?:at|after|before) (?:the|every|each|the next) look|nobody looks": "evaluation, is read, is checked",
    "kin": 'the names of the functions, or "related functions"',
    "beside (?:CuPy|PyTorch|NumPy|Numba|Keras|SciPy|JAX)": "compared with",
    "(?:that|who) asked": "call site, source line or caller",
    r"(?<!-)mend(?:s|ed|ing)?": "fix, fixed",
    r"doors?(?!\.(?:h|cpp)|::)": "front end, entry point",
    "(?:go|goes|going|gone|went) astray|settled|settles": "checked, collected, resolved",
    "edges fall": "`bins` must increase monotonically",
    "told apart": "distinguished",
    "in doubt|doubts?": "deferred error",
    "(?:one|an|single) entry (?:of|on|in) the tape|entries (?:of|on|in) the tape": "a single autograd node, autograd nodes",
    "(?:is|are) one entry": "a single autograd node",
    r"kernels?'s? texts?|texts? (?:of|for) (?:a |the |every |each )?kernels?|kernel texts?|texts? of the user's": "kernel source",
    "beside (?:mpmath|SciPy's|central differences|exact arithmetic|what the machine can do)": "compared with",
    "and (?:its|their) like|and the like": '"related functions", or their names',
    "numbers of (?:a|the) device": "device attributes",
}
# (path, phrase in small letters): why it stays. At most 30.
ALLOWED = {}
PROSE, PYTHON, CPP = (".md",), (".py", ".pyi"), (".cpp", ".h", ".def", ".cu", ".cuh")
SKIPPED = ("docs/additions/", "python/quern/lib/cccl/", "tests/python/data/", "tools/check_prose.py")
PARTS_OF_LITERALS = ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")  # since Python 3.12
TEXT_TOKENS = {tokenize.COMMENT, tokenize.STRING, *(getattr(tokenize, name, tokenize.STRING) for name in PARTS_OF_LITERALS)}
MOST_WORDS = 40
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+")
# Words for codespell: parts of NumPy's, Numba's, and CUDA's names, and the misspelt words that tests need.
SPELT = "overrideable,nin,inout,fro,createor,coo,whats,nd,hge,notin,statics,retrun,progam,lod,lenght,gird,bu,abd,te,desne"
# Comment marks and quotes, which do not separate the words of a phrase.
MARKS = re.compile(r'//[/!<]*|/\*+|^\s*\*+(?!\w)|\*/|^\s*#+|(?:\b[rbfu]{1,2})?"|`', re.MULTILINE | re.IGNORECASE)
NAME_OF_TEST = re.compile(r"\bdef (test_\w+)|\bTEST(?:_F|_P)?\(\s*\w+,\s*(\w+)")
# What stands for code: no white space and no letter, so that no phrase goes across it.
CODE = "\0"


def without_code(source, spans):
    """The source with what is outside of the spans blank; lines and columns stay where they are."""
    out, end = [], 0
    for begin, after in spans:
        out += [re.sub(r"\S", CODE, source[end:begin]), source[begin:after]]
        end = after
    return "".join([*out, re.sub(r"\S", CODE, source[end:])])


def spans_of_python(source):
    starts = [0]
    for line in io.StringIO(source):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in TEXT_TOKENS:
            yield starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1]


def prose(path, source):
    """The text of a file in which phrases are searched, with the lines of the file."""
    if path.endswith(PYTHON):
        text = without_code(source, spans_of_python(source))
    elif path.endswith(CPP):
        text = without_code(source, (piece.span() for piece in PIECES.finditer(source)))
    else:
        text = source
    return MARKS.sub(lambda mark: re.sub(r"\S", " ", mark[0]), text)


def names_of_tests(source):
    """The source with all but the words of tests' names blank."""
    spans = [found.span(1 if found[1] else 2) for found in NAME_OF_TEST.finditer(source)]
    return without_code(source, spans).replace("_", " ")


def phrases(path, source):
    """(line, phrase, what to write instead) of each phrase in a file."""
    texts = [prose(path, source)]
    if not path.endswith(PROSE):
        texts.append(names_of_tests(source))
    for form, instead in PHRASES.items():
        pattern = re.compile(rf"\b(?:{form})\b".replace(" ", r"\s+"), re.IGNORECASE)
        for text in texts:
            for found in pattern.finditer(text):
                yield text.count("\n", 0, found.start()) + 1, " ".join(found[0].lower().split()), instead


def blocks(source):
    """(line, words) of each paragraph, item of a list and cell of a table of a document, without blocks of code."""
    source = re.sub(r"^```.*?^```|<!--.*?-->", lambda code: re.sub(r"[^\n]", "", code[0]), source, flags=re.DOTALL | re.MULTILINE)
    line, block = 0, ""
    for number, text in enumerate([*source.split("\n"), ""], 1):
        apart = not text.strip() or text.startswith(("    ", "|", "#")) or re.match(r"\s*(?:[-*]|\d+\.) ", text)
        if apart and block:
            yield line, block
            block = ""
        if text.startswith("|"):
            yield from ((number, cell) for cell in text.split("|"))
        elif text.strip() and not text.startswith("    "):
            line, block = (line, block + " " + text.strip()) if block else (number, text)


def long_sentences(source):
    """(line of its block, number of words, beginning) of each sentence above MOST_WORDS; a list of code is one word."""
    for line, block in blocks(source):
        plain = re.sub(r"`[^`]*`(?:,? (?:and )?`[^`]*`)*", "code", re.sub(r"\]\([^)]*\)", "]", block))
        for sentence in SENTENCE_END.split(plain):
            words = re.findall(r"\S*\w\S*", sentence)
            if len(words) > MOST_WORDS:
                yield line, len(words), " ".join(words[:6])


def misspelt(paths):
    """What codespell finds, a line each; None where it is not installed."""
    program = pathlib.Path(sys.executable).parent / "codespell"
    if not program.exists():
        return None
    done = subprocess.run([program, "--ignore-words-list", SPELT, *paths], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines()


def main(arguments):
    wrong, met = [], set()
    paths = arguments or [path for path in tracked(*PROSE, *PYTHON, *CPP) if not path.startswith(SKIPPED)]
    for path in paths:
        source = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(PROSE):
            wrong += [f"{path}:{line}: a sentence of {count} words: {begin} ..." for line, count, begin in long_sentences(source)]
        for line, phrase, instead in sorted(phrases(path, source)):
            met.add((path, phrase))
            if (path, phrase) not in ALLOWED:
                wrong.append(f'{path}:{line}: "{phrase}": write {instead}')
    if not arguments:
        wrong += [f'tools/check_prose.py: {path} has no "{phrase}" any more' for path, phrase in ALLOWED.keys() - met]
    spelling = misspelt(paths)
    wrong += spelling or []
    if wrong:
        sys.exit("\n".join(wrong))
    note = "" if spelling is not None else "; codespell is not installed (./quern setup test)"
    print(f"prose: {len(paths)} files use the field's words; {len(ALLOWED)} exceptions{note}")


if __name__ == "__main__":
    main(sys.argv[1:])

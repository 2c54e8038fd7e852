#!/usr/bin/env python3
"""List the error messages of the engine, its bindings and the front ends: message, file and front end, for review in one place.

    tools/messages.py              a table, tab-separated: front end, path:line, exception, message
    tools/messages.py --count      how many messages each front end has, and how many have a phrase of PHRASES
    tools/messages.py --check      an error for each message with such a phrase
    tools/messages.py PATH...      the messages of these files only

Values that a message contains are written as {}. Start reading at main().
"""

import ast
import collections
import pathlib
import re
import sys

from check_format import tracked
from check_sizes import PIECES

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The first pattern that matches a path decides; other files belong to qn, the array functions that all front ends share.
FRONT_ENDS = (
    ("torch", r"torch|tensor(?!flow)"),
    ("keras", r"keras|tensorflow"),
    ("pycuda", r"pycuda"),
    ("cupy", r"cupy"),
    ("numba", r"numba|python/quern/(?:cuda|kernel)/"),
)
# A regular expression of a phrase that readers have to guess: what to write instead.
PHRASES = {
    r"hand(?:s|ed)? (?:it |them |one )?over|hand (?:it|the function)|handed to": "pass",
    r"(?:has|have) no meaning|has a meaning|makes? no sense": "is not supported, must be",
    r"\bnone or more\b|from 0 up\b|from 1 up\b": "must be non-negative, must be positive",
    r"(?<!there )\b(?:is|are) no(?! longer| more| defined)\b": "is not a",
    r"\b(?:the|has no|have no|of|negative|no) places?\b(?! of)": "index, indices, position",
    r"\basked (?:for|of|in|before)\b": "requested",
    r"\bnames? (?:no array|one|two|as many)\b|is named twice|given twice": "pass `axis`; is repeated; got multiple values for argument",
    r"[;:,] (?:or )?give (?:it|its|one|a|an|the|them|both|as|all|two|`|min_val|'|num|cb_)|\bGive (?:it|'|a)|^give ": "pass",
    r"nothing says|nothing to choose|which function is it": "cannot be inferred; is empty",
    r"type in common|types in common": "common dtype",
    r"does not go into|do not go into|goes into an array|goes? as a pointer": "cannot be cast to, cannot be passed as",
    r"(?<!samples )\b(?:is|are) (?:not )?taken\b(?! at| from)": "supported, accepted",
    r"\bnumbers? of (?:eight bits|float64|\{\} (?:do|are) not)|bools have no": "dtype ... is not supported",
    r"of quern's\b|of Python's\b|of CuPy's\b|of the engine's\b": "a quern array",
    r"\bbeside\b|\btexts?\b(?= (?:of|defines|for))|this text\b": "next to; source",
    r"\bfalls\b|\btell\b|knows no\b|speaks\b|wants (?:a|an|\{)|is sure\b": "a plain statement of the rule",
    r"cannot be looped over|fall into parts|run by Python|does not become|comes? to the same place": "the term of Python or the peer",
    r"there is no (?:type|kind|option|target|ABI|output|keyword|argument|data type|rule|label)\b": "unknown ..., unsupported ...",
    r"there is no \{\}(?: \{\})+": "unsupported operand types for",
    r"it would be \{\} or": "Cannot unify",
    r"(?:are|is) there already|the same as asked": "exist already",
}
RAISED_IN_CPP = re.compile(r"\braise(?:_text)?\s*\(|\bthrow\s+(\w[\w:]*)\s*[({]")
ERROR = re.compile(r"(?:Error|Exception|refus\w*|fail\w*|raise\w*)$")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
NAMED = re.compile(r"\[(?:\{\}|[\w.]+)\]? ")  # "[function] what is wrong"


def front_end(path):
    """Return the front end that a file belongs to."""
    return next((name for name, pattern in FRONT_ENDS if re.search(pattern, path)), "qn")


def text_of(node):
    """Return the text of a Python expression, with {} for values; None where it contains no literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        left, right = text_of(node.left), text_of(node.right)
        if isinstance(node.op, ast.Mod) or (left is None and right is None):
            return left
        return ("{}" if left is None else left) + ("{}" if right is None else right)
    if isinstance(node, ast.IfExp):
        return " | ".join(filter(None, map(text_of, (node.body, node.orelse)))) or None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return text_of(node.func.value)
    return None


def is_error(call, name, texts):
    """Whether a call makes or raises an error: by its name, by an exception among its operands, or by the form of its text."""
    kinds = [ast.unparse(one) for one in call.args if isinstance(one, (ast.Name, ast.Attribute))]
    return bool(ERROR.search(name) or any(kind.endswith(("Error", "Exception")) for kind in kinds) or NAMED.match(texts[0]))


def messages_of_python(source):
    """(line, exception, message) of each error that is raised or made, and of each literal "[function] ..."."""
    nodes, inside = list(ast.walk(ast.parse(source))), set()
    raised = {id(node.exc) for node in nodes if isinstance(node, ast.Raise)}
    for node in nodes:
        if not isinstance(node, ast.Call) or id(node) in inside:
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        texts = [text for text in map(text_of, node.args) if text and " " in text]
        if texts and (id(node) in raised or is_error(node, name, texts)):
            inside.update(map(id, ast.walk(node)))
            yield node.lineno, name, "; ".join(texts)
    for node in nodes:
        if isinstance(node, (ast.JoinedStr, ast.Constant)) and id(node) not in inside:
            text = text_of(node)
            if text and NAMED.match(text):
                inside.update(map(id, ast.walk(node)))
                yield node.lineno, "", text


def end_of_call(plain, begin):
    """The end of the call whose bracket opens before `begin`, in source whose literals are blank."""
    depth = 1
    for at in range(begin, len(plain)):
        depth += (plain[at] in "({") - (plain[at] in ")}")
        if not depth:
            return at
    return len(plain)


def joined_literals(source):
    """(offset, text) of the literals of C++ source; those that follow each other are one."""
    out, end = [], None
    for found in LITERAL.finditer(source):
        if out and not source[end : found.start()].strip():
            out[-1][1] += found[1]
        else:
            out.append([found.start(), found[1]])
        end = found.end()
    return out


def messages_of_cpp(source):
    """(line, exception, message) of each raise() and throw with a text, and of each other literal "[function] ..."."""
    source = PIECES.sub(lambda piece: re.sub(r"[^\n]", " ", piece[0]) if piece[0].startswith("/") else piece[0], source)
    plain = PIECES.sub(lambda piece: re.sub(r"[^\n]", " ", piece[0]), source)
    seen = 0
    for found in [*RAISED_IN_CPP.finditer(plain)]:
        begin, end = found.end(), end_of_call(plain, found.end())
        texts = [text for _, text in joined_literals(source[begin:end]) if " " in text]
        if texts and begin > seen:
            kind = re.match(r"\s*ErrorKind::(\w+)", source[begin:end])
            yield source.count("\n", 0, begin) + 1, found[1] or (kind[1] if kind else ""), " {} ".join(texts)
            source = source[:begin] + re.sub(r"[^\n]", " ", source[begin:end]) + source[end:]
            seen = end
    for at, text in joined_literals(source):
        if NAMED.match(text):
            yield source.count("\n", 0, at) + 1, "", text


def phrase(text):
    """The first phrase of PHRASES in a message, and what to write instead; None where there is none."""
    found = ((re.search(form, text), instead) for form, instead in PHRASES.items())
    return next(((match[0], instead) for match, instead in found if match), None)


def main(arguments):
    paths = [one for one in arguments if not one.startswith("-")]
    if not paths:
        folders = ("engine/", "bindings/", "python/quern/")
        paths = [path for path in tracked(".py", ".cpp", ".h") if path.startswith(folders) and "/lib/cccl/" not in path]
    counts, wrong = collections.Counter(), collections.Counter()
    for path in paths:
        source = (ROOT / path).read_text(encoding="utf-8")
        find = messages_of_python if path.endswith(".py") else messages_of_cpp
        for line, kind, text in sorted(find(source)):
            counts[front_end(path)] += 1
            if found := phrase(text):
                wrong[front_end(path)] += 1
            if not {"--count", "--check"} & set(arguments):
                print(front_end(path), f"{path}:{line}", kind, text.replace("\n", "\\n"), sep="\t")
            elif found and "--check" in arguments:
                print(f'{path}:{line}: "{found[0]}": write {found[1]}: {text}')
    if "--count" in arguments:
        print("\n".join(f"{name}\t{count}\t{wrong[name]}" for name, count in counts.most_common()))
    if "--check" in arguments:
        sys.exit(bool(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])

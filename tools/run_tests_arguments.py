"""The arguments of `./quern test`, read before anything is set up. Standard library only.

Wrong ones are answered here: in a fresh clone there is no pytest yet, and later each of its runs (run_tests.py) would answer for itself.
"""

import argparse
import difflib
import os
import re
import sys

HELP = """\
usage: ./quern test [arguments of pytest]
       ./quern test --long [--part K/N] [--seed S] [--minutes M] [--only TEXT] [--list]

Set up what the tests need, then run them. Without arguments: CTest for the engine and pytest for Python, on all cores.
With arguments: pytest alone. Paths are relative to the clone's folder.

  FILE, FOLDER, FILE::TEST    only these tests, for example tests/python/cupy/test_cupy.py
  -k TEXT                     only tests whose name contains the text
  -x, --maxfail N             stop after the first failure, after N failures
  -n N                        N processes; 0: this process alone
  -s, --pdb                   show what tests print; debug a failure
  --lf                        only the tests that failed the last time
  --collect-only              list the tests
  --long                      the long tests; ./quern test --long --help

All other options of pytest are accepted, too: https://docs.pytest.org/en/stable/reference/reference.html#command-line-flags

Exit codes: 0 all passed, 1 a test failed, 2 wrong arguments, 5 no test was selected; others are pytest's.

Examples:
  ./quern test                            run all tests on all cores
  ./quern test tests/python/cupy -k sort  run the CuPy tests whose names contain sort
"""

# The options of pytest, pytest-xdist and hypothesis, those that take no value first. tests/python/tools/test_run_tests.py compares
# them with the installed ones.
FLAGS = """
--markers -x --exitfirst --strict-config --strict-markers --strict --fixtures --funcargs --fixtures-per-test --pdb --trace -s --runxfail
-v --verbose --no-header --no-summary --no-fold-skipped --force-short-summary -q --quiet --disable-warnings --disable-pytest-warnings -l
--showlocals --no-showlocals --xfail-tb --fulltrace --full-trace --collectonly --collect-only --co --pyargs --noconftest --keepduplicates
--keep-duplicates --collect-in-virtualenv --continue-on-collection-errors --doctest-modules --doctest-ignore-import-errors
--doctest-continue-on-failure -V --version --disable-plugin-autoload --traceconfig --trace-config --setuponly --setup-only --setupshow
--setup-show --setupplan --setup-plan --loadscope-reorder --no-loadscope-reorder -d -f --looponfail --hypothesis-show-statistics
--hypothesis-explain --lf --last-failed --ff --failed-first --nf --new-first --cache-clear --sw --stepwise --sw-skip --stepwise-skip
--sw-reset --stepwise-reset
""".split()
VALUES = """
-m --pdbcls -r --report-chars --junitxml --junit-xml --junitprefix --junit-prefix -W --pythonwarnings --ignore --ignore-glob --deselect
--confcutdir --doctest-glob -c --config-file --rootdir --basetemp -p -o --override-ini --log-level --log-format --log-date-format
--log-cli-level --log-cli-format --log-cli-date-format --log-file --log-file-level --log-file-format --log-file-date-format
--log-auto-indent --log-disable --tx --px --rsyncdir --rsyncignore --testrunuid --max-worker-restart --hypothesis-profile --hypothesis-seed
""".split()
NUMBERS = {"--maxfail": int, "--durations": int, "--durations-min": float, "--verbosity": int, "--max-warnings": int, "--maxprocesses": int,
           "--maxschedchunk": int}  # fmt: skip
OPTIONAL = ["--debug", "--cache-show"]
CHOICES = {
    "--capture": "fd sys no tee-sys",
    "--tb": "auto long short no line native",
    "--show-capture": "no stdout stderr log all",
    "--color": "yes no auto",
    "--code-highlight": "yes no",
    "--pastebin": "failed all",
    "--import-mode": "prepend append importlib",
    "--doctest-report": "none cdiff ndiff udiff only_first_failure",
    "--assert": "rewrite plain",
    "--log-file-mode": "w a",
    "--lfnf": "all none",
    "--last-failed-no-failures": "all none",
    "--dist": "each load loadscope loadfile loadgroup worksteal no",
    "--hypothesis-verbosity": "quiet normal verbose debug",
}
LONG = ("--long", "--part", "--seed", "--minutes", "--only", "--list")
# With these pytest shows something and runs no test.
SHOWS = """--collectonly --collect-only --co --markers --fixtures --funcargs --fixtures-per-test -V --version --cache-show --setuponly
--setup-only --setupplan --setup-plan""".split()


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and a second that names --help."""

    def error(self, message):
        sys.exit(refuse(message, self.prog))


def refuse(message, prog="quern test"):
    print(f"{prog}: {message}\n`./{prog} --help` lists the arguments", file=sys.stderr)
    return 2


def _processes(text):
    if text not in ("auto", "logical") and not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes, auto or logical")
    return text


def _names(text):
    """Return the text of -k, which xdist cannot refuse in words: names, and between them `and`, `or`, `not` and parentheses."""
    shape = re.sub(r"[\w:+\-.\[\]\\/]+", lambda word: word[0] if word[0] in ("and", "or", "not") else "x", text)
    try:
        if re.search(r"[^\w\s()]", shape):
            raise SyntaxError
        compile(f"({shape or 'x'})", "-k", "eval")
    except SyntaxError:
        raise argparse.ArgumentTypeError(f"{text!r} must be names with and, or, not and parentheses, as in -k 'sort and not random'")
    return text


def parser():
    """Return a parser that knows pytest's options; words that are no options stay behind."""
    p = Parser(prog="quern test", add_help=False, allow_abbrev=False)
    for name in FLAGS:
        p.add_argument(name, action="store_true")
    for name in VALUES:
        p.add_argument(name)
    for name, kind in NUMBERS.items():
        p.add_argument(name, type=kind)
    for name in OPTIONAL:
        p.add_argument(name, nargs="?")
    for name, values in CHOICES.items():
        p.add_argument(name, choices=values.split())
    p.add_argument("-k", type=_names)
    p.add_argument("-n", "--numprocesses", type=_processes)
    return p


def names(argv):
    """Return the files, folders and tests that arguments name."""
    return [word for word in parser().parse_known_args(argv)[1] if not word.startswith("-")]


def answer(root, argv):
    """Print the answer to arguments that run no test and return its exit code, or None where there is something to run.

    Parameters
    ----------
    root : str
        The clone, which relative paths start from.
    argv : list of str
        What stands after `./quern test`.
    """
    if "--long" in argv:
        import long_tests

        return long_tests.answer([word for word in argv if word != "--long"])
    options, rest = parser().parse_known_args(argv)
    if set(rest) & {"-h", "--help"}:
        print(HELP, end="")
        return 0
    if "-p" not in argv:  # a plug-in may have options of its own
        for word in rest:
            if word.startswith("-") and word != "--":
                return refuse(_no_option(word.partition("=")[0]))
    paths = [word.partition("::")[0] for word in rest if not word.startswith("-")]
    missing = [path for path in paths if not path or not os.path.exists(os.path.join(root, path))]
    if missing and not options.pyargs and "-p" not in argv:
        return refuse(_no_file(root, missing[0]))
    return None


def not_of_long(word):
    """Return what is wrong with a word behind --long that belongs to no option of the long tests."""
    if not word.startswith("-"):
        return f"{word} is no argument of the long tests, which are chosen by --only TEXT"
    word = word.partition("=")[0]
    near = difflib.get_close_matches(word, LONG, 1, 0.7)
    return f"there is no option {word} of the long tests" + (f"; did you mean {near[0]}?" if near else "")


def _no_option(word):
    if word == "--long":
        return "--long takes no value; its parts are --long --part K/N"
    if word in LONG:
        return f"{word} belongs to the long tests: ./quern test --long {word}"
    near = difflib.get_close_matches(word, [*FLAGS, *VALUES, *NUMBERS, *CHOICES, *LONG, "--numprocesses", "--help"], 1)
    return f"there is no option {word}" + (f"; did you mean {near[0]}?" if near else "")


def _no_file(root, path):
    folder = os.path.join(root, "tests", "python")
    tests = {name: inside for inside, _, names in os.walk(folder) for name in names if name.startswith("test_")}
    near = difflib.get_close_matches(os.path.basename(path), tests, 1, 0.8)
    if near and os.path.basename(path) == near[0] or path.endswith(".py") and near:
        return f"there is no file {path} in {root}; did you mean {os.path.relpath(os.path.join(tests[near[0]], near[0]), root)}?"
    name = os.path.basename(path).removesuffix(".py") or "TEXT"
    return f"there is no file or folder {path or repr(path)} in {root}; tests by name: ./quern test -k {name}"

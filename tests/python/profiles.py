"""Profiles of small programs, for the tests of `quern profile`."""

import json
import textwrap

import pytest
from programs import quern


@pytest.fixture
def program(tmp_path):
    """Writes a program and gives its path."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


def figures(path, *options, device="cpu", program_options=(), code=0, **named):
    """The figures of a program's profile."""
    done = quern("profile", "--json", str(path) + ".json", *options, path, *program_options, QUERN_DEVICE=device, **named)
    assert done.returncode == code, done.stderr
    with open(str(path) + ".json") as f:
        return json.load(f)


def line(found, number):
    """The figures of a line."""
    return next(one for one in found["lines"] if one["line"] == number)


def rules(path, **named):
    """What is advised: {(rule, line)}."""
    return {(one["rule"], one["line"]) for one in figures(path, **named)["advice"]}

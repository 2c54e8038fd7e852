"""Options of the command line that stand behind the program: they are the program's, and a note says so."""

import pytest
from programs import quern

PROGRAM = "import sys\nprint(sys.argv[1:])\n"
OPTIONS = {
    "run": [["--raw-clock"]],
    "profile": [["--html", "x.html"], ["--json=x.json"], ["--tree"], ["--lines", "3"], ["--max-copies", "1"], ["--summary", "--trace", "t"]],
    "check": [["--json", "x"], ["--nan"], ["--leaks"], ["--orders=3"], ["--seed", "1"], ["--no-never-written"]],
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


@pytest.mark.parametrize("command", OPTIONS)
def test_options_behind_the_program(path, tmp_path, command):
    for options in OPTIONS[command]:
        done = quern(command, path, "first", *options, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.splitlines()[0] == str(["first", *options])
        names = " and ".join(one.partition("=")[0] for one in options if one.startswith("--"))
        assert f"quern {command}: {names} behind program.py" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["program.py"]


@pytest.mark.parametrize("command", OPTIONS)
def test_two_dashes_silence_the_note(path, tmp_path, command):
    option = OPTIONS[command][0]
    for before, behind in ((["--"], option), ([], ["--", *option]), ([], ["--other", "-x", "raw-clock"])):
        done = quern(command, *before, path, *behind, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.splitlines()[0] == str(behind)
        assert "behind program.py" not in done.stderr


@pytest.mark.parametrize("command", OPTIONS)
def test_options_behind_a_text_or_a_module(tmp_path, command):
    (tmp_path / "program.py").write_text(PROGRAM)
    option = OPTIONS[command][0]
    for way, named, shown in (("-c", PROGRAM, "the text of -c"), ("-m", "program", "-m program")):
        done = quern(command, way, named, *option, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.splitlines()[0] == str(option)
        assert f"quern {command}: {option[0]} behind {shown}" in done.stderr


def test_options_before_the_program(path, tmp_path):
    done = quern("profile", "--json", "out.json", "--", path, "--json", "x", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.splitlines() == ["['--json', 'x']"]
    assert (tmp_path / "out.json").exists() and not (tmp_path / "x").exists()
    assert quern("run", "--raw-clock", path, cwd=tmp_path).stdout == "[]\n"
    assert quern("run", "--nonsense", path).returncode == 2

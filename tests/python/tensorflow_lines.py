"""Lines of programs that import TensorFlow, with what TensorFlow 2.21 printed for them."""

from programs import quern

HEAD = """
import numpy as np
import tensorflow as tf

def shown(line):
    *before, last = line.split("; ")
    names = {"np": np, "tf": tf, "__file__": __file__}
    exec(NAMES, names)
    try:
        exec("; ".join(before), names)
        try:
            code = compile(last, "line", "eval")
        except SyntaxError:
            exec(last, names)
            return "done"
        return repr(eval(code, names)).replace(chr(10), "~")
    except Exception as e:
        return f"! {type(e).__name__}"
"""


def differences(text, device, tmp_path, names=""):
    """Run lines "expression | what it prints" under `quern run`; return those that print something else. "! Name": the error that is raised.

    ``names``: statements before each line.
    """
    lines = [line.rpartition(" | ")[::2] for line in text.strip().splitlines()]
    path = tmp_path / "program.py"
    path.write_text(f"NAMES = {names!r}\n{HEAD}" + f"for line in {[line for line, _ in lines]!r}:\n    print(shown(line))\n")
    done = quern("run", path, cwd=tmp_path, QUERN_DEVICE=device.kind, **({"CUDA_VISIBLE_DEVICES": ""} if device.kind == "cpu" else {}))
    assert done.returncode == 0, done.stderr[-3000:]
    found = done.stdout.splitlines()
    assert len(found) == len(lines), done.stdout[-3000:]
    return [(line, one, wanted) for (line, wanted), one in zip(lines, found, strict=True) if one != wanted]

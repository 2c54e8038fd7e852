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


def differences(text, device, tmp_path, names="", on_gpu=None):
    """Run lines "expression | what it prints" under `quern run`; return those that print something else. "! Name": the error that is raised.

    ``names``: statements before each line; ``on_gpu``: what lines print on a GPU, where values are not read to be checked.
    """
    lines = [line.rpartition(" | ")[::2] for line in text.strip().splitlines()]
    if on_gpu and device.kind != "cpu":
        lines = [(line, on_gpu.get(line, wanted)) for line, wanted in lines]
    path = tmp_path / "program.py"
    path.write_text(f"NAMES = {names!r}\n{HEAD}" + f"for line in {[line for line, _ in lines]!r}:\n    print(shown(line))\n")
    done = quern("run", path, cwd=tmp_path, QUERN_DEVICE=device.kind, **({"CUDA_VISIBLE_DEVICES": ""} if device.kind == "cpu" else {}))
    assert done.returncode == 0, done.stderr[-3000:]
    found = done.stdout.splitlines()
    assert len(found) == len(lines), done.stdout[-3000:]
    return [(line, one, wanted) for (line, wanted), one in zip(lines, found, strict=True) if one != wanted]

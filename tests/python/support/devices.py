"""The devices of this machine, on each of which tests run."""

from quern.lib import _engine

DEVICES = ["cpu"] + [f"cuda:{i}" for i in range(_engine.cuda_count())]

"""Optimizers, learning rate schedules and averages of weights.

>>> from quern import torch
>>> model = torch.nn.Linear(3, 1)
>>> optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
>>> schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)
"""

from quern.torch.optim import lr_scheduler, swa_utils
from quern.torch.optim._adafactor import Adafactor
from quern.torch.optim._muon import Muon
from quern.torch.optim.adadelta import Adadelta
from quern.torch.optim.adagrad import Adagrad
from quern.torch.optim.adam import Adam
from quern.torch.optim.adamax import Adamax
from quern.torch.optim.adamw import AdamW
from quern.torch.optim.asgd import ASGD
from quern.torch.optim.lbfgs import LBFGS
from quern.torch.optim.nadam import NAdam
from quern.torch.optim.optimizer import Optimizer
from quern.torch.optim.radam import RAdam
from quern.torch.optim.rmsprop import RMSprop
from quern.torch.optim.rprop import Rprop
from quern.torch.optim.sgd import SGD
from quern.torch.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "LBFGS",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

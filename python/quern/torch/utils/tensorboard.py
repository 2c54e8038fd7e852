"""torch.utils.tensorboard: names that programs import. quern writes no event files."""

from quern.torch._refusals import refused

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]

_INSTEAD = "print figures or write them to a CSV file, or use the tensorboardX package with tensor.numpy()"

SummaryWriter = refused("torch.utils.tensorboard.SummaryWriter", _INSTEAD)
FileWriter = refused("torch.utils.tensorboard.FileWriter", _INSTEAD)
RecordWriter = refused("torch.utils.tensorboard.RecordWriter", _INSTEAD)

"""tf.config: which devices there are."""

import collections

from quern.lib import _engine

PhysicalDevice = collections.namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = collections.namedtuple("LogicalDevice", ["name", "device_type"])


def _gpus():
    """How many GPUs there are; none where QUERN_DEVICE asks for the CPU."""
    return 0 if _engine.default_device().kind == "cpu" else _engine.cuda_count()


def _listed(kind, make, prefix):
    counts = {"CPU": 1, "GPU": _gpus()}
    return [make(f"{prefix}{name}:{i}", name) for name, count in counts.items() if kind in (None, name) for i in range(count)]


def list_physical_devices(device_type=None):
    """The devices of the machine: "CPU", "GPU", or all of them."""
    return _listed(device_type, PhysicalDevice, "/physical_device:")


def list_logical_devices(device_type=None):
    """The devices that programs use."""
    return _listed(device_type, LogicalDevice, "/device:")


get_visible_devices = list_physical_devices


def set_visible_devices(devices, device_type=None):
    """Accepted; CUDA_VISIBLE_DEVICES and QUERN_DEVICE choose."""


_soft_placement = True


def set_soft_device_placement(enabled):
    """Whether ``tf.device`` of a device that is missing chooses one that is there, as it does by default, or raises."""
    global _soft_placement
    _soft_placement = bool(enabled)


def get_soft_device_placement():
    """Whether ``tf.device`` of a device that is missing chooses one that is there."""
    return _soft_placement


def _placed(name):
    """Return Keras's name of the device that a name of TensorFlow means: "/GPU:1", "/device:CPU:0", "/job:localhost/.../GPU:0"."""
    short = str(name).rpartition("/")[2].lower().replace("device:", "")
    kind, _, number = short.partition(":")
    if _soft_placement and kind == "gpu" and number in ("", "*", *map(str, range(64))):
        gpus = _gpus()
        if not gpus:
            return "cpu"
        return short if number.isdigit() and int(number) < gpus else "gpu"
    return short


def run_functions_eagerly(run_eagerly):
    """Accepted: functions run as they are."""


class threading:  # noqa: N801
    """Accepted: QUERN_THREADS and the processors that the process may use decide."""

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads):
        """Accepted; it changes nothing."""

    set_inter_op_parallelism_threads = set_intra_op_parallelism_threads


class optimizer:  # noqa: N801
    """Accepted: work is compiled anyway."""

    @staticmethod
    def set_jit(enabled):
        """Accepted; it changes nothing."""

    @staticmethod
    def set_experimental_options(options):
        """Accepted; it changes nothing."""


class experimental:  # noqa: N801
    """The names that stood here first."""

    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    get_visible_devices = staticmethod(list_physical_devices)
    set_visible_devices = staticmethod(set_visible_devices)

    @staticmethod
    def set_memory_growth(device, enable):
        """Accepted: memory is taken as it is needed."""

    @staticmethod
    def get_memory_growth(device):
        """True: memory is taken as it is needed."""
        return True


def __getattr__(name):
    raise AttributeError(f"tensorflow.config.{name} is not supported by quern; list_physical_devices() lists the devices")

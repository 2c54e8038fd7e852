"""The first programs that newcomers write, mistakes included: what they print, or the error that they end in.

For each front end a table of programs: name -> (text, what is printed, how the error begins, words of the error). The error is raised at
the line that is marked with ``# !``.
"""

TWICE = """
twice = cp.RawKernel('extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }', "twice")
"""
CUPY = {
    "add": ("import cupy as cp\na = cp.arange(5)\nprint(a + 1, (a * 2).sum())", "[1 2 3 4 5] 20\n", "", ""),
    "host": ("import numpy as np, cupy as cp\nprint(cp.asnumpy(cp.asarray(np.linspace(0, 1, 3)) ** 2))", "[0.   0.25 1.  ]\n", "", ""),
    "misspelt": ("import cupy as cp\ncp.aragne(3)  # !", "", "AttributeError", "'aragne'. Did you mean: 'arange'?"),
    "numpy_operand": ("import numpy as np, cupy as cp\ncp.ones(3) + np.ones(3)  # !", "", "TypeError", "cupy.asarray()"),
    "implicit": ("import numpy as np, cupy as cp\nnp.asarray(cp.ones(3))  # !", "", "TypeError", "use `.get()`"),
    "host_array": (
        f"import numpy as np, cupy as cp{TWICE}twice((1,), (4,), (np.ones(4, np.float32),))  # !",
        "", "TypeError", "copy it to the device with asarray()",
    ),
    "float64": (
        f"import cupy as cp{TWICE}x = cp.ones(4)\ntwice((1,), (4,), (x,))  # !", "", "UserWarning", "an array of float64, the kernel reads it as float*",
    ),
    "block": (
        f"import cupy as cp{TWICE}x = cp.ones(4096, 'f')\ntwice((1,), (4096,), (x,))  # !", "", "quern.errors.LogicError", "it must be from 1 to 1024",
    ),
    "kernel_name": (
        "import cupy as cp\nk = cp.RawKernel('extern \"C\" __global__ void twice(float* x) {}', 'twise')\nk((1,), (1,), (cp.ones(4, 'f'),))  # !",
        "", "quern.errors.LogicError", "there is no kernel 'twise' in this source; it has: twice",
    ),
    "syntax": (
        "import cupy as cp\nk = cp.RawKernel('extern \"C\" __global__ void f(int* x) { x[0] = 2 }  // nvrtc: skip', 'f')\nk((1,), (1,), (cp.ones(4, 'i'),))  # !",
        "", "quern.errors.CompileError", "expected ';' after expression",
    ),
    "elementwise": (
        "import cupy as cp\nf = cp.ElementwiseKernel('float32 x', 'float32 y', 'y = x * x', 'square')\nf(cp.ones(3))  # !",
        "", "TypeError", "'x' is float64, but 'float32 x' is float32; convert it with astype()",
    ),
    "shapes": ("import cupy as cp\ncp.ones((2, 3)) + cp.ones((3, 2))  # !", "", "ValueError", "could not be broadcast together"),
}  # fmt: skip

JIT = "from numba import cuda\nimport numpy as np\n@cuda.jit\n"
NJIT = "from numba import njit\nimport numpy as np\n@njit\n"
TYPING = "quern.kernel.errors.TypingError"
NUMBA = {
    "add": (
        JIT + "def add(a, b, c):\n    i = cuda.grid(1)\n    if i < c.size:\n        c[i] = a[i] + b[i]\nc = np.zeros(4)\n"
        "add[1, 32](np.arange(4), np.ones(4), c)\nprint(c)",
        "[1. 2. 3. 4.]\n", "", "",
    ),
    "no_import": ("from numba import njit\n@cuda.jit  # !\ndef f(a):\n    a[0] = 1", "", "NameError", "name 'cuda' is not defined"),
    "no_configuration": (JIT + "def f(a):\n    a[0] = 1\nf(np.zeros(3))  # !", "", "ValueError", "write f[blocks, threads](...)"),
    "shared_shape": (
        JIT + "def f(a):\n    s = cuda.shared.array(0, np.float32)\n    s[cuda.threadIdx.x] = 1\nf[1, 32](np.zeros(3))  # !",
        "", "quern.errors.LogicError", "pass the size, kernel[grid, block, stream, nbytes], or a shape other than 0",
    ),
    "numpy_in_kernel": (JIT + "def f(a):\n    t = np.zeros(4)\nf[1, 1](np.zeros(3))  # !", "", TYPING, "write cuda.local.array(4, dtype)"),
    "sum": (
        NJIT + "def total(a):\n    s = 0.0\n    for i in range(a.shape[0]):\n        s += a[i]\n    return s\nprint(total(np.arange(10.0)))",
        "45.0\n", "", "",
    ),
    "range_of_shape": (NJIT + "def f(a):\n    for i in range(a.shape):\n        a[i] = 0\nf(np.zeros(3))  # !", "", TYPING, "write a.shape[0]"),
    "root": (NJIT + "def f(x):\n    return sqrt(x)\nf(4.0)  # !", "", TYPING, "the name 'sqrt' is not defined; write math.sqrt"),
    "less_than_shape": (JIT + "def f(a):\n    if cuda.grid(1) < a.shape:\n        a[0] = 1\nf[1, 1](np.zeros(3))  # !", "", TYPING, "as in a.shape[0]"),
    "returns": (JIT + "def f(a):\n    return a[0] + 1\nf[1, 1](np.zeros(3))  # !", "", TYPING, "CUDA kernel must have void return type"),
    "random": (
        NJIT + "def f(n):\n    return np.random.random() * n\nprint(0 <= f(3) < 3)  # !",
        "True\n", "quern.arrays.fallback.FallbackWarning", "numpy.random.random cannot be called in a compiled function; pass random numbers in as an array",
    ),
    "complex_order": (NJIT + "def f(a, b):\n    return a < b\nf(1j, 2j)  # !", "", TYPING, "unsupported operand types for <: complex128 and complex128; compare their .real"),
}  # fmt: skip

MODULE = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
module = SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
twice = module.get_function("twice")
x = np.ones(4, np.float32)
"""
PYCUDA = {
    "inout": (MODULE + "twice(drv.InOut(x), block=(4, 1, 1))\nprint(x)", "[2. 2. 2. 2.]\n", "", ""),
    "float64": (MODULE + "twice(drv.InOut(np.ones(4)), block=(4, 1, 1))  # !", "", "UserWarning", "an array of float64, the kernel reads it as float*"),
    "copied_float64": (
        MODULE + "a = np.ones(4)\nd = drv.mem_alloc(a.nbytes)\ndrv.memcpy_htod(d, a)\ntwice(d, block=(4, 1, 1))  # !",
        "", "UserWarning", "pass an array of float32, such as x.astype('float32')",
    ),
    "host_array": (MODULE + "twice(x, block=(4, 1, 1))  # !", "", "TypeError", "wrap it as In(a), Out(a) or InOut(a)"),
    "list": (MODULE + "twice(drv.InOut([1, 2]), block=(4, 1, 1))  # !", "", "TypeError", "InOut takes an array, not list"),
    "number": (MODULE + "twice(3, block=(4, 1, 1))  # !", "", "TypeError", "is the number 3, the kernel takes float*"),
    "no_block": (MODULE + "twice(drv.InOut(x))  # !", "", "ValueError", "must specify block size, as in block=(256, 1, 1)"),
    "short_block": (MODULE + "twice(drv.InOut(x), block=(4,))\nprint(x)", "[2. 2. 2. 2.]\n", "", ""),
    "large_block": (MODULE + "twice(drv.InOut(x), block=(4096, 1, 1))  # !", "", "quern.errors.LogicError", "it must be from 1 to 1024"),
    "too_many": (MODULE + "twice(drv.InOut(x), np.int32(4), block=(4, 1, 1))  # !", "", "TypeError", "'twice' takes 1 argument (float*)"),
    "kernel_name": (MODULE + "module.get_function('twise')  # !", "", "quern.errors.LogicError", "it has: twice"),
    "gpuarray": (MODULE + "import pycuda.gpuarray as gpuarray\nprint((2 * gpuarray.to_gpu(x)).get())", "[2. 2. 2. 2.]\n", "", ""),
}  # fmt: skip

TORCH = {
    "gradient": ("import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n(x ** 2).sum().backward()\nprint(x.grad)", "tensor([2., 4.])\n", "", ""),
    "cuda": ("import torch\ntorch.ones(3).cuda()  # !", "", "RuntimeError", "No CUDA GPUs are available; use device='cpu'"),
    "device": (
        "import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\nprint((torch.ones(2, device=device) + 1).cpu())", "tensor([2., 2.])\n", "", "",
    ),
    "misspelt": ("import torch\ntorch.zeroes(3)  # !", "", "AttributeError", "Did you mean: 'zeros'?"),
    "convolution": (
        "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2))\n"
        "print(model(torch.ones(2, 1, 28, 28)).shape)",
        "torch.Size([2, 8, 13, 13])\n", "", "",
    ),
    "recurrent": (
        "import torch\nimport torch.nn as nn\nmodel = nn.LSTM(10, 20, batch_first=True)\noutput, (h, c) = model(torch.ones(2, 5, 10))\n"
        "print(output.shape, h.shape)",
        "torch.Size([2, 5, 20]) torch.Size([1, 2, 20])\n", "", "",
    ),
    "unsupported": ("import torch.nn as nn\nlayer = nn.SyncBatchNorm(  # !\n    3)", "", "AttributeError", "docs/torch.md says what is left out"),
    "train": (
        "import torch\nfrom torch import nn\nx = torch.linspace(-1, 1, 32).unsqueeze(1)\nmodel = nn.Linear(1, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.5)\nfor epoch in range(100):\n    optimizer.zero_grad()\n"
        "    loss = nn.MSELoss()(model(x), 3 * x + 1)\n    loss.backward()\n    optimizer.step()\n"
        "print(f'{model.weight.item():.2f} {model.bias.item():.2f}')",
        "3.00 1.00\n", "", "",
    ),
    "features": ("import torch\nfrom torch import nn\nnn.Linear(10, 2)(torch.ones(4, 8))  # !", "", "RuntimeError", "cannot be multiplied (4x8 and 10x2)"),
    "labels": (
        "import torch\nfrom torch import nn\nnn.CrossEntropyLoss()(torch.zeros(2, 3), torch.tensor([0, 3]))  # !", "", "IndexError", "Target 3 is out of bounds.",
    ),
    "float64": (
        "import torch, numpy as np\nfrom torch import nn\nnn.Linear(3, 1)(torch.from_numpy(np.ones((4, 3))))  # !",
        "", "RuntimeError", "must have the same dtype, but got Double and Float",
    ),
    "numpy": ("import torch\n(torch.ones(3, requires_grad=True) * 2).numpy()  # !", "", "RuntimeError", "Use tensor.detach().numpy() instead."),
    "twice": ("import torch\ny = torch.ones(3, requires_grad=True).exp().sum()\ny.backward()\ny.backward()  # !", "", "RuntimeError", "retain_graph=True"),
    "load": (
        "import torch\nwith open('model.txt', 'w') as f:\n    f.write('hello')\ntorch.load('model.txt')  # !",
        "", "_pickle.UnpicklingError", "model.txt is not a file that torch.save() wrote",
    ),
}  # fmt: skip

MODEL = """
import numpy as np, keras
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3, activation="softmax")])
model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy")
"""
KERAS = {
    "devices": ("import tensorflow as tf\nprint(len(tf.config.list_physical_devices('GPU')))", "0\n", "", ""),
    "fit": (
        "import numpy as np, keras\nx = np.linspace(-1, 1, 64).reshape(-1, 1)\n"
        "model = keras.Sequential([keras.layers.Input((1,)), keras.layers.Dense(1)])\n"
        "model.compile(optimizer=keras.optimizers.SGD(0.5), loss='mse')\nmodel.fit(x, 3 * x + 1, epochs=20, verbose=0)\n"
        "print([round(float(w.ravel()[0]), 1) for w in model.get_weights()])",
        "[3.0, 1.0]\n", "", "",
    ),
    "features": (MODEL + "model.fit(np.ones((8, 3)), np.ones(8), verbose=0)  # !", "", "ValueError", "expected axis -1 of input shape to have value 4"),
    "rows": (MODEL + "model.fit(np.ones((8, 4)), np.ones(7), verbose=0)  # !", "", "ValueError", "Data cardinality is ambiguous"),
    "labels": (
        MODEL + "model.fit(np.ones((8, 4)), np.full(8, 3), verbose=0)  # !",
        "", "quern.tensorflow.errors.InvalidArgumentError", "Received a label value of 3 which is outside the valid range of [0, 3)",
    ),
    "convolution": (
        "import keras\nmodel = keras.Sequential([keras.layers.Input((28, 28, 1)), keras.layers.Conv2D(8, 3), keras.layers.MaxPooling2D()])\n"
        "print(model.output_shape, model.predict(keras.ops.ones((2, 28, 28, 1)), verbose=0).shape)",
        "(None, 13, 13, 8) (2, 13, 13, 8)\n", "", "",
    ),
    "misspelt": ("import tensorflow as tf\ntf.redcue_mean([1.0, 2.0])  # !", "", "AttributeError", "Did you mean: 'reduce_mean'?"),
    "constant": ("import tensorflow as tf\na = tf.constant([[1.0, 2.0], [3.0, 4.0]])\nprint(tf.matmul(a, a).numpy())", "[[ 7. 10.]\n [15. 22.]]\n", "", ""),
    "tape": (
        "import tensorflow as tf\nx = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\nprint(tape.gradient(y, x).numpy())", "6.0\n", "", "",
    ),
    "version_1": ("import tensorflow.compat.v1 as tf  # !", "", "ModuleNotFoundError", "write `import tensorflow as tf`"),
    "no_compile": (
        "import numpy as np\nfrom tensorflow import keras\nkeras.Sequential([keras.layers.Dense(1)]).fit(np.ones((8, 4)), np.ones(8))  # !",
        "", "ValueError", "You must call `compile()` before using the model.",
    ),
    "layer": ("from tensorflow.keras import layers\nlayers.Desne(3)  # !", "", "AttributeError", "Did you mean: 'Dense'?"),
}  # fmt: skip

QUERN = {
    "sum": ("import quern as qn\na = qn.arange(10)\nprint(a.sum(), (a * 2)[3])", "45 6\n", "", ""),
    "text": ("import quern as qn\nqn.array(['a'])  # !", "", "quern.arrays.records.UnsupportedDType", "arrays hold numbers, not text"),
    "misspelt": ("import quern as qn\nqn.linsapce(0, 1, 3)  # !", "", "AttributeError", "Did you mean: 'linspace'?"),
    "method": ("import quern as qn\nqn.ones(3).summ()  # !", "", "AttributeError", "Did you mean: 'sum'?"),
    "shapes": ("import quern as qn\nqn.ones((2, 3)) @ qn.ones((2, 3))  # !", "", "ValueError", "matmul: Input operand 1 has a mismatch"),
    "index": ("import quern as qn\nqn.arange(3)[3]  # !", "", "IndexError", "index 3 is out of bounds for axis 0 with size 3"),
    "kernel": (
        "import quern as qn\ntwice = qn.RawKernel('extern \"C\" __global__ void twice(float* x, int n) { x[threadIdx.x] *= 2; }', 'twice')\n"
        "x = qn.ones(4, dtype='float32')\ntwice((1,), (4,), (x, 4))\nprint(x)",
        "[2. 2. 2. 2.]\n", "", "",
    ),
    "too_few": (
        "import quern as qn\nk = qn.RawKernel('extern \"C\" __global__ void k(float* x, int n) {}', 'k')\nk((1,), (4,), (qn.ones(4, dtype='float32'),))  # !",
        "", "TypeError", "'k' takes 2 arguments (float*, int); 1 given",
    ),
    "numpy": ("import numpy as np, quern as qn\nprint(qn.ones(3) + np.arange(3))", "[1. 2. 3.]\n", "", ""),
    "truth": ("import quern as qn\nif qn.arange(3) > 1:  # !\n    print('large')", "", "ValueError", "Use a.any() or a.all()"),
    "singular": ("import quern as qn\nprint(qn.linalg.inv(qn.ones((2, 2))))  # !", "", "numpy.linalg.LinAlgError", "Singular matrix"),
    "older_name": ("import quern as qn\nqn.float_(3)  # !", "", "AttributeError", "NumPy 2 removed it; use `quern.float64` instead"),
}  # fmt: skip

PROGRAMS = {"cupy": CUPY, "numba": NUMBA, "pycuda": PYCUDA, "torch": TORCH, "keras": KERAS, "quern": QUERN}

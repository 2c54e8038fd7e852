#!/usr/bin/env python3
"""Writes docs/torch.md: how many of PyTorch's names quern.torch supports, which are left out and why, and what behaves differently.

    QUERN_API_NAMES=FOLDER .venv/bin/python tools/torch_names.py [--check]

FOLDER has torch.tsv (module, name, kind, signature), the list of what PyTorch has. Start at page().
"""

import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "docs", "torch.md")

# Groups of names that are not counted, by a pattern over "module.name" without the leading "torch.", and why quern has none of them.
NOT_COUNTED = (
    (
        "quantized numbers",
        r"quant|qint|quint|q_(per|scale|zero)|qscheme|per_(channel|tensor)_|int_repr|fbgemm|fake_|_fused_moving|"
        r"fused_moving|choose_qparams|\bao$|QInt|QUInt|"
        r"ScalingType|SwizzleType|scaled_(mm|addmm|grouped)|intrinsic|qat$",
        "quern has no quantized dtypes",
    ),
    (
        "sparse tensors",
        r"sparse|coalesce|(^|\.)(crow|ccol|row|col)_indices|hspmm|\bsmm|dsmm|hsmm|spmm|saddmm|Tensor\.(indices|values|dense_dim)$|"
        r"(^|\.)(indices|values)_copy|(crow|ccol|row|col)_indices_copy|to_padded_tensor|nested$",
        "all tensors are dense",
    ),
    (
        "other libraries' kernels",
        r"mkldnn|miopen|cudnn_|has_m|has_spectral|has_openmp|has_lapack|thnn|nccl|magma",
        "quern's kernels are its own",
    ),
    (
        "TorchScript, FX and the compiler's insides",
        r"(^|\.)(AliasDb|Any$|AnyType|Argument|AwaitType|Block|Bool(ean)?Type|Call(Stack|able)|Capsule|ClassType|Code|"
        r"Compil|Complete|ComplexType|Concrete|"
        r"DeepCopyMemo|DeviceObj|Dict(Type)?$|Enum|Error(Report)|ExecutionPlan|FatalError|FileCheck|FloatType|"
        r"FunctionSchema|Future|Gradient$|"
        r"Graph|IODesc|Inferred|IntType|Interface|JIT|ListType|Lite|Locking|Logger|Node$|Noop|NoneType|NumberType|"
        r"Operator|OptionalType|PyObject|"
        r"PyTorchFile|RRef|Script|Serialization|Deserialization|StaticModule|Stream(ObjType|Type)|StringType|Sym(Bool|"
        r"Float|Int)|Tag$|TensorType|"
        r"Throughput|TracingState|TupleType|Type$|UnionType|Use$|Value$|Benchmark|AggregationType|BufferDict|ModuleDict|"
        r"ParameterDict|Dispatch|"
        r"Exclude|Disable(Torch)|fork$|wait$|import_ir|parse_|merge_type|unify_type|export|fx$|_?ops$|classes$|library$|futures$|"
        r"get_file_path|sym_(constrain|fresh)|while_loop|cond$|package$|PRIVATE_OPS|AVG|SUM|TYPE_CHECKING|USE_|classproperty|"
        r"handle_torch_function|has_torch_function|boolean_dispatch|BroadcastingList|is_tensor_like|overrides$)",
        "work is recorded, fused and compiled by the engine, without a second language",
    ),
    ("storages", r"Storage|(^|\.)storage|untyped_storage|is_storage|\.storage_type", "memory belongs to the tensor; views share it"),
    (
        "dtypes that quern does not have",
        r"(^|\.)(b?complex32|chalf|float[48]_|u?int[1-7]$|bits?($|\d))",
        "integers and floats of less than 8 bits, 8-bit floats, and complex numbers of two float16",
    ),
    (
        "devices of Apple, Intel and others",
        r"(^|\.)(mps|mtia|xpu|ipu|is_(maia|mtia)|ipu|accelerator|hpu)($|\.)|_(ipu|xla|xpu)_|vulkan",
        "quern runs on CPUs and on GPUs of NVIDIA",
    ),
    (
        "names that modules import for their own use",
        r"\.(Tensor|torch|Callable|Any|Optional|Literal|Sequence|Mapping|TypeVar|ParamSpec|Self|TypedDict|SupportsFloat|"
        r"NewType|DType|annotations|cast|"
        r"overload|override|partial|wraps|ref|inf|lru_cache|cache|auto|Optimizer|.*_notes|common_args|.*common.*|"
        r"EPOCH_.*|T_destination|DEVICE_.*|"
        r"PYTORCH_.*)$",
        "they are not PyTorch's own functions, for example `torch.nn.functional.Optional`",
    ),
)
# Groups of names that are counted and left out, and why.
LEFT_OUT = (
    ("PyTorch's own file format", r"hub|serialization|PyTorchFile", "`torch.save` and `torch.load` have a format of their own"),
    ("function transforms", r"(^|\.)func$|vmap", "not supported yet"),
    (
        "profiling, CUDA graphs, autograd internals, forward mode",
        r"profiler|Profiler|kineto|forward_ad|graph|anomaly|SavedTensor|NestedIO|jvp|variable",
        "the engine records gradients and replays launches itself; `quern.profile()` measures",
    ),
    (
        "several processes",
        r"multiprocessing|parallel|Parallel|distributed|SyncBatch|thread_safe|DataParallel",
        "one process uses all devices, by their names (`cuda:1`)",
    ),
    ("lazy layers", r"Lazy", "give the layers their sizes"),
)  # fmt: skip
DIFFERENT = (
    (
        "random numbers",
        "They depend on the seed and on the number of earlier draws, not on the device: CPU and GPU give the same numbers. "
        "PyTorch draws other numbers.",
    ),
    (
        "`torch.distributions`",
        "Samples of Beta and Dirichlet distributions are quotients of gamma numbers and have their gradients: of one sample they differ "
        "from PyTorch's, their means are equal. `VonMises` uses exact Bessel functions, PyTorch polynomials of 1e-7. Rows of `LKJCholesky` "
        "have the squared lengths of the LKJ distribution.",
    ),
    (
        "`torch.autograd.graph`",
        "`saved_tensors_hooks` and `save_on_cpu` raise NotImplementedError: operands are kept inside the engine, where no hook is called.",
    ),
    ("dtypes", "Operations for which PyTorch has no kernel, such as products of uint16, work if the engine supports the dtype."),
    (
        "errors that depend on values",
        "Indices out of range, divisions of integers by 0 on the CPU, probabilities outside of 0 to 1 and similar errors "
        "are raised at the latest when the values are needed, often not at the call. The message then ends with the "
        "source line of the call. Factorizations (`torch.linalg.cholesky`, `inv`, `solve`, `svd`, ...) raise "
        "`torch.linalg.LinAlgError` at the call, as PyTorch's do; in backward passes, they raise it when the gradients "
        "are needed.",
    ),
    ("byte masks", "A number can be assigned through a uint8 mask, as through a bool mask, because older programs do so."),
    (
        "more derivatives",
        "`floor_divide`, `heaviside`, `zeta`, `spherical_bessel_j0` and other functions have derivatives where PyTorch raises "
        "an error.",
    ),
    ("singular matrices", "The gradient of `det` is the mathematical one; PyTorch returns 0."),
    (
        "gradients at corners",
        "The second derivative of `acosh` at 1 is NaN; PyTorch's is infinite. The gradient of `polar` for an absolute value of 0 "
        "is the cosine; PyTorch returns 0.",
    ),
    ("`torch.normal`", "With `size`, the mean and the deviation are numbers; PyTorch also accepts tensors without dimensions."),
    ("`...` in an index", "A second ellipsis raises an error, because it is not defined which dimensions each of the two stands for."),
    (
        "names of arguments",
        "PyTorch's names (`input`, `other`, `dim`, `keepdim`) and NumPy's `axis` and `keepdims` are accepted, but not NumPy's "
        "`x`, `a`, `x1`, `x2`.",
    ),
    (
        "attention that sees no key",
        "Without weights, `MultiheadAttention` returns 0 for a query whose keys are all masked; PyTorch does so, too, except in evaluation "
        "without gradients, where it returns NaN.",
    ),
    (
        "`torch.autocast`",
        "A weight that is written within a region is cast again; PyTorch uses the first cast. `linalg.pinv` computes in its operand's "
        "dtype.",
    ),
    (
        "`GradScaler`",
        "A step with an infinity in the gradients is taken and changes nothing, so that nothing waits for the GPU: its hooks run.",
    ),
    (
        "equal elements",
        "`sort`, `argsort`, `topk` and `kthvalue` are always stable; PyTorch does not define the indices of equal elements.",
    ),
    (
        "strides",
        "Matrices from `torch.linalg` and results of `torch.fft` are in C order or in the order of their argument; PyTorch's "
        "are in column-major order. Tensors without elements may have other strides. `stack` of channels_last tensors, `put` of"
        " permuted tensors, and `zeros_like` of expanded tensors return C order.",
    ),
    (
        "gradient of `as_strided_scatter`",
        "The gradient of `input` is 0 where `src` is written; PyTorch returns the opposite, which is wrong.",
    ),
    (
        "gradients of complex factors",
        "A loss that depends on the phase of the vectors of `eig` or `svd` raises no error, because the check needs a "
        "synchronization.",
    ),
    ("pickle", "Tensors that share memory still share it after `pickle.loads`, as after `torch.load`: both use the same format."),
    ("`torch.__version__`", "`2.9.0` followed by quern's version, as in `2.9.0+quern.0.1.0`; see above."),
    ("files", "`torch.save` writes a format of its own, which `torch.load` reads. Files in PyTorch's format raise an error."),
    (
        "memory",
        "`torch.empty` returns zeros. Memory is allocated when an operation is evaluated. `torch.cuda.max_memory_allocated()` "
        "is the largest value that a call of it, or of a related function, has measured. A tensor that is too large raises "
        "`torch.OutOfMemoryError` where it is created. The result of an elementwise expression may be larger than the memory if"
        " it is reduced before all of it is needed.",
    ),
    ("streams", "If operations of several streams use the same tensor, the engine orders them."),
    ("the device `meta`", "Not supported."),
    ("subclasses of Tensor", "Functions and methods return a Tensor, not the subclass; `__torch_function__` is not called."),
    ("`conj()`", "It computes the conjugate at once, not as a view, so `is_conj()` is False."),
    ("`mode` with NaN", "NaN equals no element, and so occurs once; PyTorch's result depends on the order of the elements."),
    (
        "gradients at NaN",
        "`quantile` passes its gradient to the last NaN, `nanmean` of NaN alone passes 0; in PyTorch, any NaN and NaN. "
        "The gradient of `prod` at a NaN is a number where its line has a zero; in PyTorch, also where another line has one.",
    ),
    (
        "autograd nodes",
        "`grad_fn` has operands and the name of quern's operation: the last operation of a mean is a division. Names of overloads "
        "(`PowBackward1`) and of views (`SelectBackward0`) follow from operands and strides, which do not tell `t()` from "
        "`permute()`. Hooks are registered on tensors, not on nodes.",
    ),
    (
        "hooks of views",
        "A write under `no_grad()` or to a detached alias keeps the hooks of views; in PyTorch, these views get new nodes "
        "without hooks.",
    ),
    (
        "views made before `requires_grad_()`",
        "They pass their gradient to their base; in PyTorch, they are leaves until the base is written.",
    ),
    (
        "`sys.modules`",
        'It has no entry "torch", because installed packages would take it for PyTorch. `import torch` and '
        '`importlib.import_module("torch")` in a program load quern.',
    ),
    (
        "gradients of expanded tensors",
        "The gradient of `e = x.expand(...)` itself (`retain_grad()`, a hook, `autograd.grad(y, e)`) raises NotImplementedError"
        " if `y` reads parts of `e` (`e[0]`); read parts of `e.clone()` instead. Gradients of `x` are not affected.",
    ),
    ("outputs of `split` and `unbind`", "They may be written in place; PyTorch raises an error if a gradient is recorded."),
    (
        "`solve_triangular`",
        "A zero on the diagonal gives NaN in all elements; PyTorch gives infinities in the elements that are divided by it.",
    ),
    ("numbers out of range", "`x[0] = 1e5` raises an error if `x` is float16; PyTorch writes infinity on the CPU."),
    (
        "saved tensors",
        "A tensor that is saved for a derivative and then changed in place keeps its old value for `backward()`; PyTorch raises"
        " an error.",
    ),
    ("`torch.compile`", "It returns its argument, because operations are fused and compiled anyway. `torch.jit` does the same."),
    ("switches", "Switches for deterministic algorithms, threads and libraries are accepted and have no effect."),
    (
        "inference mode",
        "Tensors that are saved for a derivative must not be inference tensors. Some functions save fewer operands than "
        "PyTorch's, and therefore accept more inference tensors (`clamp`, `cdist` and `xlogy` of tensors, weights of "
        "`nll_loss`); some save more (`gaussian_nll_loss`, `hinge_embedding_loss`, `margin_ranking_loss`, indices of "
        "`index_add` and `scatter_add`). A write that raises an error changes nothing. Views, made in inference mode, of a "
        "tensor with `requires_grad=True` pass gradients on.",
    ),
    (
        "views under `no_grad()`",
        "They pass gradients on to their base. Writing to them while gradients are recorded is an error, as in PyTorch.",
    ),
)  # fmt: skip
POOLED = ("torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.optim", "torch.autograd", "torch.nn.init")


def listed(folder):
    """What PyTorch has: a dict from modules to names."""
    modules = collections.OrderedDict()
    with open(os.path.join(folder, "torch.tsv")) as file:
        for line in file:
            module, name, *_ = line.rstrip("\n").split("\t")
            modules.setdefault(module, []).append(name)
    return modules


def is_served(module, name):
    """Does quern.torch have it?"""
    import quern.torch

    found = quern.torch
    if module == "torch.autograd.Function" and hasattr(found.autograd.Function(), name):
        return True  # an attribute of the context that forward() and backward() receive
    for part in [*module.split(".")[1:], name]:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def group_of(groups, module, name):
    """The first group that a name belongs to, or None."""
    path = f"{module}.{name}".removeprefix("torch.")
    return next((title for title, pattern, _ in groups if re.search(pattern, path)), None)


def count(folder):
    """For each module: supported names, names left out; and the names of each group that is not counted."""
    served, missing, groups = collections.OrderedDict(), collections.OrderedDict(), collections.OrderedDict()
    for module, names in listed(folder).items():
        served[module], missing[module] = [], []
        for name in names:
            if is_served(module, name):
                served[module].append(name)
                continue
            title = group_of(NOT_COUNTED, module, name)
            if title:
                groups.setdefault(title, []).append((module, name))
            else:
                missing[module].append(name)
    return served, missing, groups


def share(served, missing):
    """Return the percentage of the pooled modules' names that are supported."""
    have = sum(len(served[m]) for m in POOLED)
    return 100 * have / (have + sum(len(missing[m]) for m in POOLED))


def shown(module, name):
    """Return a name as programs write it: `nn.Conv1d`, `F.conv1d`, `torch.conv1d`."""
    path = f"{module}.{name}"
    for full, short in (("torch.nn.functional.", "F."), ("torch.nn.", "nn.")):
        if path.startswith(full):
            return f"`{short}{path[len(full) :]}`"
    return f"`{path}`"


def page(folder):
    """The text of docs/torch.md."""
    served, missing, groups = count(folder)
    lines = [
        "# PyTorch's names",
        "",
        "Written by `tools/torch_names.py`. Under `./quern run`, `import torch` in your own files loads `quern.torch`; PyTorch need not be",
        "installed. Unsupported names raise AttributeError, so `hasattr()` returns False for them.",
        "",
        "- `torch.__version__` begins with 2.9.0, for programs that test for a minimum version.",
        '- Values, dtypes and errors are compared with PyTorch 2.15.0. "PyTorch" on this page means that version.',
        "- Speed is compared with PyTorch 2.11.0 ([results.md](results.md)).",
        "",
        f"quern supports {share(served, missing):.0f} % of the names of {', '.join(f'`{m}`' for m in POOLED)}.",
        "The groups under [Not counted](#not-counted) are not part of this number.",
        "",
        "| module | supported | left out |",
        "|---|---|---|",
        *(f"| `{m}` | {len(served[m])} | {len(missing[m])} |" for m in served),
        "",
        "## Not counted",
        "",
        "| group | names | why |",
        "|---|---|---|",
    ]
    for title, _, why in NOT_COUNTED:
        lines.append(f"| {title} | {len(groups.get(title, ()))} | {why} |")
    lines += ["", "## Left out", "", "| group | names | why | which |", "|---|---|---|---|"]
    rest = collections.OrderedDict()
    for module, names in missing.items():
        for name in names:
            rest.setdefault(group_of(LEFT_OUT, module, name), []).append((module, name))
    for title, _, why in LEFT_OUT:
        names = rest.get(title, ())
        lines.append(f"| {title} | {len(names)} | {why} | {' '.join(shown(*name) for name in names)} |")
    lines += ["", "The others, by module:", ""]
    others = collections.OrderedDict()
    for module, name in rest.get(None, ()):
        others.setdefault(module, []).append(name)
    for module, names in others.items():
        if module == "torch.distributions":
            lines.append(f"- `{module}`: all of it")
        else:
            lines.append(f"- `{module}`: " + " ".join(f"`{name}`" for name in names))
    lines += ["", "## What differs", "", "| what | how |", "|---|---|"]
    lines += [f"| {what} | {how} |" for what, how in DIFFERENT]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import generated_page

    generated_page.main(__doc__, FILE, page, "torch.tsv")

"""Gradients beside differences of values."""

from quern.torch._core import Tensor
from quern.torch._creation import tensor
from quern.torch._faces import FACES
from quern.torch.autograd._gradients import grad


class GradcheckError(RuntimeError):
    """A gradient is not what differences of values say."""


def _numbers(value):
    return (value,) if isinstance(value, Tensor) else tuple(v for v in value if isinstance(v, Tensor))


def _differentiable(outputs):
    return [o for o in _numbers(outputs) if o.requires_grad]


def _slopes(function, inputs, which, eps, outputs_of=_differentiable):
    """d output / d input number ``which`` by central differences: a matrix for each output."""
    x = inputs[which]
    base = x.detach().reshape(-1).tolist()
    columns = []
    steps = (eps, eps * 1j) if x.is_complex() else (eps,)
    for step in steps:
        for i in range(len(base)):
            ends = []
            for sign in (1, -1):
                values = list(base)
                values[i] += sign * step
                moved = tensor(values, dtype=x.dtype, device=x.device).reshape(x._shape)
                given = [v.detach().requires_grad_(v.requires_grad) if isinstance(v, Tensor) else v for v in inputs]
                given[which] = moved.requires_grad_(x.requires_grad)
                ends.append([o.detach().reshape(-1).tolist() for o in outputs_of(function(*given))])
            columns.append([[(a - b) / (2 * eps) for a, b in zip(up, down, strict=True)] for up, down in zip(*ends, strict=True)])
    return columns


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-06,
    atol=1e-05,
    rtol=0.001,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Return whether the gradients of a function equal central differences of its values.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Arguments; those that require gradients should be float64 or complex128.
    eps : float, optional
        Step of the differences.
    atol : float, optional
        Absolute tolerance.
    rtol : float, optional
        Relative tolerance.
    raise_exception : bool, optional
        Whether to raise GradcheckError where they differ, instead of returning False.

    Returns
    -------
    bool
        Whether they are equal.

    Notes
    -----
    The other parameters are accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.square, x)
    True
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    if not wanted:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.")
    if not _differentiable(func(*inputs)):  # then nothing may hang on the inputs
        slopes = [_slopes(func, inputs, which, eps, _numbers) for which in wanted]
        if not any(abs(v) > 1e-14 for columns in slopes for column in columns for output in column for v in output):
            return True
        if raise_exception:
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return False
    for which in wanted:
        numeric = _slopes(func, inputs, which, eps)
        x, count = inputs[which], inputs[which].numel()
        outputs = _differentiable(func(*inputs))
        for number, output in enumerate(outputs):
            for row in range(output.numel()):
                parts = (1, 1j) if output.is_complex() else (1,)
                for part in parts:
                    seed = output.detach().new_zeros(output.numel())
                    seed[row] = part
                    (g,) = grad(output, x, seed.reshape(output._shape), retain_graph=True, allow_unused=True)
                    got = [0.0] * count if g is None else g.reshape(-1).tolist()
                    for i in range(count):
                        # With a seed s the gradient's real part is Re(conj(s) dy/da), its imaginary part Re(conj(s) dy/db).
                        seen = [complex(got[i]).real, complex(got[i]).imag][: 2 if x.is_complex() else 1]
                        for k, value in enumerate(seen):
                            slope = complex(numeric[k * count + i][number][row])
                            expected = slope.real if part == 1 else slope.imag
                            if abs(value - expected) <= atol + rtol * abs(expected):
                                continue
                            if not raise_exception:
                                return False
                            raise GradcheckError(
                                f"Jacobian mismatch for output {number} with respect to input {which},\nnumerical:{expected}\n"
                                f"analytical:{value}\n(element {row} of the output, element {i} of the input)\n"
                            )
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False):  # fmt: skip
    """Return whether the second gradients of a function equal central differences of its gradients.

    Parameters
    ----------
    func : callable
        Function of tensors that returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Arguments; those that require gradients should be float64 or complex128.
    grad_outputs : Tensor or tuple of Tensor, optional
        Gradients of the outputs; None draws random ones.
    eps : float, optional
        Step of the differences.
    atol : float, optional
        Absolute tolerance.
    rtol : float, optional
        Relative tolerance.
    raise_exception : bool, optional
        Whether to raise GradcheckError where they differ, instead of returning False.

    Returns
    -------
    bool
        Whether they are equal.

    Notes
    -----
    The other parameters are accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x**3, x)
    True
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = _differentiable(func(*inputs))
    given = [FACES["randn_like"](o.detach()) for o in outputs] if grad_outputs is None else list(_numbers(grad_outputs))
    given = [g.detach().requires_grad_() for g in given]
    count = len(inputs)

    def gradients(*args):
        made = [x if x.requires_grad else x.detach().requires_grad_() for x in args[:count] if isinstance(x, Tensor)]
        asked = [m for m, x in zip(made, inputs, strict=False) if x.requires_grad]
        results = _differentiable(func(*args[:count]))
        found = grad(results, asked, args[count:], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(gradients, (*inputs, *given), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)

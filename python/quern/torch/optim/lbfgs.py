"""L-BFGS, with a line search that fulfils the strong Wolfe conditions."""

from collections import namedtuple

import numpy

from quern.torch import _namespace as torch
from quern.torch.optim.optimizer import Optimizer, _check_lr, _number

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Optimize one group of parameters by a quasi-Newton method (Liu and Nocedal, 1989).

    ``step()`` needs a closure, and reads the loss in each iteration.

    Parameters
    ----------
    params : iterable of Tensor
        Floating-point tensors of any shapes.
    lr : float or Tensor, optional
        Length of a step, or the first length that the line search tries.
    max_iter : int, optional
        Largest number of iterations in a step.
    max_eval : int, optional
        Largest number of calls of the closure in a step; None is ``max_iter * 5 / 4``.
    tolerance_grad : float, optional
        Gradient that ends a step.
    tolerance_change : float, optional
        Change that ends a step.
    history_size : int, optional
        Number of gradients that are kept.
    line_search_fn : {None, 'strong_wolfe'}, optional
        Line search.
    maximize : bool, optional
        Whether to climb instead of descend.

    Raises
    ------
    ValueError
        For several groups of parameters, a negative `lr`, or an empty list of parameters.
    RuntimeError
        For another `line_search_fn`, at the first step.

    Examples
    --------
    >>> from quern import torch
    >>> w = torch.tensor([4.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> w.detach().round()
    tensor([3.])
    """

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
        *,
        maximize=False,
    ):
        _check_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    # ---- all parameters as one vector

    def _gradient(self):
        parts = []
        for p in self._params:
            g = p.grad
            if g is None:
                g = torch.zeros_like(p)
            parts.append((torch.view_as_real(g) if g.is_complex() else g).reshape(-1))
        out = torch.cat(parts)
        return -out if self.param_groups[0]["maximize"] else out

    def _move(self, length, direction):
        """Adds length * direction to the parameters."""
        begin = 0
        for p in self._params:
            p = torch.view_as_real(p) if p.is_complex() else p
            p.add_(direction[begin : begin + p.numel()].view_as(p), alpha=length)
            begin += p.numel()

    def _at(self, old, length, direction, closure):
        """Loss and gradient at a distance from the parameters, which then are what they were."""
        self._move(length, direction)
        loss = self._loss(closure())
        grad = self._gradient()
        for p, before in zip(self._params, old, strict=True):
            p.copy_(before)
        return loss, grad

    def _loss(self, value):
        return -float(value) if self.param_groups[0]["maximize"] else float(value)

    # ---- a step

    def step(self, closure):
        """Compute up to `max_iter` iterations.

        Parameters
        ----------
        closure : callable
            Function that computes the loss again, with its gradients, and returns it.

        Returns
        -------
        object
            Loss before the first iteration.
        """
        with torch.no_grad():
            return self._step(torch.enable_grad()(closure))

    def _step(self, closure):
        group, state = self.param_groups[0], self.state[self._params[0]]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        lr, most_evaluations = _number(group["lr"]), group["max_eval"]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss = self._loss(first_loss)
        state["func_evals"] += 1
        evaluations = 1
        grad = self._gradient()
        if bool(grad.abs().max() <= tolerance_grad):
            return first_loss

        direction, length = state.get("d"), state.get("t")
        before, loss_before = state.get("prev_flat_grad"), state.get("prev_loss")
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = -grad
                state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
                with numpy.errstate(all="ignore"):
                    length = min(1.0, 1.0 / _scalar(grad.abs().sum())) * lr
            else:
                _remember(state, grad - before, direction * length, group["history_size"])
                direction = _newton(state, grad, group["history_size"])
                length = lr
            before, loss_before = grad, loss

            slope = _scalar(grad.dot(direction))
            if slope > -tolerance_change:
                break
            small = False
            used = 0
            if group["line_search_fn"] is not None:
                point, used = self._searched(closure, _Point(0.0, loss, grad, slope), length, direction, most_evaluations - evaluations)
                length, loss, grad = point.t, point.f, point.g
                self._move(length, direction)
                small = bool(grad.abs().max() <= tolerance_grad)
            else:
                self._move(length, direction)
                if iteration != group["max_iter"]:  # the last one's gradient is computed by the next step
                    loss = self._loss(closure())
                    grad = self._gradient()
                    small = bool(grad.abs().max() <= tolerance_grad)
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if iteration == group["max_iter"] or evaluations >= most_evaluations or small:
                break
            if bool((direction * length).abs().max() <= tolerance_change) or abs(loss - loss_before) < tolerance_change:
                break
        state.update(d=direction, t=float(length), prev_flat_grad=before, prev_loss=loss_before)
        return first_loss

    def _searched(self, closure, start, length, direction, most):
        """The point that a search along the direction finds, and how often it computed the loss: once, and at most ``most`` times more."""
        group = self.param_groups[0]
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        old = [p.clone() for p in self._params]

        def at(t):
            value, g = self._at(old, t, direction, closure)
            return _Point(t, value, g, _scalar(g.dot(direction)))

        with numpy.errstate(all="ignore"):
            return _strong_wolfe(at, start, length, float(direction.abs().max()), group["tolerance_change"], most)


def _scalar(x):
    """A tensor of one element as a number of its precision: computing with it gives infinities and NaN where Python's floats raise."""
    return (numpy.float64 if x.dtype is torch.float64 else numpy.float32)(float(x))


def _remember(state, change, step, most):
    """Adds a change of the gradient and the step that made it to the history, if the curvature along it is positive."""
    curvature = change.dot(step)
    if bool(curvature > 1e-10):
        if len(state["old_dirs"]) == most:
            for name in ("old_dirs", "old_stps", "ro"):
                state[name].pop(0)
        state["old_dirs"].append(change)
        state["old_stps"].append(step)
        state["ro"].append(1.0 / curvature)
        state["H_diag"] = curvature / change.dot(change)


def _newton(state, grad, most):
    """The direction of descent by the two loops over the history."""
    changes, steps, inverse = state["old_dirs"], state["old_stps"], state["ro"]
    shares = state.setdefault("al", [None] * most)
    q = -grad
    for i in reversed(range(len(changes))):
        shares[i] = steps[i].dot(q) * inverse[i]
        q = q - shares[i] * changes[i]
    q = q * state["H_diag"]
    for i in range(len(changes)):
        q = q + (shares[i] - changes[i].dot(q) * inverse[i]) * steps[i]
    return q


# ---- the line search (Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6)

_Point = namedtuple("_Point", "t f g slope")  # how far, the loss there, its gradient, and the slope along the direction


def _cubic(a, b, bounds=None):
    """Where the cubic through two points with their slopes is least, within bounds, by default between the points."""
    low, high = bounds if bounds is not None else (min(a.t, b.t), max(a.t, b.t))
    mean = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = mean**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    if a.t > b.t:
        a, b = b, a
    root = numpy.sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + root - mean) / (b.slope - a.slope + 2 * root))
    return min(max(t, low), high)


def _strong_wolfe(at, start, t, size, tolerance_change, most, c1=1e-4, c2=0.9):
    """A point on the line that fulfils the strong Wolfe conditions, and how many points were evaluated.

    Parameters: ``at(t)``: the point at a distance; ``start``: that at zero; ``t``: the first distance to try; ``size``: the largest element
    of the direction; ``most``: how many points are tried after the first.
    """

    def too_high(point):
        return point.f > start.f + c1 * point.t * start.slope

    def flat(point):
        return abs(point.slope) <= -c2 * start.slope

    before, point = start, at(t)
    used, tries = 1, 0
    bracket = None
    while tries < most:
        if too_high(point) or (tries > 1 and point.f >= before.f):
            bracket = [before, point]
            break
        if flat(point):
            return point, used
        if point.slope >= 0:
            bracket = [before, point]
            break
        t = _cubic(before, point, (point.t + 0.01 * (point.t - before.t), point.t * 10))
        before, point = point, at(t)
        used += 1
        tries += 1
    if bracket is None:
        bracket = [start, point]

    # what is between the two is narrowed until it holds no more than one point
    low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
    stuck = False
    while tries < most:
        left, right = sorted(p.t for p in bracket)
        if (right - left) * size < tolerance_change:
            break
        t = _cubic(*bracket)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # too near an end: moved away the second time, or at the end itself
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        point = at(t)
        used += 1
        tries += 1
        if too_high(point) or point.f >= bracket[low].f:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
            continue
        if flat(point):
            return point, used
        if point.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
    return bracket[low], used

"""Conjugate gradients on GPUArrays, with a preconditioner (Hestenes and Stiefel, 1952).

Steps are recorded; the residual is read every few of them, so that the device does not wait for the host.
"""

import math

from quern import arrays as _arrays
from quern.pycuda import driver, gpuarray
from quern.pycuda._array import plain
from quern.pycuda.sparse.inner import AsyncInnerProduct
from quern.pycuda.sparse.operator import IdentityOperator

_LOOK_EVERY = 8  # steps between two reads of the residual
_RENEW_EVERY = 56  # steps between two residuals computed anew, against rounding


def _ratio(a, b):
    """a / b on the device, and 0 where b is 0: the residual is exactly zero then, and further steps change nothing."""
    a, b = plain(a), plain(b)
    return gpuarray.as_gpu(_arrays.where(b == 0, 0, a / _arrays.where(b == 0, 1, b)))


class ConvergenceError(RuntimeError):
    """The steps that were allowed did not suffice."""


class CGStateContainer:
    """The state of conjugate gradients for one symmetric, positive definite operator.

    Parameters: ``operator`` and ``precon``, which approximates its inverse: with dtype and shape, called with a vector.
    reset() sets the right side, run() or one_iteration() go on from there; ``x`` is the solution so far.
    """

    def __init__(self, operator, precon=None, pagelocked_allocator=driver.pagelocked_empty):
        self.operator = operator
        self.precon = IdentityOperator(operator.dtype, operator.shape[0]) if precon is None else precon
        self.pagelocked_allocator = pagelocked_allocator or driver.pagelocked_empty

    def reset(self, rhs, x=None):
        """Starts anew with the right side ``rhs`` (n,), at ``x`` or zero."""
        self.rhs = rhs
        self.x = gpuarray.zeros((self.operator.shape[0],), self.operator.dtype) if x is None else x.copy()
        self.residual = rhs - self.operator(self.x)
        self.d = self.precon(self.residual)
        self.delta = gpuarray.dot(self.residual, self.d)

    def one_iteration(self, compute_real_residual=False):
        """One step; gives residual . precon(residual) after it, an array on the device.

        ``compute_real_residual``: from the right side, not from the last residual.
        """
        q = self.operator(self.d)
        alpha = _ratio(self.delta, gpuarray.dot(self.d, q))
        self.x = self.x + self.d * alpha
        self.residual = self.rhs - self.operator(self.x) if compute_real_residual else self.residual - q * alpha
        s = self.precon(self.residual)
        before, self.delta = self.delta, gpuarray.dot(self.residual, s)
        self.d = s + self.d * _ratio(self.delta, before)
        return self.delta

    def run(self, max_iterations=None, tol=1e-7, debug_callback=None):
        """Steps until the residual's norm (of the preconditioner) is below ``tol`` times the first one; gives the solution.

        ``max_iterations``: by default three times the unknowns and at least 500. ``debug_callback(what, steps, norm)`` is called with "it"
        each time the residual is read, and with "end" at the end. Raises ConvergenceError.
        """
        most = max(3 * self.operator.shape[0] + 1, 500) if max_iterations is None else max_iterations
        tell = debug_callback or (lambda what, steps, norm: None)
        first = math.sqrt(abs(self.delta.get()))
        steps, norm = 0, first
        while norm > tol * first:
            if steps >= most:
                raise ConvergenceError(f"[cg] no convergence after {steps} steps: the residual's norm is {norm:.3g}, not {tol * first:.3g}")
            for _ in range(min(_LOOK_EVERY, most - steps)):
                steps += 1
                self.one_iteration(compute_real_residual=steps % _RENEW_EVERY == 0)
            norm = self._norm()
            if not math.isfinite(norm):
                raise ConvergenceError(f"[cg] the residual is {norm} after {steps} steps: is the operator symmetric, positive definite?")
            tell("it", steps, norm)
        tell("end", steps, norm)
        return self.x

    def _norm(self):
        product = AsyncInnerProduct(self.residual, self.precon(self.residual), self.pagelocked_allocator)
        found = product.get_host_result()
        return math.sqrt(abs(product.gpu_result.get() if found is None else found))


def solve_pkt_with_cg(
    pkt_spmv, b, precon=None, x=None, tol=1e-7, max_iterations=None, debug=False, pagelocked_allocator=driver.pagelocked_empty
):
    """Solves A x = b for a PacketedSpMV; returns (x, steps, reads of the residual).

    Parameters: ``b`` and the first guess ``x``, GPUArrays (n,); the rest as CGStateContainer's and its run()'s. ``debug`` prints the
    residuals. Raises ConvergenceError.
    """
    counts = {"it": 0, "looks": 0}

    def count(what, steps, norm):
        counts["it"] = steps
        counts["looks"] += what == "it"
        if debug:
            print(f"{what} {steps}: {norm:.6g}")

    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator)
    state.reset(pkt_spmv.permute(b), None if x is None else pkt_spmv.permute(x))
    found = state.run(max_iterations, tol, count)
    return pkt_spmv.unpermute(found), counts["it"], counts["looks"]

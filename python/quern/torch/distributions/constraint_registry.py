"""Which transform maps unconstrained numbers to a constraint: ``biject_to`` a bijection, ``transform_to`` any that is good to optimize."""

from quern.torch.distributions import constraints, transforms
from quern.torch.distributions.utils import is_number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Table of transforms by constraint.

    Examples
    --------
    >>> from quern import torch
    >>> constraints = torch.distributions.constraints
    >>> torch.distributions.transform_to(constraints.simplex)
    SoftmaxTransform()
    """

    def __init__(self):
        self._registry = {}

    def register(self, constraint, factory=None):
        """Register a function that makes the transform of a constraint.

        Parameters
        ----------
        constraint : Constraint or type
            Constraint, or the class of constraints.
        factory : callable, optional
            Function of the constraint that returns a transform. Without it, the result is a decorator.

        Returns
        -------
        callable
            The function, or a decorator of one.

        Raises
        ------
        TypeError
            For another `constraint`.

        Examples
        --------
        >>> from quern import torch
        >>> registry = torch.distributions.constraint_registry.ConstraintRegistry()
        >>> constraint = torch.distributions.constraints.real
        >>> _ = registry.register(constraint, lambda constraint: torch.distributions.identity_transform)
        >>> registry(constraint)(torch.tensor(1.0))
        tensor(1.)
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        """Return the transform of a constraint."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds):
    """Registers a function of a constraint and a registry for both registries."""

    def register(function):
        for kind in kinds:
            for registry in (biject_to, transform_to):
                registry.register(kind, lambda constraint, registry=registry: function(constraint, registry))
        return function

    return register


@_both(constraints.real)
def _of_real(constraint, registry):
    return transforms.identity_transform


@_both(constraints.independent)
def _of_independent(constraint, registry):
    return transforms.IndependentTransform(registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims)


@_both(constraints.positive, constraints.nonnegative)  # classes: all lower bounds
def _of_lower_bound(constraint, registry):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


@_both(constraints.less_than)
def _of_upper_bound(constraint, registry):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


@_both(constraints.interval, constraints.half_open_interval)
def _of_interval(constraint, registry):
    low, high = constraint.lower_bound, constraint.upper_bound
    if is_number(low) and low == 0 and is_number(high) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@biject_to.register(constraints.simplex)
def _bijection_of_simplex(constraint):
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _of_simplex(constraint):
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _of_lower_cholesky(constraint):
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _of_positive_definite(constraint):
    return transforms.PositiveDefiniteTransform()


@_both(constraints.corr_cholesky)
def _of_corr_cholesky(constraint, registry):
    return transforms.CorrCholeskyTransform()


@_both(constraints.cat)
def _of_cat(constraint, registry):
    return transforms.CatTransform([registry(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@_both(constraints.stack)
def _of_stack(constraint, registry):
    return transforms.StackTransform([registry(c) for c in constraint.cseq], constraint.dim)

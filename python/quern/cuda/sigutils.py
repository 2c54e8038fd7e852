"""numba.core.sigutils: signatures as programs write them."""

from quern.kernel import signatures, types


def is_signature(sig):
    """May it be a signature: a text, a tuple of types or a Signature?"""
    return isinstance(sig, (str, tuple, types.Signature))


def normalize_signature(sig):
    """(the arguments' types, the type of what is returned or None) of a signature. Raises TypeError for what is none."""
    if not is_signature(sig):
        raise TypeError(f"invalid signature: {sig!r} (type: {type(sig).__name__!r}); it is a text, a tuple of types or a Signature")
    if isinstance(sig, tuple):
        wrong = next((t for t in sig if not isinstance(t, types.Type)), None)
        if wrong is not None:
            raise TypeError(f"invalid type in signature: expected a type instance, got {wrong!r}")
    if isinstance(sig, str) and "(" not in sig:
        raise TypeError(f"invalid signature: {sig!r} is a type; write 'void({sig})' or '({sig},)'")
    made = sig if isinstance(sig, types.Signature) else signatures.parsed(sig)
    return made.args, made.return_type


__all__ = ["is_signature", "normalize_signature"]

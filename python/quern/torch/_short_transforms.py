"""Short-time Fourier transforms: the arguments of torch.stft and torch.istft, for the engine's transforms of frames."""

from quern.lib import _engine
from quern.torch._arguments import checked
from quern.torch._core import add_methods
from quern.torch._faces import FACES
from quern.torch._shaping import view_as_real

__all__ = ["istft", "stft"]

_pad = _engine.functions_of("torch", "quern.torch.nn.functional", binds=False, submodule="nn.functional")["pad"]


def _window_of(caller, window, win_length, n_fft, like):
    """The window in the middle of a frame, by default ones."""
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{caller}: expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and (window.dim() != 1 or window.shape[0] != win_length):
        raise RuntimeError(
            f"{caller}: expected a 1D window tensor of size equal to win_length={win_length}, but got window with size {list(window.shape)}"
        )
    if window is None:
        window = FACES["ones"](win_length, dtype=like, device=None)
    before = (n_fft - win_length) // 2
    return _pad(window, (before, n_fft - win_length - before))


def _check_steps(caller, n_fft, hop_length):
    if n_fft <= 0:
        raise RuntimeError(f"{caller}: expected n_fft > 0, but got n_fft={n_fft}")
    if hop_length <= 0:
        raise RuntimeError(f"{caller}: expected hop_length > 0, but got hop_length={hop_length}")


@checked
def stft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False, onesided=None,
    return_complex=None, align_to_window=None,
):  # fmt: skip
    """Return the short-time Fourier transform: the spectra of overlapping frames of a signal.

    Parameters
    ----------
    input : Tensor
        Signal of shape (L), or signals of shape (B, L).
    n_fft : int
        Samples of a frame.
    hop_length : int, optional
        Samples between the beginnings of frames; None is ``n_fft // 4``.
    win_length : int, optional
        Samples of the window, in the middle of a frame; None is `n_fft`.
    window : Tensor, optional
        Window, of shape (win_length); None is ones.
    center : bool, optional
        Whether the signal is padded by half a frame at both ends.
    pad_mode : str, optional
        Mode of :func:`torch.nn.functional.pad`.
    normalized : bool, optional
        Whether the result is divided by ``sqrt(n_fft)``.
    onesided : bool, optional
        Whether the bins that follow from others are left out; None: for real numbers.
    return_complex : bool, optional
        Whether the result is complex; False: it has real and imaginary parts along a last dimension.
    align_to_window : bool, optional
        Not supported.

    Returns
    -------
    Tensor
        Spectra of shape (bins, frames) or (B, bins, frames).

    Raises
    ------
    RuntimeError
        For sizes that do not fit, or real numbers without `return_complex`.
    NotImplementedError
        For `align_to_window`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.stft(torch.ones(8), 4, window=torch.hann_window(4), return_complex=True).shape
    torch.Size([3, 9])
    """
    if align_to_window is not None:
        raise NotImplementedError("[stft] align_to_window is not supported; leave it out")
    hop_length = n_fft // 4 if hop_length is None else hop_length
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None:
        if not is_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True"
                " in a future PyTorch release."
            )
        return_complex = True
    if input.dim() not in (1, 2):
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, but got a tensor of {input.dim()} dimensions")
    _check_steps("stft", n_fft, hop_length)
    window = _window_of("stft", window, n_fft if win_length is None else win_length, n_fft, input.real.dtype if is_complex else input.dtype)
    signal = input if input.dim() == 2 else input[None]
    if center:
        signal = _pad(signal[None], (n_fft // 2, n_fft // 2), pad_mode)[0]
    if n_fft > signal.shape[-1]:
        raise RuntimeError(f"stft: expected 0 < n_fft < {signal.shape[-1]}, but got n_fft={n_fft}")
    onesided = not is_complex if onesided is None else onesided
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    made = FACES["_spectra_of_frames"](signal, n_fft, hop_length, window.to(signal.device), onesided).mT
    made = made * n_fft**-0.5 if normalized else made
    made = made if input.dim() == 2 else made[0]
    return made if return_complex else view_as_real(made)


@checked
def istft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None,
    return_complex=False,
):  # fmt: skip
    """Return the signal of a short-time Fourier transform, with the least squared error.

    Parameters
    ----------
    input : Tensor
        Spectra of shape (bins, frames) or (B, bins, frames), complex.
    n_fft : int
        Samples of a frame.
    hop_length : int, optional
        Samples between the beginnings of frames; None is ``n_fft // 4``.
    win_length : int, optional
        Samples of the window, in the middle of a frame; None is `n_fft`.
    window : Tensor, optional
        Window, of shape (win_length); None is ones.
    center : bool, optional
        Whether the signal was padded by half a frame at both ends.
    normalized : bool, optional
        Whether the spectra were divided by ``sqrt(n_fft)``.
    onesided : bool, optional
        Whether the bins that follow from others are left out; None: where the bins are fewer than `n_fft`.
    length : int, optional
        Samples of the result; None is all.
    return_complex : bool, optional
        Whether the signal is complex.

    Returns
    -------
    Tensor
        Signals of shape (L) or (B, L).

    Raises
    ------
    RuntimeError
        For sizes that do not fit, or windows whose sum is 0 at a sample.

    Examples
    --------
    >>> from quern import torch
    >>> window = torch.hann_window(4)
    >>> spectra = torch.stft(torch.arange(8.0), 4, window=window, return_complex=True)
    >>> torch.istft(spectra, 4, window=window, length=8)
    tensor([0.0000, 1.0000, 2.0000, 3.0000, 4.0000, 5.0000, 6.0000, 7.0000])
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if input.dim() not in (2, 3):
        raise RuntimeError(f"istft: expected a tensor with 2 or 3 dimensions, but got {input.dim()}")
    _check_steps("istft", n_fft, hop_length)
    bins, frames = input.shape[-2:]
    onesided = bins != n_fft if onesided is None else onesided
    if bins != (n_fft // 2 + 1 if onesided else n_fft):
        raise RuntimeError(
            f"istft: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft"
            f"{' / 2 + 1' if onesided else ''} when onesided={onesided}, but got {bins}"
        )
    if onesided and return_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    window = _window_of("istft", window, n_fft if win_length is None else win_length, n_fft, input.real.dtype)
    spectra = (input * n_fft**0.5 if normalized else input).mT
    signal, weights = FACES["_samples_of_spectra"](spectra, n_fft, hop_length, window.to(input.device), onesided)
    total = n_fft + hop_length * (frames - 1)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    signal, weights = signal[..., start : min(end, total)], weights[start : min(end, total)]
    if not bool((weights.abs() > 1e-11).all()):
        raise RuntimeError(f"istft: window overlap add min: {weights.abs().min().item()}; use a window whose squares add up above 0")
    if end > total:
        signal = _pad(signal, (0, end - total))
    return signal if return_complex or onesided else signal.real


add_methods(__name__, "stft istft")

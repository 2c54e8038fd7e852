"""The faces of Fourier transforms. How to read and write these files stands in tools/faces.py."""

@submodule("fft")
class fft:
    """Return the discrete Fourier transform along ``axis``.

    Parameters: ``n``: the length, longer operands are truncated, shorter ones padded with zeros; ``norm``: "backward" (no factor here,
    1/n in the inverse), "ortho" (1/sqrt(n) in both) or "forward" (1/n here).
    Returns complex numbers, of single precision for operands of single or half precision. The CPU runs an FFT of quern, a GPU cuFFT.
    Raises ValueError for a length below 1 or an unknown ``norm``, AxisError for an axis out of range.

    >>> fft([1.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1., 1.])

    >>> torch.fft.fft(torch.tensor([1, 1j, -1, -1j])).real
    tensor([0., 4., 0., 0.])
    """

    def numpy(a, n=None, axis=-1, norm=None, out=None): ...
    def cupy(a, n=None, axis=-1, norm=None): ...
    def torch(input: array, n: integer = None, dim: integer = -1, norm=None, *, out=None): ...

@submodule("fft")
class ifft:
    """Return the inverse of :func:`fft`, along ``axis``.

    >>> ifft([4.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1., 1.])

    >>> torch.fft.ifft(torch.tensor([4.0, 0.0, 0.0, 0.0])).real
    tensor([1., 1., 1., 1.])
    """

    def numpy(a, n=None, axis=-1, norm=None, out=None): ...
    def cupy(a, n=None, axis=-1, norm=None): ...
    def torch(input: array, n: integer = None, dim: integer = -1, norm=None, *, out=None): ...

@submodule("fft")
class rfft:
    """Return the transform of real numbers along ``axis``: the first n // 2 + 1 elements of :func:`fft`, which determine the others.

    Raises TypeError for complex numbers.

    >>> rfft([1.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1.])

    >>> torch.fft.rfft(torch.tensor([0.0, 1.0, 0.0, 0.0]))
    tensor([ 1.+0.j,  0.-1.j, -1.+0.j])
    """

    def numpy(a, n=None, axis=-1, norm=None, out=None): ...
    def cupy(a, n=None, axis=-1, norm=None): ...
    def torch(input: array, n: integer = None, dim: integer = -1, norm=None, *, out=None): ...

@submodule("fft")
class irfft:
    """Return the inverse of :func:`rfft`: ``n`` real numbers along ``axis``, by default 2 * (m - 1) of m.

    >>> irfft([1.0, 1.0, 1.0])
    array([1., 0., 0., 0.])

    >>> torch.fft.irfft(torch.tensor([4.0, 0.0, 4.0]))
    tensor([2., 0., 2., 0.])
    """

    def numpy(a, n=None, axis=-1, norm=None, out=None): ...
    def cupy(a, n=None, axis=-1, norm=None): ...
    def torch(input: array, n: integer = None, dim: integer = -1, norm=None, *, out=None): ...

@submodule("fft")
class hfft:
    """Return the transform of a signal with Hermitian symmetry, given by its first half: ``n`` real numbers along ``axis``.

    >>> hfft([1.0, 0.0, 0.0])
    array([1., 1., 1., 1.])

    >>> torch.fft.hfft(torch.tensor([1.0, 2.0, 3.0]))
    tensor([ 8., -2.,  0., -2.])
    """

    def numpy(a, n=None, axis=-1, norm=None, out=None): ...
    def cupy(a, n=None, axis=-1, norm=None): ...
    def torch(input: array, n: integer = None, dim: integer = -1, norm=None, *, out=None): ...

@submodule("fft")
class ihfft:
    """Return the inverse of :func:`hfft`: the first half of the signal, along ``axis``. Raises TypeError for complex numbers.

    >>> ihfft([1.0, 1.0, 1.0, 1.0]).real
    array([1., 0., 0.])

    >>> torch.fft.ihfft(torch.tensor([1.0, 2.0, 3.0, 2.0])).real
    tensor([ 2.0000, -0.5000,  0.0000])
    """

    def numpy(a, n=None, axis=-1, norm=None, out=None): ...
    def cupy(a, n=None, axis=-1, norm=None): ...
    def torch(input: array, n: integer = None, dim: integer = -1, norm=None, *, out=None): ...

@submodule("fft")
class fftn:
    """Return the discrete Fourier transform along several axes.

    By default, ``fftn`` transforms along all axes and ``fft2`` along the last two.

    Parameters: ``n``: the lengths, of the last axes where no axes are given, -1 for an axis' own. The other parameters are those
    of :func:`fft`.

    >>> fftn([[1.0, 0.0], [0.0, 0.0]]).real
    array([[1., 1.],
           [1., 1.]])
    >>> fft2([[1.0, 2.0], [3.0, 4.0]]).real
    array([[10., -2.],
           [-4.,  0.]])

    >>> torch.fft.fft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).real
    tensor([[10., -2.],
            [-4.,  0.]])
    """

    def numpy(a, s=None, axes=None, norm=None, out=None): ...
    @named("fft2")
    def numpy(a, s=None, axes=(-2, -1), norm=None, out=None): ...
    def cupy(a, s=None, axes=None, norm=None): ...
    @named("fft2")
    def cupy(a, s=None, axes=(-2, -1), norm=None): ...
    def torch(input: array, s=None, dim=None, norm=None, *, out=None): ...
    @named("fft2")
    def torch(input: array, s=None, dim=(-2, -1), norm=None, *, out=None): ...

@submodule("fft")
class ifftn:
    """Return the inverse of :func:`fftn`.

    >>> ifftn([[4.0, 0.0], [0.0, 0.0]]).real
    array([[1., 1.],
           [1., 1.]])
    >>> ifft2([[10.0, -2.0], [-4.0, 0.0]]).real
    array([[1., 2.],
           [3., 4.]])

    >>> torch.fft.ifft2(torch.tensor([[10.0, -2.0], [-4.0, 0.0]])).real
    tensor([[1., 2.],
            [3., 4.]])
    """

    def numpy(a, s=None, axes=None, norm=None, out=None): ...
    @named("ifft2")
    def numpy(a, s=None, axes=(-2, -1), norm=None, out=None): ...
    def cupy(a, s=None, axes=None, norm=None): ...
    @named("ifft2")
    def cupy(a, s=None, axes=(-2, -1), norm=None): ...
    def torch(input: array, s=None, dim=None, norm=None, *, out=None): ...
    @named("ifft2")
    def torch(input: array, s=None, dim=(-2, -1), norm=None, *, out=None): ...

@submodule("fft")
class rfftn:
    """Return the transform of real numbers along several axes: :func:`rfft` along the last of them, :func:`fft` along the others.

    >>> rfftn([[1.0, 0.0], [0.0, 0.0]]).real
    array([[1., 1.],
           [1., 1.]])
    >>> rfft2([[1.0, 2.0], [3.0, 4.0]]).real
    array([[10., -2.],
           [-4.,  0.]])

    >>> torch.fft.rfft2(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).real
    tensor([[10., -2.],
            [-4.,  0.]])
    """

    def numpy(a, s=None, axes=None, norm=None, out=None): ...
    @named("rfft2")
    def numpy(a, s=None, axes=(-2, -1), norm=None, out=None): ...
    def cupy(a, s=None, axes=None, norm=None): ...
    @named("rfft2")
    def cupy(a, s=None, axes=(-2, -1), norm=None): ...
    def torch(input: array, s=None, dim=None, norm=None, *, out=None): ...
    @named("rfft2")
    def torch(input: array, s=None, dim=(-2, -1), norm=None, *, out=None): ...

@submodule("fft")
class irfftn:
    """Return the inverse of :func:`rfftn`: real numbers, along the last axis by default 2 * (m - 1) of m.

    >>> irfftn([[1.0, 1.0], [1.0, 1.0]])
    array([[1., 0.],
           [0., 0.]])
    >>> irfft2([[10.0, -2.0], [-4.0, 0.0]])
    array([[1., 2.],
           [3., 4.]])

    >>> torch.fft.irfft2(torch.tensor([[10.0, -2.0], [-4.0, 0.0]]))
    tensor([[1., 2.],
            [3., 4.]])
    """

    def numpy(a, s=None, axes=None, norm=None, out=None): ...
    @named("irfft2")
    def numpy(a, s=None, axes=(-2, -1), norm=None, out=None): ...
    def cupy(a, s=None, axes=None, norm=None): ...
    @named("irfft2")
    def cupy(a, s=None, axes=(-2, -1), norm=None): ...
    def torch(input: array, s=None, dim=None, norm=None, *, out=None): ...
    @named("irfft2")
    def torch(input: array, s=None, dim=(-2, -1), norm=None, *, out=None): ...

@submodule("fft")
class hfftn:
    """Return the transform of a signal with Hermitian symmetry along several dimensions, given by the first half of the last one.

    >>> torch.fft.hfftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10., -2.],
            [-4.,  0.]])
    """

    def torch(input: array, s=None, dim=None, norm=None, *, out=None): ...
    @named("hfft2")
    def torch(input: array, s=None, dim=(-2, -1), norm=None, *, out=None): ...

@submodule("fft")
class ihfftn:
    """Return the inverse of :func:`hfftn`.

    >>> torch.fft.ihfftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).real
    tensor([[ 2.5000, -0.5000],
            [-1.0000,  0.0000]])
    """

    def torch(input: array, s=None, dim=None, norm=None, *, out=None): ...
    @named("ihfft2")
    def torch(input: array, s=None, dim=(-2, -1), norm=None, *, out=None): ...

@submodule("fft")
class fftshift:
    """Move frequency 0 to the middle, along all axes or ``axis`` alone.

    >>> fftshift([0, 1, 2, -2, -1])
    array([-2, -1,  0,  1,  2])

    >>> torch.fft.fftshift(torch.tensor([0, 1, 2, -2, -1]))
    tensor([-2, -1,  0,  1,  2])
    """

    def numpy(x, axes=None): ...
    cupy = numpy
    def torch(input: array, dim=None): ...

@submodule("fft")
class ifftshift:
    """Return the inverse of :func:`fftshift`.

    >>> ifftshift([-1, 0, 1])
    array([ 0,  1, -1])

    >>> torch.fft.ifftshift(torch.tensor([-2, -1, 0, 1, 2]))
    tensor([ 0,  1,  2, -2, -1])
    """

    def numpy(x, axes=None): ...
    cupy = numpy
    def torch(input: array, dim=None): ...

@submodule("fft")
class fftfreq:
    """Return the frequencies of the elements of :func:`fft` of ``n`` samples that are ``d`` apart. Raises ValueError
    (torch: TypeError) for an ``n`` that is not an integer.

    >>> fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])

    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """

    def numpy(n, d=1.0, device=None): ...
    def cupy(n, d=1.0): ...
    def torch(
        n: integer, d: number = 1.0, *, out=None, dtype=None, layout: ignored = None, device=None, requires_grad: boolean = False
    ): ...

@submodule("fft")
class rfftfreq:
    """Return the frequencies of the elements of :func:`rfft` of ``n`` samples that are ``d`` apart.

    >>> rfftfreq(4)
    array([0.  , 0.25, 0.5 ])

    >>> torch.fft.rfftfreq(4, d=0.5)
    tensor([0.0000, 0.5000, 1.0000])
    """

    def numpy(n, d=1.0, device=None): ...
    def cupy(n, d=1.0): ...
    def torch(
        n: integer, d: number = 1.0, *, out=None, dtype=None, layout: ignored = None, device=None, requires_grad: boolean = False
    ): ...

@submodule("math")
class fft_of_parts:
    """Return the Fourier transform along the last axis of a pair (real, imaginary), as such a pair.

    >>> real, imaginary = keras.ops.fft((keras.ops.array([0.0, 1.0, 0.0, 0.0]), keras.ops.zeros(4)))
    >>> real
    array([ 1.,  0., -1.,  0.], dtype=float32)
    >>> imaginary
    array([ 0., -1.,  0.,  1.], dtype=float32)
    """

    @named("fft")
    def keras(x): ...

@submodule("math")
class fft2_of_parts:
    """Return the Fourier transform along the last two axes of a pair (real, imaginary), as such a pair.

    >>> real, imaginary = keras.ops.fft2((keras.ops.array([[1.0, 2.0], [3.0, 4.0]]), keras.ops.zeros((2, 2))))
    >>> real
    array([[10., -2.],
           [-4.,  0.]], dtype=float32)
    """

    @named("fft2")
    def keras(x): ...

@submodule("math")
class ifft2_of_parts:
    """Return the inverse of :func:`fft2`.

    >>> real, imaginary = keras.ops.ifft2((keras.ops.array([[10.0, -2.0], [-4.0, 0.0]]), keras.ops.zeros((2, 2))))
    >>> real
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """

    @named("ifft2")
    def keras(x): ...

@submodule("math")
class rfft_in_parts:
    """Return the Fourier transform of real numbers along the last axis, of a length ``n``, as a pair (real, imaginary).

    >>> real, imaginary = keras.ops.rfft(keras.ops.array([0.0, 1.0, 0.0, 0.0]))
    >>> real
    array([ 1.,  0., -1.], dtype=float32)
    >>> imaginary
    array([ 0., -1.,  0.], dtype=float32)
    """

    @named("rfft")
    def keras(x, fft_length=None): ...

@submodule("math")
class irfft_of_parts:
    """Return the inverse of :func:`rfft`.

    >>> keras.ops.irfft((keras.ops.array([1.0, 0.0, -1.0]), keras.ops.array([0.0, -1.0, 0.0])))
    array([0., 1., 0., 0.], dtype=float32)
    """

    @named("irfft")
    def keras(x, fft_length=None): ...

@submodule("math")
class stft_in_parts:
    """Return the :func:`rfft` of pieces of a sequence along the last axis, each under a window: a pair (real, imaginary).

    ``window``: "hann", "hamming", values, or None for ones; ``center``: the sequence is reflected at its ends, so that pieces are
    around their places.

    >>> real, imaginary = keras.ops.stft(keras.ops.ones(8), 4, 2, 4, window=None, center=False)
    >>> real
    array([[4., 0., 0.],
           [4., 0., 0.],
           [4., 0., 0.]], dtype=float32)
    """

    @named("stft")
    def keras(x, sequence_length, sequence_stride, fft_length, window="hann", center=True): ...

@submodule("math")
class istft_of_parts:
    """Return the inverse of :func:`stft`, of ``length`` samples.

    >>> parts = keras.ops.stft(keras.ops.arange(1.0, 9.0), 4, 2, 4)
    >>> keras.ops.istft(parts, 4, 2, 4)
    array([1., 2., 3., 4., 5., 6., 7., 8.], dtype=float32)
    """

    @named("istft")
    def keras(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True): ...

class spectra_of_frames:
    """Return the Fourier transforms of frames of a signal, each under a window.

    Parameters: ``a``: signals, (..., L); ``length``: samples of a frame; ``hop``: samples between the beginnings of frames;
    ``window``: (length); ``onesided``: whether the bins that follow from others are left out.

    >>> torch._spectra_of_frames(torch.ones(4), 2, 2, torch.ones(2), True)
    tensor([[2.+0.j, 0.+0.j],
            [2.+0.j, 0.+0.j]])
    """

    @named("_spectra_of_frames")
    def torch(a: array, length: integer, hop: integer, window: array, onesided: boolean): ...

class samples_of_spectra:
    """Return the signals of spectra of frames, and the sums of squared windows at their samples.

    Parameters: ``a``: spectra, (..., F, bins); ``length``: samples of a frame; ``hop``: samples between the beginnings of frames;
    ``window``: (length); ``onesided``: whether the bins that follow from others are left out.

    >>> torch._samples_of_spectra(torch.tensor([[2 + 0j, 0]]), 2, 2, torch.ones(2), True)
    (tensor([1., 1.]), tensor([1., 1.]))
    """

    @named("_samples_of_spectra")
    def torch(a: array, length: integer, hop: integer, window: array, onesided: boolean): ...

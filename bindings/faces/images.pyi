"""The faces of functions of images, signals and volumes. How to read and write these files stands in tools/faces.py."""

@submodule("nn.functional")
class interpolate:
    """Return x, (N, C, L), (N, C, H, W) or (N, C, D, H, W), resized to ``size``, or to its sizes times ``scale_factor``.

    Elements are squares: without ``align_corners`` the corners of the first and the last one keep their places, with it their centers.

    >>> x = torch.tensor([[[[1.0, 3.0]]]])
    >>> torch.nn.functional.interpolate(x, scale_factor=(1, 2)).flatten()
    tensor([1., 1., 3., 3.])
    >>> torch.nn.functional.interpolate(x, size=(1, 4), mode="bilinear").flatten()
    tensor([1.0000, 1.5000, 2.5000, 3.0000])
    """

    def torch(
        input: array,
        size=None,
        scale_factor=None,
        mode="nearest",
        align_corners: boolean = None,
        recompute_scale_factor: boolean = None,
        antialias: boolean = False,
    ): ...

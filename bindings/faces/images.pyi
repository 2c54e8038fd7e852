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

@submodule("nn.functional")
class unfold:
    """Return each window of images, (N, C, H, W) or (C, H, W), as a column: (N, C * elements, windows).

    >>> torch.nn.functional.unfold(torch.arange(9.0).reshape(1, 1, 3, 3), 2)
    tensor([[[0., 1., 3., 4.],
             [1., 2., 4., 5.],
             [3., 4., 6., 7.],
             [4., 5., 7., 8.]]])
    """

    def torch(input: array, kernel_size, dilation=1, padding=0, stride=1): ...

@submodule("nn.functional")
class fold:
    """Return images in which columns, (N, C * elements, windows), are added at the places that unfold() takes them from.

    >>> torch.nn.functional.fold(torch.ones(1, 4, 4), (3, 3), 2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """

    def torch(input: array, output_size, kernel_size, dilation=1, padding=0, stride=1): ...

@submodule("nn.functional")
class max_unpool1d:
    """Return signals of zeros in which elements (N, C, L) or (C, L) stand at the places ``indices`` that max_pool1d() returned.

    ``output_size`` says which of the sizes that have so many windows the result has.

    >>> x = torch.arange(2.0).reshape(1, 1, 2)
    >>> torch.nn.functional.max_unpool1d(*torch.nn.functional.max_pool1d(x, 2, return_indices=True), 2).flatten()
    tensor([0., 1.])
    """

    def torch(input: array, indices: array, kernel_size, stride=None, padding=0, output_size=None): ...

@submodule("nn.functional")
class max_unpool2d:
    """Return images of zeros in which elements (N, C, H, W) or (C, H, W) stand at the places ``indices`` that max_pool2d() returned.

    ``output_size`` says which of the sizes that have so many windows the result has.

    >>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
    >>> torch.nn.functional.max_unpool2d(*torch.nn.functional.max_pool2d(x, 2, return_indices=True), 2).flatten()
    tensor([0., 0., 0., 3.])
    """

    def torch(input: array, indices: array, kernel_size, stride=None, padding=0, output_size=None): ...

@submodule("nn.functional")
class max_unpool3d:
    """Return volumes of zeros in which elements (N, C, D, H, W) or (C, D, H, W) stand at the places ``indices`` that max_pool3d() returned.

    ``output_size`` says which of the sizes that have so many windows the result has.

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
    >>> torch.nn.functional.max_unpool3d(*torch.nn.functional.max_pool3d(x, 2, return_indices=True), 2).flatten()
    tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """

    def torch(input: array, indices: array, kernel_size, stride=None, padding=0, output_size=None): ...

@submodule("nn.functional")
class lp_pool1d:
    """Return (sum of x ** p) ** (1 / p), where p is ``norm_type``, of each window of (N, C, L) or (C, L).

    >>> torch.nn.functional.lp_pool1d(torch.full((1, 1, 2), 2.0), 2, 2).flatten()
    tensor([2.8284])
    """

    def torch(input: array, norm_type: number, kernel_size, stride=None, ceil_mode: boolean = False): ...

@submodule("nn.functional")
class lp_pool2d:
    """Return (sum of x ** p) ** (1 / p), where p is ``norm_type``, of each window of (N, C, H, W) or (C, H, W).

    >>> torch.nn.functional.lp_pool2d(torch.full((1, 1, 2, 2), 2.0), 2, 2).flatten()
    tensor([4.0000])
    """

    def torch(input: array, norm_type: number, kernel_size, stride=None, ceil_mode: boolean = False): ...

@submodule("nn.functional")
class lp_pool3d:
    """Return (sum of x ** p) ** (1 / p), where p is ``norm_type``, of each window of (N, C, D, H, W) or (C, D, H, W).

    >>> torch.nn.functional.lp_pool3d(torch.full((1, 1, 2, 2, 2), 2.0), 2, 2).flatten()
    tensor([5.6569])
    """

    def torch(input: array, norm_type: number, kernel_size, stride=None, ceil_mode: boolean = False): ...

@submodule("nn.functional")
class fractional_max_pool2d:
    """Return the largest elements of windows of (N, C, H, W) or (C, H, W) that begin at random places, about evenly.

    There are ``output_size`` windows along each axis, or ``output_ratio`` times its size; with ``return_indices`` their places, too.

    >>> torch.nn.functional.fractional_max_pool2d(torch.ones(1, 1, 5, 5), 2, output_size=3).shape
    torch.Size([1, 1, 3, 3])
    """

    def torch(
        input: array,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices: boolean = False,
        _random_samples: array = None,
    ): ...

@submodule("nn.functional")
class fractional_max_pool2d_with_indices:
    """Return the largest elements of windows of (N, C, H, W) or (C, H, W) that begin at random places, and their places.

    There are ``output_size`` windows along each axis, or ``output_ratio`` times its size.

    >>> torch.nn.functional.fractional_max_pool2d_with_indices(torch.ones(1, 1, 5, 5), 2, output_size=3)[1].shape
    torch.Size([1, 1, 3, 3])
    """

    def torch(
        input: array,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices: ignored = False,
        _random_samples: array = None,
    ): ...

@submodule("nn.functional")
class fractional_max_pool3d:
    """Return the largest elements of windows of (N, C, D, H, W) or (C, D, H, W) that begin at random places, about evenly.

    There are ``output_size`` windows along each axis, or ``output_ratio`` times its size; with ``return_indices`` their places, too.

    >>> torch.nn.functional.fractional_max_pool3d(torch.ones(1, 1, 5, 5, 5), 2, output_size=3).shape
    torch.Size([1, 1, 3, 3, 3])
    """

    def torch(
        input: array,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices: boolean = False,
        _random_samples: array = None,
    ): ...

@submodule("nn.functional")
class fractional_max_pool3d_with_indices:
    """Return the largest elements of windows of (N, C, D, H, W) or (C, D, H, W) that begin at random places, and their places.

    There are ``output_size`` windows along each axis, or ``output_ratio`` times its size.

    >>> torch.nn.functional.fractional_max_pool3d_with_indices(torch.ones(1, 1, 5, 5, 5), 2, output_size=3)[1].shape
    torch.Size([1, 1, 3, 3, 3])
    """

    def torch(
        input: array,
        kernel_size,
        output_size=None,
        output_ratio=None,
        return_indices: ignored = False,
        _random_samples: array = None,
    ): ...

class max_pool1d_with_indices:
    """Return the largest element in each window of (N, C, L) or (C, L), and its place in the plane.

    ``stride`` is by default the windows' size. ``ceil_mode``: windows that end beyond the border count, too.

    >>> torch.nn.functional.max_pool1d_with_indices(torch.ones(1, 1, 4), 2)[1].shape
    torch.Size([1, 1, 2])
    """

    @submodule("nn.functional")
    def torch(
        input: array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: boolean = False, return_indices: ignored = False
    ): ...
    def torch(input: array, kernel_size, stride=(), padding=0, dilation=1, ceil_mode: boolean = False): ...

class adaptive_max_pool1d_with_indices:
    """Return the largest elements of windows that cover (N, C, L) or (C, L) evenly, and their places in the plane.

    >>> torch.nn.functional.adaptive_max_pool1d_with_indices(torch.ones(1, 1, 4), 2)[1].shape
    torch.Size([1, 1, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size, return_indices: ignored = False): ...
    @named("adaptive_max_pool1d")
    def torch(input: array, output_size): ...

class max_pool2d_with_indices:
    """Return the largest element in each window of (N, C, H, W) or (C, H, W), and its place in the plane.

    ``stride`` is by default the windows' size. ``ceil_mode``: windows that end beyond the border count, too.

    >>> torch.nn.functional.max_pool2d_with_indices(torch.ones(1, 1, 4, 4), 2)[1].shape
    torch.Size([1, 1, 2, 2])
    """

    @submodule("nn.functional")
    def torch(
        input: array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: boolean = False, return_indices: ignored = False
    ): ...

class adaptive_max_pool2d_with_indices:
    """Return the largest elements of windows that cover (N, C, H, W) or (C, H, W) evenly, and their places in the plane.

    >>> torch.nn.functional.adaptive_max_pool2d_with_indices(torch.ones(1, 1, 4, 4), 2)[1].shape
    torch.Size([1, 1, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size, return_indices: ignored = False): ...

class max_pool3d_with_indices:
    """Return the largest element in each window of (N, C, D, H, W) or (C, D, H, W), and its place in the plane.

    ``stride`` is by default the windows' size. ``ceil_mode``: windows that end beyond the border count, too.

    >>> torch.nn.functional.max_pool3d_with_indices(torch.ones(1, 1, 4, 4, 4), 2)[1].shape
    torch.Size([1, 1, 2, 2, 2])
    """

    @submodule("nn.functional")
    def torch(
        input: array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: boolean = False, return_indices: ignored = False
    ): ...

class adaptive_max_pool3d_with_indices:
    """Return the largest elements of windows that cover (N, C, D, H, W) or (C, D, H, W) evenly, and their places in the plane.

    >>> torch.nn.functional.adaptive_max_pool3d_with_indices(torch.ones(1, 1, 4, 4, 4), 2)[1].shape
    torch.Size([1, 1, 2, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size, return_indices: ignored = False): ...

@submodule("nn.functional")
class grid_sample:
    """Return images (N, C, H, W), or volumes, at the places of ``grid``, (N, H', W', 2), between their elements.

    -1 and 1 are the outer corners of the image, or with ``align_corners`` the centers of its corner elements; x comes before y.

    >>> x, grid = torch.tensor([[[[1.0, 2.0], [3.0, 5.0]]]]), torch.tensor([[[[-1.0, -1.0], [0.0, 0.0], [0.0, 1.0]]]])
    >>> torch.nn.functional.grid_sample(x, grid, align_corners=True).flatten()
    tensor([1.0000, 2.7500, 4.0000])
    """

    def torch(input: array, grid: array, mode="bilinear", padding_mode="zeros", align_corners: boolean = None): ...

class grid_sampler:
    """Return images (N, C, H, W), or volumes, at the places of ``grid``, as nn.functional.grid_sample() does.

    ``interpolation_mode``: 0 is "bilinear", 1 "nearest", 2 "bicubic"; ``padding_mode``: 0 is "zeros", 1 "border", 2 "reflection".

    >>> torch.grid_sampler(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2), 0, 0, False).flatten()
    tensor([1.])
    """

    def torch(input: array, grid: array, interpolation_mode: integer, padding_mode: integer, align_corners: boolean): ...

class grid_sampler_2d:
    """Return images (N, C, H, W) at the places of ``grid``, as nn.functional.grid_sample() does.

    ``interpolation_mode``: 0 is "bilinear", 1 "nearest", 2 "bicubic"; ``padding_mode``: 0 is "zeros", 1 "border", 2 "reflection".

    >>> torch.grid_sampler_2d(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2), 0, 0, False).flatten()
    tensor([1.])
    """

    def torch(input: array, grid: array, interpolation_mode: integer, padding_mode: integer, align_corners: boolean): ...

class grid_sampler_3d:
    """Return volumes (N, C, D, H, W) at the places of ``grid``, as nn.functional.grid_sample() does.

    ``interpolation_mode``: 0 is "bilinear", 1 "nearest", 2 "bicubic"; ``padding_mode``: 0 is "zeros", 1 "border", 2 "reflection".

    >>> torch.grid_sampler_3d(torch.ones(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), 0, 0, False).flatten()
    tensor([1.])
    """

    def torch(input: array, grid: array, interpolation_mode: integer, padding_mode: integer, align_corners: boolean): ...

@submodule("nn.functional")
class affine_grid:
    """Return the grid of places, (N, H, W, 2), to which matrices ``theta``, (N, 2, 3), map the elements of images of this ``size``.

    Of volumes, (N, D, H, W, 3) by matrices (N, 3, 4). grid_sample() takes it.

    >>> torch.nn.functional.affine_grid(torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2), align_corners=False)
    tensor([[[[0., 0.],
              [1., 0.]]]])
    """

    def torch(theta: array, size: integers, align_corners: boolean = None): ...

class affine_grid_generator:
    """Return the grid of places to which matrices map the elements of images of this ``size``, as nn.functional.affine_grid() does.

    >>> torch.affine_grid_generator(torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2), False)
    tensor([[[[0., 0.],
              [1., 0.]]]])
    """

    def torch(theta: array, size: integers, align_corners: boolean): ...

@submodule("image")
class resize_images:
    """Return images, (H, W, C) or (N, H, W, C), or with the channels first, resized to ``size``.

    >>> images = keras.ops.reshape(keras.ops.arange(2, dtype="float32"), (1, 2, 1))
    >>> keras.ops.reshape(keras.ops.image.resize(images, (1, 4)), (4,))
    array([0.  , 0.25, 0.75, 1.  ], dtype=float32)
    """

    @named("resize")
    def keras(
        images,
        size: integers,
        interpolation="bilinear",
        antialias: boolean = False,
        crop_to_aspect_ratio: boolean = False,
        pad_to_aspect_ratio: boolean = False,
        fill_mode="constant",
        fill_value: number = 0.0,
        data_format=None,
    ): ...

@submodule("image")
class map_coordinates:
    """Return the elements of an array at ``coordinates``, a row for each axis, or means of their neighbours there.

    >>> keras.ops.image.map_coordinates(keras.ops.arange(4, dtype="float32"), keras.ops.array([[0.5, 2.25]]), 1)
    array([0.5 , 2.25], dtype=float32)
    """

    def keras(inputs, coordinates, order: integer, fill_mode="constant", fill_value: number = 0.0): ...

@submodule("image")
class affine_transform:
    """Return images whose pixels (x, y) come from (a0 x + a1 y + a2, b0 x + b1 y + b2), both divided by c0 x + c1 y + 1.

    >>> images = keras.ops.reshape(keras.ops.arange(3, dtype="float32"), (1, 3, 1))
    >>> moved = keras.ops.image.affine_transform(images, keras.ops.array([1.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0]))
    >>> keras.ops.reshape(moved, (3,))
    array([0.5, 1.5, 1. ], dtype=float32)
    """

    def keras(images, transform, interpolation="bilinear", fill_mode="constant", fill_value: number = 0, data_format=None): ...

@submodule("image")
class gaussian_blur:
    """Return images convolved with a bell curve of the standard deviations ``sigma``.

    >>> blurred = keras.ops.image.gaussian_blur(keras.ops.ones((1, 3, 1)), (3, 1), (1.0, 1.0))
    >>> keras.ops.reshape(blurred, (3,))
    array([0.72593147, 1.        , 0.72593147], dtype=float32)
    """

    def keras(images, kernel_size: integers = (3, 3), sigma=(1.0, 1.0), data_format=None): ...

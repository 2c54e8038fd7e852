"""torch.nn.functional: the functions that layers and losses are made of, with all they need as arguments."""

from quern.torch._arguments import check_all
from quern.torch._linalg import pdist  # noqa: F401
from quern.torch._more import channel_shuffle, pixel_shuffle, pixel_unshuffle  # noqa: F401
from quern.torch.nn._names import unserved
from quern.torch.nn.functional._activation import (  # noqa: F401
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    rrelu,
    rrelu_,
    selu,
    selu_,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)
from quern.torch.nn.functional._layer import (  # noqa: F401
    alpha_dropout,
    batch_norm,
    bilinear,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    embedding,
    embedding_bag,
    feature_alpha_dropout,
    group_norm,
    instance_norm,
    layer_norm,
    linear,
    local_response_norm,
    one_hot,
    pad,
    rms_norm,
    scaled_dot_product_attention,
)
from quern.torch.nn.functional._loss import (  # noqa: F401
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
)
from quern.torch.nn.functional._margin import (  # noqa: F401
    cosine_embedding_loss,
    cosine_similarity,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    normalize,
    pairwise_distance,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)

# What PyTorch's own kernels look at: of the others the first operation on what is no tensor tells.
check_all(
    globals(),
    """alpha_dropout batch_norm bilinear celu celu_ cosine_embedding_loss cosine_similarity cross_entropy dropout dropout1d
    dropout2d dropout3d elu elu_ feature_alpha_dropout gelu group_norm hardshrink hardsigmoid hardswish hardtanh hardtanh_
    hinge_embedding_loss kl_div layer_norm leaky_relu leaky_relu_ logsigmoid margin_ranking_loss mish multi_margin_loss
    multilabel_margin_loss nll_loss one_hot pad pairwise_distance poisson_nll_loss prelu relu6 relu_ rms_norm rrelu rrelu_
    scaled_dot_product_attention selu selu_ silu soft_margin_loss softplus softshrink threshold threshold_ triplet_margin_loss""".split(),
    tensors={
        "batch_norm": "weight bias",
        "bilinear": "input1 input2 weight bias",
        "cosine_embedding_loss": "input1 input2 target",
        "cross_entropy": "target weight",
        "group_norm": "weight bias",
        "hinge_embedding_loss": "target",
        "kl_div": "target",
        "layer_norm": "weight bias",
        "margin_ranking_loss": "input1 input2 target",
        "multi_margin_loss": "target weight",
        "multilabel_margin_loss": "target",
        "nll_loss": "target weight",
        "poisson_nll_loss": "target",
        "prelu": "weight",
        "rms_norm": "weight",
        "scaled_dot_product_attention": "key value attn_mask",
        "soft_margin_loss": "target",
        "triplet_margin_loss": "anchor positive negative",
    },
    told={"cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd", "logsigmoid": "log_sigmoid"},
)

__getattr__ = unserved(
    __name__,
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d
    adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid avg_pool1d avg_pool2d avg_pool3d
    conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d ctc_loss fold fractional_max_pool2d
    fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices grid_sample grouped_mm interpolate
    linear_cross_entropy lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
    max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d multi_head_attention_forward native_channel_shuffle
    scaled_grouped_mm scaled_mm unfold upsample upsample_bilinear upsample_nearest
    """,
)

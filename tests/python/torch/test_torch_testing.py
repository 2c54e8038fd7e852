"""torch.testing compared with PyTorch: what is close, and what the messages say."""

from torch_oracle import compare_all

HEAD = """
import importlib
testing = importlib.import_module(torch.__name__ + ".testing")
def said(actual, expected, **options):
    try:
        testing.assert_close(actual, expected, **options)
    except Exception as error:
        return type(error).__name__, str(error).replace("quern.torch", "torch").replace("_core.", "")
    return "close"
t, nan = torch.tensor, math.nan
"""
CASES = """
said(t([1., 2.]), t([1., 2.1])), said(t([1., 2.]), t([1., 2.000001])), said(t([1, 2]), t([1, 3])), said(t(1.), t(1.1)), said(t([True]), t([False]))
said([1., 2], [1., 3]), said({'a': torch.ones(2)}, {'a': torch.zeros(2)}), said((torch.ones(1), (torch.ones(1),)), (torch.ones(1), (torch.zeros(1),)))
said(torch.ones(2), torch.ones(3)), said(torch.ones(2), torch.ones(2).double()), said(torch.ones(2), torch.ones(2).double(), check_dtype=False)
said(1.0, 1.1), said(1, 1.0), said(1, 1.0, check_dtype=False), said(1j, 2j), said(True, False), said(np.bool_(True), True), said(np.float32(1), np.float32(2))
said(t([nan]), t([nan])), said(t([nan]), t([nan]), equal_nan=True), said(nan, nan), said(nan, nan, equal_nan=True), said(t([[1., nan], [3., 4.]]), t([[1., 2.], [3.5, 4.]]))
said('a', 'b'), said(object(), object())[0], said([1], [1, 2]), said({'a': 1}, {'b': 1}), said(torch.ones(2), 1.0), said(None, None), said(None, 1)
said(t([1.]), t([2.]), msg="own"), said(t([1.]), t([2.]), msg=lambda m: "X" + m), said(t([1.]), t([2.]), rtol=0.1), said(t([1.]), t([2.]), atol=0.1), said(t([1.]), t([2.]), rtol=1., atol=0.), said(t([1.]), t([2.]), rtol=0., atol=0.)
said(torch.zeros(0), torch.ones(0)), said(np.ones(2), np.zeros(2)), said(np.ones(2), torch.ones(2)), said(torch.ones(2, 3), torch.ones(3, 2).T, check_stride=True)
said(t([1., 1.1]).bfloat16(), t([1., 1.11]).bfloat16()), said(t([1., 1.]).half(), t([1., 1.1]).half()), said(torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)), said(t([1 + 1j]), t([1 + 2j]))
said(torch.ones(2), torch.nn.Parameter(torch.ones(2))), said(torch.ones(2), torch.nn.Parameter(torch.ones(2)), allow_subclasses=False)[0], said(t([2**62, 5]), t([2**62, 7])), said(t([255], dtype=torch.uint8), t([0], dtype=torch.uint8))
testing.assert_allclose(t([1.]), [1.000001]), raises(lambda: testing.assert_allclose(t([1.]), [1.1]))
"""


def test_comparisons(device):
    compare_all([HEAD + case for case in CASES.strip().splitlines()], device)

"""The named tuples that functions with several results give."""

from collections import namedtuple


def _made(name, fields):
    kind = namedtuple(name, fields)
    kind.__module__ = "torch.return_types"
    kind.__repr__ = lambda self: f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self, strict=True)) + ")"
    return kind


max = _made("max", ("values", "indices"))  # noqa: A001
min = _made("min", ("values", "indices"))  # noqa: A001
median = _made("median", ("values", "indices"))
nanmedian = _made("nanmedian", ("values", "indices"))
mode = _made("mode", ("values", "indices"))
sort = _made("sort", ("values", "indices"))
topk = _made("topk", ("values", "indices"))
kthvalue = _made("kthvalue", ("values", "indices"))
cummax = _made("cummax", ("values", "indices"))
cummin = _made("cummin", ("values", "indices"))
aminmax = _made("aminmax", ("min", "max"))
frexp = _made("frexp", ("mantissa", "exponent"))
qr = _made("qr", ("Q", "R"))
linalg_qr = _made("linalg_qr", ("Q", "R"))
linalg_eigh = _made("linalg_eigh", ("eigenvalues", "eigenvectors"))
linalg_eig = _made("linalg_eig", ("eigenvalues", "eigenvectors"))
linalg_svd = _made("linalg_svd", ("U", "S", "Vh"))
svd = _made("svd", ("U", "S", "V"))
slogdet = _made("slogdet", ("sign", "logabsdet"))
linalg_slogdet = _made("linalg_slogdet", ("sign", "logabsdet"))
linalg_cholesky_ex = _made("linalg_cholesky_ex", ("L", "info"))
linalg_inv_ex = _made("linalg_inv_ex", ("inverse", "info"))
linalg_solve_ex = _made("linalg_solve_ex", ("result", "info"))
linalg_lu = _made("linalg_lu", ("P", "L", "U"))
linalg_lu_factor = _made("linalg_lu_factor", ("LU", "pivots"))
linalg_lu_factor_ex = _made("linalg_lu_factor_ex", ("LU", "pivots", "info"))
linalg_ldl_factor = _made("linalg_ldl_factor", ("LD", "pivots"))
linalg_ldl_factor_ex = _made("linalg_ldl_factor_ex", ("LD", "pivots", "info"))
linalg_lstsq = _made("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))
histogram = _made("histogram", ("hist", "bin_edges"))
triangular_solve = _made("triangular_solve", ("solution", "cloned_coefficient"))

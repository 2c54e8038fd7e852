"""Docstrings of faces in numpydoc's form: of a row's docstring (bindings/faces/*.pyi) and a face's parameters.

A row's docstring says what differs from the ordinary: "Parameters: ``name``: what it is; ``name``: ...", "Raises X for ...", "Returns ...",
and examples. Sections are made of that; a parameter of which it says nothing is described as in PARAMETERS, by its name. A docstring with
sections of its own stays as it is. Start reading at numpydoc().
"""

import re
import textwrap

from stubs.annotations import FUNCTIONS, NUMPYS, TORCHS

# Name of a parameter: type, description. {array} is what the front end calls an array.
ARRAY = "{array}"
LIKE = "array_like"
PARAMETERS = {
    **dict.fromkeys(("a", "x", "m", "M", "ary", "arr", "array", "f", "z", "v", "ar", "input", "A", "inputs"), (LIKE, "Input array.")),
    **dict.fromkeys(("x1", "ar1", "input1", "tensor1"), (LIKE, "First input array.")),
    **dict.fromkeys(("x2", "ar2", "input2", "tensor2", "b", "y", "other", "B"), (LIKE, "Second input array.")),
    **dict.fromkeys(("arrays", "tup", "arys", "args", "operands", "xi", "tensors"), ("sequence of array_like", "Input arrays.")),
    **dict.fromkeys(("axis", "dim"), ("int or tuple of ints", "Axis or axes of the operation; negative ones count from the end.")),
    "axes": ("int or sequence of ints", "Axes along which the function operates."),
    "axis1": ("int", "First axis of the matrices or pair."),
    "axis2": ("int", "Second axis of the matrices or pair."),
    "axisa": ("int", "Axis of `a` that holds the vectors."),
    "axisb": ("int", "Axis of `b` that holds the vectors."),
    "axisc": ("int", "Axis of the result that holds the vectors."),
    "dtype": ("dtype", "Dtype of the result; None infers it from the inputs."),
    "out": (ARRAY, "Array that receives the result; it must have the result's shape."),
    **dict.fromkeys(("keepdims", "keepdim"), ("bool", "Whether the reduced axes stay, with size 1.")),
    "initial": ("scalar", "Start value of the reduction."),
    "where": ("array_like of bool", "Elements that take part; the mask broadcasts to the input."),
    "shape": ("int or tuple of ints", "Shape of the result."),
    "size": ("int or tuple of ints", "Shape of the result; None is the shape to which the parameters broadcast."),
    "device": ("Device or str", 'Device of the result, such as "cpu" or "cuda:0"; None is that of the inputs, or the current one.'),
    "like": ("object", "Accepted for NumPy's sake; must be None."),
    "order": ("{'C', 'F', 'A', 'K'}", "Memory layout of the result."),
    "copy": ("bool", "Whether to copy always (True), never (False) or where needed (None)."),
    "casting": ("{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}", "Which conversions of dtypes are allowed."),
    "fill_value": ("scalar or array_like", "Value of every element."),
    "N": ("int", "Number of rows."),
    "k": ("int", "Number of the diagonal: 0 is the main one, positive ones are above it."),
    "offset": ("int", "Number of the diagonal: 0 is the main one, positive ones are above it."),
    "n": ("int", "Number of samples, repetitions or elements; see above."),
    "s": ("sequence of ints", "Length of each transformed axis; None keeps the lengths."),
    "d": ("float", "Sample spacing."),
    "norm": ("{'backward', 'ortho', 'forward'}", "Which direction is scaled, and by what."),
    "start": ("scalar or array_like", "First value."),
    "stop": ("scalar or array_like", "Last value, or the end of the half-open range."),
    "step": ("scalar", "Distance of two values."),
    "num": ("int", "Number of values."),
    "endpoint": ("bool", "Whether `stop` is the last value."),
    "retstep": ("bool", "Whether to return the distance of the values, too."),
    "base": ("scalar or array_like", "Base of the powers."),
    "object": (LIKE, "Array, number, sequence, or object that describes memory."),
    "obj": (LIKE, "Array, number, sequence, or object that describes memory."),
    "ndmin": ("int", "Smallest number of dimensions of the result."),
    "ndmax": ("int", "Largest depth of nested sequences that become dimensions."),
    "prototype": (LIKE, "Array whose shape and dtype the result has."),
    "dimensions": ("sequence of ints", "Shape of the grid."),
    "indexing": ("{'xy', 'ij'}", "Cartesian or matrix order of the axes."),
    "sparse": ("bool", "Whether to return arrays of size 1 along the other axes."),
    "repeats": ("int or array_like of ints", "Number of repetitions of each element."),
    "reps": ("int or tuple of ints", "Number of repetitions along each axis."),
    "pad_width": ("int or sequence of pairs", "Number of elements that are added before and after each axis."),
    "mode": ("str", "Mode of the function; see above."),
    "constant_values": ("scalar or sequence", "Values of the border in mode 'constant'."),
    "source": ("int or sequence of ints", "Axes to move."),
    "destination": ("int or sequence of ints", "Where they go."),
    "shift": ("int or tuple of ints", "Number of places by which elements move along each axis."),
    "indices_or_sections": ("int or sequence of ints", "Number of equal parts, or indices at which to split."),
    "kind": ("str", "Accepted algorithm names; all give the same order."),
    "stable": ("bool", "Whether equal elements keep their order; they always do."),
    "descending": ("bool", "Whether the largest elements come first."),
    "kth": ("int or sequence of ints", "Indices whose elements take their place of the sorted order."),
    "keys": ("sequence of array_like", "Keys; the last one is the primary."),
    "side": ("{'left', 'right'}", "Whether to insert before or after equal elements."),
    "sorter": ("array_like of ints", "Indices that sort `a`."),
    "bins": ("int, str or array_like", "Number of bins, rule, or edges."),
    "range": ("pair of floats", "Lower and upper limit; None is the range of the elements."),
    "density": ("bool", "Whether to return the probability density instead of counts."),
    "weights": (LIKE, "Weights of the elements."),
    "minlength": ("int", "Smallest length of the result."),
    "right": ("bool or scalar", "Which side is included, or the value beyond the last point; see above."),
    "left": ("scalar", "Value before the first point."),
    "xp": (LIKE, "Coordinates of the points, in rising order."),
    "fp": (LIKE, "Values at the points."),
    "period": ("float", "Period of the coordinates."),
    "returned": ("bool", "Whether to return the sum of the weights, too."),
    "ddof": ("int", "Delta degrees of freedom: the divisor is the number of elements minus it."),
    "correction": ("int or float", "Another name of `ddof`."),
    "mean": (LIKE, "Mean, computed before; or the mean of the distribution."),
    "q": ("float or array_like of floats", "Quantiles, in [0, 1], or percentiles, in [0, 100]."),
    "method": ("str", "How a quantile between two elements is computed, by NumPy's names."),
    "interpolation": ("str", "Old name of `method`."),
    "overwrite_input": ("bool", "Whether the input's memory may be used for sorting."),
    "rowvar": ("bool", "Whether rows are variables, and columns observations."),
    "bias": ("bool", "Whether to divide by the number of observations."),
    "fweights": ("array_like of ints", "Number of times that each observation counts."),
    "aweights": (LIKE, "Weight of each observation."),
    "rtol": ("float", "Relative tolerance."),
    "atol": ("float", "Absolute tolerance."),
    "equal_nan": ("bool", "Whether NaN equals NaN."),
    "assume_unique": ("bool", "Whether both inputs have distinct elements, which makes it faster."),
    "return_index": ("bool", "Whether to return where each distinct element stands first."),
    "return_inverse": ("bool", "Whether to return the number of each element among the distinct ones."),
    "return_counts": ("bool", "Whether to return how often each distinct element occurs."),
    "return_indices": ("bool", "Whether to return where the common elements stand."),
    "sorted": ("bool", "Whether the result is sorted."),
    "invert": ("bool", "Whether to return the opposite."),
    "test_elements": (LIKE, "Elements that are searched."),
    "element": (LIKE, "Elements that are tested."),
    "condition": ("array_like of bool", "Where it is true, an element is chosen."),
    "condlist": ("list of array_like of bool", "Conditions; the first that holds counts."),
    "choicelist": ("list of array_like", "Values for each condition."),
    "default": ("scalar", "Value where no condition holds."),
    "indices": ("array_like of ints", "Indices of the elements."),
    "a_min": (LIKE, "Lower limit; None: no limit."),
    "a_max": (LIKE, "Upper limit; None: no limit."),
    "min": (LIKE, "Lower limit; None: no limit."),
    "max": (LIKE, "Upper limit; None: no limit."),
    "signature": ("str or tuple", "As in calls of ufuncs."),
    "decimals": ("int", "Number of decimal places; negative ones round before the point."),
    "nan": ("scalar", "Value in place of NaN."),
    "posinf": ("scalar", "Value in place of infinity; None is the largest finite number."),
    "neginf": ("scalar", "Value in place of minus infinity; None is the smallest finite number."),
    "deg": ("bool", "Whether to return degrees instead of radians."),
    "prepend": (LIKE, "Values before the first element."),
    "append": (LIKE, "Values after the last element."),
    "to_end": (LIKE, "Values after the last difference."),
    "to_begin": (LIKE, "Values before the first difference."),
    "varargs": ("scalar or array_like", "Sample spacing or coordinates, for all axes or for each."),
    "spacing": ("scalar or array_like", "Sample spacing or coordinates, for all axes or for each."),
    "edge_order": ("{1, 2}", "Order of accuracy at the edges."),
    "dx": ("float", "Distance of the sample points, where no coordinates are passed."),
    "increasing": ("bool", "Whether the powers rise from left to right."),
    "subscripts": ("str", "Subscripts of the operands and of the result, as in 'ij,jk->ik'."),
    "optimize": ("bool or str", "Order of the contractions."),
    "full_matrices": ("bool", "Whether to return square matrices."),
    "compute_uv": ("bool", "Whether to return the singular vectors, too."),
    "hermitian": ("bool", "Whether the matrices are Hermitian."),
    "UPLO": ("{'L', 'U'}", "Which triangle is read."),
    "upper": ("bool", "Whether to return the upper factor."),
    "ord": ("int, float or str", "Order of the norm, by NumPy's names."),
    "p": ("float or array_like of floats", "Probability."),
    "rcond": ("float", "Singular values below it times the largest count as 0."),
    "tol": ("float", "Singular values below it count as 0."),
    "ind": ("int", "Number of the first axes of the inverse."),
    "low": (LIKE, "Lower limit, included."),
    "high": (LIKE, "Upper limit, excluded."),
    "loc": (LIKE, "Location: mean, mode or centre of the distribution."),
    "scale": (LIKE, "Scale of the distribution."),
    "alpha": (LIKE, "First parameter of the distribution."),
    "beta": (LIKE, "Second parameter, or the shape of the window."),
    "df": (LIKE, "Degrees of freedom."),
    "dfnum": (LIKE, "Degrees of freedom of the numerator."),
    "dfden": (LIKE, "Degrees of freedom of the denominator."),
    "nonc": (LIKE, "Non-centrality."),
    "mu": (LIKE, "Mode of the distribution, in radians."),
    "kappa": (LIKE, "Concentration."),
    "lam": (LIKE, "Mean number of events."),
    "sigma": (LIKE, "Standard deviation of the logarithm."),
    "ngood": (LIKE, "Number of good ones."),
    "nbad": (LIKE, "Number of bad ones."),
    "nsample": (LIKE, "Number of samples."),
    "colors": ("sequence of ints", "Number of items of each colour."),
    "pvals": (LIKE, "Probabilities along the last axis."),
    "cov": (LIKE, "Covariance matrix."),
    "check_valid": ("{'warn', 'raise', 'ignore'}", "What happens where `cov` is no covariance matrix."),
    "replace": ("bool", "Whether an element may be picked more than once."),
    "shuffle": ("bool", "Whether the order of the picks is random."),
    "include_initial": ("bool", "Whether the result begins with the value of no elements."),
    "row": ("int", "Number of rows."),
    "col": ("int", "Number of columns."),
    "array_like": (LIKE, "Input array."),
}
# The same of functions whose parameter of that name means something else: names of functions, of parameters.
OF_FUNCTIONS = {
    ("sort argsort partition argpartition", "order"): ("str or list of str", "Fields that are compared first, second, and so on."),
    ("fft ifft rfft irfft hfft ihfft", "n"): ("int", "Length of the transform: longer input is truncated, shorter padded."),
    ("diff", "n"): ("int", "How many times differences are taken."),
    ("identity", "n"): ("int", "Number of rows and columns."),
    ("matrix_power", "n"): ("int", "Exponent."),
    ("binomial multinomial", "n"): ("int or array_like of ints", "Number of trials."),
    ("negative_binomial", "n"): ("int or array_like of ints", "Number of successes."),
    ("choice", "a"): ("array_like or int", "Array to choose from, or n for range(n)."),
    ("choice", "p"): (LIKE, "Probabilities of the elements; None: all the same."),
    ("bartlett blackman hamming hanning kaiser", "M"): ("int", "Number of points."),
    ("kaiser", "beta"): ("float", "Shape of the window."),
    ("eye tri", "M"): ("int", "Number of columns; None: as many as rows."),
    ("vander", "N"): ("int", "Number of columns; None: as many as elements."),
    ("gamma standard_gamma", "shape"): (LIKE, "Shape of the distribution."),
    ("pareto power weibull zipf", "a"): (LIKE, "Shape of the distribution."),
    ("beta", "a b"): (LIKE, "Parameter of the distribution, above 0."),
    ("triangular", "left mode right"): (LIKE, "Lower limit, mode and upper limit, in rising order."),
    ("where", "x y"): (LIKE, "Values where the condition holds (`x`) and elsewhere (`y`)."),
    ("searchsorted", "v"): (LIKE, "Values to insert."),
    ("convolve correlate", "v"): (LIKE, "Second line."),
    ("trapezoid", "x"): (LIKE, "Coordinates of the values."),
    ("interp", "x"): (LIKE, "Coordinates at which to interpolate."),
    ("digitize", "bins"): (LIKE, "Edges, in rising or falling order."),
    ("digitize", "right"): ("bool", "Whether the right edge belongs to a bin."),
    ("interp", "right"): ("scalar", "Value beyond the last point."),
    ("solve lstsq tensorsolve", "b"): (LIKE, "Right sides."),
    ("pad", "mode"): ("str", "Kind of the border, by NumPy's names."),
}
OF_FUNCTIONS = {(f, n): said for (fs, ns), said in OF_FUNCTIONS.items() for f in fs.split() for n in ns.split()}
# What functions return that the type stubs call anything.
RESULTS = {
    "named tuple of {A}": "eig eigh svd slogdet qr lstsq unique_all unique_counts unique_inverse sort topk kthvalue mode cummax cummin",
    "{A} or tuple of {A}": "unique unique_consecutive gradient average polyfit where",
    "{A} or list of {A}": "atleast_1d atleast_2d atleast_3d",
    "int": "ndim size",
    "dtype": "result_type promote_types min_scalar_type common_type",
}
SEE = "See the example of "  # the examples of a face that has none in its own spelling
IGNORED = "Accepted for compatibility; has no effect."
ARRAYS = {"torch": "Tensor", "Tensor": "Tensor", "cupy": "ndarray", "ndarray": "ndarray"}
_NAME = r"``(\w+)``"
_DESCRIBED = re.compile(rf"{_NAME}((?:(?:,| or|, or| and) {_NAME})*): ")
_RAISED = re.compile(r"(?:^|,? and |, |; )(?:a |an )?(\w+(?:Error|Exception)) (?=for|if|where|when|unless|in|without)")
INDENT = {"initial_indent": "    ", "subsequent_indent": "    ", "break_on_hyphens": False}
SECTION = re.compile(r"^-{3,}$", re.MULTILINE)


def _end(text, begin, marks):
    """The index of the first of the marks outside of brackets and literals that ends a part: ";" or a full stop before white space."""
    depth, quoted = 0, False
    for at in range(begin, len(text)):
        c = text[at]
        quoted ^= c == "`"
        depth += (c in "([{") - (c in ")]}")
        is_end = c in marks and depth <= 0 and not quoted and text[at - 1 : at + 1] != ".."
        if is_end and (c == ";" or at + 1 == len(text) or text[at + 1] in " \n"):
            return at
    return len(text)


def _sentence(text):
    text = " ".join(text.split()).strip(" ,;")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".") if text else text


def _without_parameters(text, names):
    """A docstring's text without what it says of parameters, and that: {name: description}."""
    found, at = {}, _end(text, 0, ".")
    while described := _DESCRIBED.search(text, at):
        every = [described[1], *re.findall(_NAME, described[2])]
        if not set(every) <= set(names):
            at = described.end()
            continue
        end = _end(text, described.end(), ";.")
        found |= dict.fromkeys(every, text[described.end() : end])
        is_last = text[end : end + 1] != ";"
        text, at = text[: described.start()] + text[end + 1 :].lstrip(" ;"), described.start()
        if is_last:
            text = re.sub(r"(?:Parameters: |; |, )$", "", text[:at]) + text[at:]
            at = min(at, len(text))
    return text.replace("Parameters: ", ""), found


def _taken(text, begins):
    """The text without the sentences that begin with a word, and these sentences."""
    taken = []
    while found := re.search(rf"(?:^|(?<=[.;] )|(?<=\n)){begins} ", text):
        end = _end(text, found.end(), ".")
        taken.append(text[found.end() : end])
        text = text[: found.start()] + text[end + 1 :].lstrip(" ")
    return text, taken


def _raises(sentences):
    """(exception, when) of what follows "Raises"; None where it has another form."""
    out = []
    for sentence in sentences:
        marks = list(_RAISED.finditer(sentence))
        if not marks or marks[0].start():
            return None
        for mark, after in zip(marks, [*marks[1:], None], strict=True):
            out.append((mark[1], sentence[mark.end() : after.start() if after else len(sentence)]))
    return out


def _section(title, entries):
    lines = [line for head, text in entries for line in (head, *textwrap.wrap(_sentence(text), 110, **INDENT))]
    return "\n".join([title, "-" * len(title), *lines]) if lines else ""


def _summary(body):
    """A docstring's first sentence, and the rest of its body."""
    end = _end(body, 0, ".")
    return _sentence(body[:end]), body[end + 1 :].strip()


def result(front_end, name):
    """The type of what a face returns, as the type stubs have it."""
    tables = [RESULTS, TORCHS if front_end in ("torch", "Tensor") else NUMPYS, FUNCTIONS]
    found = next((kind for table in tables for kind, names in table.items() if name in names.split() and kind != "_t.Any"), "{A}")
    found = re.sub(r"_b\.|_t\.|\{n\}\.", "", found).replace(", ...", "")
    return re.sub(r"(list|tuple)\[(.*)\]", r"\1 of \2", found).removesuffix("[Any, Any]")


def parameter(name, function, front_end):
    """The type and the description of a parameter, by its name."""
    bare = name.lstrip("*")
    kind, said = OF_FUNCTIONS.get((function, bare)) or PARAMETERS.get(bare, ("object", ""))
    array = ARRAYS.get(front_end, "Array")
    return kind.replace("{array}", array).replace(LIKE, "Tensor" if array == "Tensor" else LIKE), said


PAGES = {
    "cupy": ("CuPy", "https://docs.cupy.dev/en/stable/reference/generated/cupy.{}.html"),
    "torch": ("PyTorch", "https://docs.pytorch.org/docs/stable/generated/torch.{}.html"),
    "Tensor": ("PyTorch", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.{}.html"),
    "special": ("PyTorch", "https://docs.pytorch.org/docs/stable/special.html#torch.special.{}"),  # one page for all
}


def _page(front_end, submodule, function):
    """The section that links the peer's page; "" where the peer has none."""
    if function.startswith("_") or front_end not in PAGES:
        return ""
    key = "special" if (front_end, submodule) == ("torch", "special") else front_end
    peer, address = PAGES[key]
    path = function if key in ("special", "Tensor") or not submodule else f"{submodule}.{function}"
    return f"Notes\n-----\n{peer}'s page: {address.format(path)}"


def numpydoc(text, parameters, front_end, function, submodule=""):
    """A docstring with numpydoc's sections. `parameters`: (name, is it optional, is it ignored) in the signature's order."""
    if SECTION.search(text):
        return text
    text = text.strip()
    array = ARRAYS.get(front_end, "Array")
    parts = text.split("\n\n")
    body = "\n\n".join(" ".join(part.split()) for part in parts if not part.startswith((">>>", SEE)))
    examples = "\n\n".join(part for part in parts if part.startswith((">>>", SEE)))
    shown = [one for one in parameters if one[0] != "self"]
    body, described = _without_parameters(body, [name.lstrip("*") for name, *_ in shown])
    body, raised = _taken(body, "Raises")
    body, returned = _taken(body, "Returns")
    errors = _raises(raised)
    if errors is None:
        body, errors = f"{body}\n\nRaises {'. Raises '.join(raised)}.", []
    summary, rest = _summary(body)
    entries = []
    for name, is_optional, is_ignored in shown:
        kind, general = parameter(name, function, front_end)
        said = IGNORED if is_ignored else described.get(name.lstrip("*")) or general
        entries.append((f"{name} : {kind}{', optional' if is_optional else ''}", said))
    gives = [(result(front_end, function).replace("{A}", array), ". ".join(returned) or "The result, as described above")]
    sections = [_section("Parameters", entries), _section("Returns", gives), _section("Raises", errors)]
    sections.append(_page(front_end, submodule, function))
    sections.append(f"Examples\n--------\n{examples}" if examples else "")
    paragraphs = [part[:1].upper() + part[1:] for part in rest.split("\n\n") if part.strip(" .;")]
    rest = "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in paragraphs)
    return "\n\n".join(part for part in (summary, rest, *sections) if part) + "\n"

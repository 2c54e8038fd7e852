#include "run/user_kernel.h"

#include <algorithm>
#include <atomic>

#include "codegen/emit.h"
#include "core/error.h"
#include "graph/tape.h"
#include "run/eval.h"
#include "run/group_arguments.h"
#include "run/streams.h"

namespace quern {

namespace {

// The types of the arguments, nothing for scalars.
std::vector<std::optional<DType>> types_of(std::span<const Argument> in) {
  std::vector<std::optional<DType>> out;
  for (const Argument& a : in) out.push_back(a.array() ? std::optional(a.array()->dtype()) : std::nullopt);
  return out;
}
std::vector<DType> types_of(std::span<const Array> arrays) {
  std::vector<DType> out;
  for (const Array& a : arrays) out.push_back(a.dtype());
  return out;
}

void check_scalars(std::span<const Argument> in, std::span<const KernelParam> params, const KernelTypes& types) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].array()) continue;
    const Scalar& s = in[i].scalar();
    if (s.kind == WeakScalar::complex && !is_complex(types.in[i]))
      raise(ErrorKind::type, "[kernel] '{}' is {}, to which a complex number cannot be cast", params[i].name,
            row(types.in[i]).name);
  }
}

// The device that all arrays are on; nothing when there is none.
std::optional<DeviceId> device_of(std::span<const Argument> in, std::span<const Array> out) {
  std::optional<DeviceId> device;
  auto add = [&](const Array& a) {
    if (device && *device != a.device())
      raise(ErrorKind::value, "[kernel] the arguments are on different devices; move one with to_device()");
    device = a.device();
  };
  for (const Argument& a : in)
    if (a.array()) add(*a.array());
  for (const Array& a : out) {
    add(a);
    if (a.is_read_only()) raise(ErrorKind::value, "output array is read-only");
  }
  return device;
}

// The shape that arrays which are not raw broadcast to; nothing when there is none.
std::optional<Shape> loop_shape(std::span<const KernelParam> in_params, std::span<const KernelParam> out_params,
                                std::span<const Argument> in, std::span<const Array> out) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < in.size(); ++i)
    if (!in_params[i].is_raw && in[i].array()) shapes.push_back(in[i].shape());
  for (size_t i = 0; i < out.size(); ++i)
    if (!out_params[i].is_raw) shapes.push_back(out[i].shape());
  return shapes.empty() ? std::nullopt : std::optional(broadcast_shapes(shapes));
}

Array new_array(const Shape& shape, DType dtype, DeviceId device) {
  int64_t size = 1;
  for (int64_t d : shape) size *= d;
  size_t bytes = std::max<size_t>(static_cast<size_t>(size) * size_of(dtype), 1);
  return from_memory(context_on(device).allocate(bytes), shape, dtype, device);
}

// An argument of a kernel of its own: where it starts and how it lies.
struct Placed {
  const Array* array = nullptr;
  const Scalar* scalar = nullptr;
  DType dtype = DType::boolean;
  Layout layout;
};

ParamForm form_of(const Placed& p) {
  return p.array ? ParamForm{static_cast<int>(p.layout.rank()), p.layout.is_contiguous()} : ParamForm{};
}

void pack(GroupArguments& packed, const Placed& p) {
  if (!p.array) {
    NodeRef node = constant_node(constant_of(*p.scalar, p.dtype), p.dtype, DeviceId::cpu());
    packed.constant(*node);
    return;
  }
  unsettle(*p.array);
  packed.pointer(evaluate(*p.array), p.layout.offset * static_cast<int64_t>(size_of(p.dtype)), true);
  for (int64_t d : p.layout.shape) packed.index(d, true);
  for (int64_t s : p.layout.strides) packed.index(s, true);
}

std::vector<Placed> place(std::span<const Argument> in, std::span<const Array> out, const KernelTypes& types) {
  std::vector<Placed> all;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].array())
      all.push_back({in[i].array(), nullptr, types.in[i], in[i].array()->layout()});
    else
      all.push_back({nullptr, &in[i].scalar(), types.in[i], {}});
  }
  for (size_t i = 0; i < out.size(); ++i) all.push_back({&out[i], nullptr, types.out[i], out[i].layout()});
  return all;
}

const KernelParam& param(std::span<const KernelParam> in, std::span<const KernelParam> out, size_t i) {
  return i < in.size() ? in[i] : out[i - in.size()];
}

void submit(Context& context, Kernel& kernel, const LaunchShape& shape, const GroupArguments& packed) {
  kernel.launch(context.work_stream, shape, packed, current_site());
  if (packed.any_exposed() && context.id().is_cpu()) finish_array_work(context);
}

void check_name(const std::string& name) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || !std::ranges::all_of(name, is_word))
    raise(ErrorKind::value, "[kernel] Invalid kernel name: '{}'; it must be a C++ identifier", name);
}

void check_params(std::span<const KernelParam> in, std::span<const KernelParam> out) {
  for (const KernelParam& a : in)
    for (const KernelParam& b : out)
      if (a.name == b.name) raise(ErrorKind::value, "[kernel] two parameters are called '{}'", a.name);
}

// A kernel of its own is launched at once; the tape knows rows only.
void check_no_gradient(const std::string& name, std::span<const Argument> in, std::span<const Array> out) {
  if (!is_taping()) return;
  quern::check_no_gradient(name, in);
  for (const Array& array : out) quern::check_no_gradient(name, array);
}

}  // namespace

UserKernels::UserKernels(TextOf of, std::vector<std::string> flags) : of_(of) {
  static std::atomic<uint64_t> made{0};
  number_ = ++made;
  options_.flags = std::move(flags);
}

UserKernels::~UserKernels() {
  for (auto& [device, words] : asked_) kernel_cache().forget(device, of_, words);
}

std::vector<uint64_t> UserKernels::words_of(const KernelTypes& types, std::span<const ParamForm> forms,
                                            std::initializer_list<uint64_t> more) const {
  std::vector<uint64_t> words{number_};
  words.reserve(1 + more.size() + forms.size());
  words.insert(words.end(), more);
  for (size_t i = 0; i < forms.size(); ++i) {
    DType type = i < types.in.size() ? types.in[i] : types.out[i - types.in.size()];
    words.push_back(static_cast<uint64_t>(type) | uint64_t{forms[i].is_dense} << 8 |
                    static_cast<uint64_t>(forms[i].rank + 1) << 16);
  }
  return words;
}

KernelText UserKernels::kept(DeviceId device, const std::vector<uint64_t>& words, KernelText text) {
  asked_.emplace_back(device, words);
  if (std::ranges::find(texts_, text.text) == texts_.end()) texts_.push_back(text.text);
  return text;
}

// ---- elementwise

ElementwiseKernel::ElementwiseKernel(ElementwiseText text, std::vector<std::string> flags)
    : text_(std::move(text)), is_row_(false), kernels_(TextOf::elementwise, flags) {
  check_name(text_.name);
  check_params(text_.in, text_.out);
  text_.has_options = !flags.empty();
  is_row_ = is_row(text_) && !text_.out.empty();
}

std::vector<Array> ElementwiseKernel::call(std::span<const Argument> in, std::span<const Array> out, std::optional<int64_t> size,
                                           DeviceId device, uint32_t block) {
  GraphLock lock;
  use_current_streams();
  device = device_of(in, out).value_or(device);
  std::optional<Shape> loop = loop_shape(text_.in, text_.out, in, out);
  if (size && loop)
    raise(ErrorKind::value, "Specified 'size' can be used only if all of the ndarray are 'raw'. Leave it out for '{}'",
          text_.name);
  if (!size && !loop)
    raise(ErrorKind::value, "Loop size is undecided. Pass an array that is not raw for '{}', or 'size='", text_.name);
  if (size && *size < 0) raise(ErrorKind::value, "[{}] 'size' must not be negative", text_.name);
  Shape shape = size ? Shape{*size} : *loop;
  KernelTypes types = decide_types(text_.in, text_.out, types_of(in), types_of(out));
  check_scalars(in, text_.in, types);
  for (size_t i = 0; i < text_.out.size(); ++i) {
    if (out.empty() && text_.out[i].is_raw && !size)
      raise(ErrorKind::value, "[{}] Output array size is undecided: '{}' is raw; pass an array for it, or 'size='", text_.name,
            text_.out[i].name);
    if (!out.empty() && !text_.out[i].is_raw && out[i].shape() != shape)
      raise(ErrorKind::value, "[{}] Out shape is mismatched: '{}' has {}, the loop {}", text_.name, text_.out[i].name,
            to_string(out[i].shape()), to_string(shape));
  }
  if (!is_row_) return launch(in, out, types, shape, device, block);

  const UserRow*& row = rows_[{types.in, types.out, !out.empty()}];
  if (!row) row = &add_row(row_of(text_, types, !out.empty()));
  std::vector<Argument> operands(in.begin(), in.end());
  for (size_t i = 0; i < out.size(); ++i)
    if (row->results[i].start >= 0) operands.emplace_back(out[i]);
  std::vector<Array> results = apply(*row, operands, shape, device);
  if (out.empty()) return results;
  for (size_t i = 0; i < out.size(); ++i) assign(out[i], Argument(results[i]));
  return {out.begin(), out.end()};
}

std::vector<Array> ElementwiseKernel::launch(std::span<const Argument> in, std::span<const Array> out, const KernelTypes& types,
                                             const Shape& shape, DeviceId device, uint32_t block) {
  check_no_gradient(text_.name, in, out);
  std::vector<Array> results(out.begin(), out.end());
  if (out.empty())
    for (DType type : types.out) results.push_back(new_array(shape, type, device));
  int64_t size = 1;
  for (int64_t d : shape) size *= d;
  if (size == 0) return results;
  evaluate_all();

  std::vector<Placed> all = place(in, results, types);
  std::vector<Layout> loops{Layout::contiguous(shape)};
  std::vector<size_t> which;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].array || param(text_.in, text_.out, i).is_raw) continue;
    loops.push_back(all[i].layout.broadcast_to(shape));
    which.push_back(i);
  }
  if (text_.reduce_dims) collapse(loops);
  for (size_t k = 0; k < which.size(); ++k) all[which[k]].layout = loops[k + 1];

  std::vector<ParamForm> forms;
  for (const Placed& p : all) forms.push_back(form_of(p));
  const size_t rank = loops[0].rank();
  Kernel& kernel =
      kernels_.find(device, text_.name, types, forms, {rank}, [&] { return print_elementwise(text_, types, forms, rank); })
          .kernel(text_.name);
  GroupArguments packed;
  for (const Placed& p : all) pack(packed, p);
  packed.index(size, true);
  for (int64_t d : loops[0].shape) packed.index(d, true);
  LaunchShape launch;
  int64_t threads = std::min<int64_t>(block, kernel.info().max_threads);  // fewer where the kernel takes many registers
  launch.block[0] = static_cast<uint32_t>(threads);
  launch.grid[0] = static_cast<uint32_t>(std::min<int64_t>((size + threads - 1) / threads, 0x7fffffff));
  submit(context_on(device), kernel, launch, packed);
  return results;
}

// ---- reductions

ReductionKernel::ReductionKernel(ReductionText text, std::vector<std::string> flags)
    : text_(std::move(text)), kernels_(TextOf::reduction, std::move(flags)) {
  check_name(text_.name);
  check_params(text_.in, text_.out);
  if (text_.out.empty()) raise(ErrorKind::value, "[{}] a reduction needs an output parameter", text_.name);
  if (text_.reduce_type.empty()) {
    const KernelParam& first = text_.out.front();
    text_.reduce_type = first.dtype ? user_type_text(*first.dtype) : first.type;
  }
}

// The axes that a reduction keeps, and those that go.
struct ReducedAxes {
  const Shape& whole;
  bool keep_dims = false;
  std::vector<int> kept = {}, reduced = {};
};
// The sizes of both after neighbours are joined. `lanes_inside`: a warp walks along those that go.
struct CollapsedAxes {
  Shape kept, reduced;
  bool lanes_inside;
};

// Both parts of the shape are collapsed by themselves, in their logical order; the layouts become those of the parts.
static CollapsedAxes collapsed(const ReductionText& text, std::vector<Placed>& all, size_t inputs, const ReducedAxes& over) {
  std::vector<Layout> kept_parts, reduced_parts;
  std::vector<size_t> which;
  auto part = [](const Layout& layout, std::span<const int> dims) {
    Layout taken{{}, {}, layout.offset};
    for (int d : dims) {
      taken.shape.push_back(layout.shape[static_cast<size_t>(d)]);
      taken.strides.push_back(layout.strides[static_cast<size_t>(d)]);
    }
    return taken;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].array || param(text.in, text.out, i).is_raw) continue;
    which.push_back(i);
    if (i < inputs) {
      Layout wide = all[i].layout.broadcast_to(over.whole);
      kept_parts.push_back(part(wide, over.kept));
      reduced_parts.push_back(part(wide, over.reduced));
    } else {
      Layout layout = all[i].layout;
      std::vector<int> dims = over.kept;
      if (!over.keep_dims)
        for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int>(d);
      kept_parts.push_back(part(layout, dims));
    }
  }
  collapse(kept_parts);
  collapse(reduced_parts);
  for (size_t k = 0; k < which.size(); ++k) {
    Layout& layout = all[which[k]].layout = kept_parts[k];
    if (which[k] >= inputs) continue;
    layout.shape.insert(layout.shape.end(), reduced_parts[k].shape.begin(), reduced_parts[k].shape.end());
    layout.strides.insert(layout.strides.end(), reduced_parts[k].strides.begin(), reduced_parts[k].strides.end());
  }
  auto inner = [](const Layout& layout) {
    return layout.strides.empty() || layout.strides.back() == 0 ? int64_t{1} << 62 : std::abs(layout.strides.back());
  };
  const bool lanes_inside = kept_parts[0].rank() == 0 || inner(reduced_parts[0]) <= inner(kept_parts[0]);
  return {kept_parts[0].shape, reduced_parts[0].shape, lanes_inside};
}

// Launches chunks of the elements, then the kernel of their results, until one is left of each.
static void launch_chunks(const std::string& name, TextKernels& kernels, DeviceId device, std::span<const Placed> all,
                          const CollapsedAxes& axes, int64_t results, int64_t count) {
  size_t state = kernels.program().global("quern_state").size;
  const bool lanes_inside = axes.lanes_inside;
  Context& context = context_on(device);
  Buffer parts;
  const int64_t all_count = count;
  for (bool first = true;; first = false) {
    int64_t chunks = std::max<int64_t>(1, (count + chunk_elements - 1) / chunk_elements);
    Buffer next = context.allocate(chunks == 1 ? 1 : static_cast<size_t>(results * chunks) * state);
    GroupArguments packed;
    for (const Placed& p : all) pack(packed, p);
    for (int64_t d : axes.kept) packed.index(d, true);
    for (int64_t d : axes.reduced) packed.index(d, true);
    for (int64_t number : {results, count, all_count, chunks}) packed.index(number, true);
    packed.pointer(next, 0, true);
    if (!first) packed.pointer(parts, 0, false);
    LaunchShape launch;
    uint32_t width = static_cast<uint32_t>(std::min<int64_t>(results, lanes_inside ? 8 : 32));
    launch.block = lanes_inside ? Dim3{32, width, 1} : Dim3{width, 32, 1};
    launch.grid[0] = static_cast<uint32_t>((results + width - 1) / width);
    launch.grid[1] = static_cast<uint32_t>(std::min<int64_t>(chunks, 32768));
    launch.grid[2] = static_cast<uint32_t>((chunks + 32767) / 32768);
    submit(context, kernels.kernel(first ? name : name + "_again"), launch, packed);
    if (chunks == 1) return;
    parts = next;
    count = chunks;
  }
}

std::vector<Array> ReductionKernel::call(std::span<const Argument> in, std::span<const Array> out, std::span<const int> axes,
                                         bool all_axes, bool keep_dims) {
  GraphLock lock;
  use_current_streams();
  DeviceId device = device_of(in, out).value_or(DeviceId::cpu());
  std::optional<Shape> whole = loop_shape(text_.in, {}, in, {});
  if (!whole) raise(ErrorKind::value, "Loop size is undecided. Pass an array that is not raw for '{}'", text_.name);
  KernelTypes types = decide_types(text_.in, text_.out, types_of(in), types_of(out));
  check_scalars(in, text_.in, types);
  check_no_gradient(text_.name, in, out);

  ReducedAxes over{.whole = *whole, .keep_dims = keep_dims};
  std::vector<bool> goes(whole->size(), all_axes);
  for (int axis : axes) goes[static_cast<size_t>(axis)] = true;
  Shape out_shape;
  int64_t results = 1, count = 1;
  for (size_t d = 0; d < whole->size(); ++d) {
    int64_t length = (*whole)[d];
    (goes[d] ? over.reduced : over.kept).push_back(static_cast<int>(d));
    (goes[d] ? count : results) *= length;
    if (!goes[d] || keep_dims) out_shape.push_back(goes[d] ? 1 : length);
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (!text_.out[i].is_raw && out[i].shape() != out_shape)
      raise(ErrorKind::value, "[{}] Out shape is mismatched: '{}' has {}, the result {}", text_.name, text_.out[i].name,
            to_string(out[i].shape()), to_string(out_shape));
  std::vector<Array> made(out.begin(), out.end());
  if (out.empty())
    for (DType type : types.out) made.push_back(new_array(out_shape, type, device));
  if (results == 0) return made;
  if (count == 0 && text_.identity.empty())
    raise(ErrorKind::value, "zero-size array to reduction operation {} which has no identity", text_.name);
  evaluate_all();

  std::vector<Placed> all = place(in, made, types);
  const CollapsedAxes axes_left = collapsed(text_, all, in.size(), over);
  std::vector<ParamForm> forms;
  for (const Placed& p : all) forms.push_back(form_of(p));
  const size_t kept_rank = axes_left.kept.size(), reduced_rank = axes_left.reduced.size();
  TextKernels& kernels = kernels_.find(device, text_.name, types, forms, {kept_rank, reduced_rank, axes_left.lanes_inside}, [&] {
    return print_user_reduction(text_, types, forms, kept_rank, reduced_rank, axes_left.lanes_inside);
  });
  launch_chunks(text_.name, kernels, device, all, axes_left, results, count);
  return made;
}

}  // namespace quern

#include "codegen/form.h"

#include "graph/sequence.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace quern {

namespace {

// A store's layout over the group's shape: nothing along what a reduction takes away.
Layout store_layout(const Group& group, const Node& node) {
  if (node.op == Op::update) return *node.target;
  if (group.is_uniform(node)) return Layout{group.shape, std::vector<int64_t>(group.shape.size(), 0), 0};
  if (node.op == Op::reduce || (group.reduces && node.shape() != group.shape)) return *group.over_elements(*node.layout);
  return *node.layout;
}

Layout take(const Layout& layout, std::span<const int> axes) {
  Layout out{{}, {}, layout.offset};
  for (int axis : axes) {
    out.shape.push_back(layout.shape[axis]);
    out.strides.push_back(layout.strides[axis]);
  }
  return out;
}

}  // namespace

static Step step_of(const Group& group, int64_t stride, bool is_last) {
  if (stride == 0) return Step::none;
  if (stride == 1) return Step::unit;
  return stride == -1 && is_last && group.device.is_cpu() && !group.reduces ? Step::back : Step::numbered;
}

// How many neighbours fit 16 bytes, where all that is loaded and stored lies side by side; 1: it does not, or there is too
// little.
static int pack_of(const Group& group, const Form& form) {
  if (group.device.is_cpu() || group.reduces || form.shape.size() != 1 || form.results < 1 << 16) return 1;
  size_t widest = 1;
  bool packs = true;
  auto see = [&](const Path& path, DType type) {
    if (path.steps[0] == Step::none) return;
    widest = std::max(widest, size_of(type));
    packs &= path.steps[0] == Step::unit && path.offset % 16 == 0;
  };
  for (size_t i = 0; i < group.loads.size(); ++i) {
    if (group.loads[i].node->op != Op::index) {
      see(form.loads[i], group.loads[i].dtype);
    } else {
      packs &= form.loads[i].offset % 16 == 0;  // emit.cpp lets the compiler know
    }
  }
  for (size_t i = 0; i < group.stores.size(); ++i) {
    const Node& node = *group.nodes[group.stores[i]];
    see(form.stores[i], node.op == Op::update ? node.target_dtype : node.dtype);
  }
  return packs ? static_cast<int>(std::min<size_t>(16 / widest, 8)) : 1;
}

// Most groups: everything lies in C order, and is one row.
static std::optional<Form> flat_form(const Group& group) {
  if (group.reduces || group.shape.empty()) return std::nullopt;
  auto is_flat = [&](const LayoutRef& layout) { return layout->dense && layout->shape == group.shape; };
  for (const Load& load : group.loads) {
    if (!is_flat(load.layout)) return std::nullopt;
  }
  for (uint32_t s : group.stores) {
    const Node& node = *group.nodes[s];
    if (!is_flat(node.op == Op::update ? node.target : node.layout)) return std::nullopt;
  }
  Form form;
  for (int64_t d : group.shape) form.results *= d;
  if (form.results <= 1) return std::nullopt;  // then numbers lie flat too
  form.kept = 1;
  form.shape = {form.results};
  form.numbers = {form.results};
  form.wide = form.results > std::numeric_limits<int32_t>::max();
  form.loads.assign(group.loads.size(), Path{{Step::unit}, 0});
  form.stores.assign(group.stores.size(), Path{{Step::unit}, 0});
  form.pack = pack_of(group, form);
  return form;
}

// Which of the layouts says in what order the kept dimensions lie in memory: of what is stored, or of what is read where results
// are small.
static size_t guide_of(const Group& group, const std::vector<Layout>& all) {
  auto is_number = [](const Layout& layout) {
    return std::all_of(layout.strides.begin(), layout.strides.end(), [](int64_t s) { return s == 0; });
  };
  bool by_loads = group.reduces && !group.loads.empty();
  size_t chosen = by_loads ? 0 : all.size() - 1;
  while (is_number(all[chosen]) && (by_loads ? chosen + 1 < group.loads.size() : chosen > group.loads.size()))
    by_loads ? ++chosen : --chosen;
  // Better one that moves along every dimension.
  for (size_t i = 0; by_loads && i < group.loads.size(); ++i) {
    const Layout& layout = all[i];
    bool moves = true;
    for (size_t d = 0; d < layout.rank(); ++d) moves &= layout.strides[d] != 0 || layout.shape[d] == 1;
    if (moves) return i;
  }
  return chosen;
}

static bool is_one_loop(const Group& group) {
  for (size_t n = 0; n < group.nodes.size(); ++n)
    if (group.loops[n] != 0 && !group.per_result[n]) return false;
  return true;
}

// Sums and products of types that vectors add: where numbers are compared, a block's rows of threads do as well, if their
// elements lie in one row.
static bool has_vectors_of_sums(const Group& group) {
  for (const Node* node : group.nodes) {
    if (node->op != Op::reduce) continue;
    if (node->reduction != Reduction::sum && node->reduction != Reduction::product) return false;
    if (size_of(accumulator(node->reduction, node->compute)) < 4) return false;
  }
  return true;
}

// As many columns as make rows worth a loop, while what the lanes have of them fits shared memory.
static int64_t columns_of_block(const Group& group) {
  constexpr int64_t most = 512, shared_bytes = 48 << 10;  // a core keeps as much near
  int64_t bytes = 0;
  for (const Node* node : group.nodes) {
    if (node->op == Op::reduce)
      bytes += reduce_lanes * static_cast<int64_t>(size_of(accumulator(node->reduction, node->compute)));
  }
  return std::clamp<int64_t>(shared_bytes / bytes / 16 * 16, 16, most);
}

// How the elements of each result are walked over; `inside`: they lie closer together than the results.
static void choose_walk(Form& form, const Group& group, bool inside) {
  const DeviceId device = group.device;
  bool on_gpu = device.is_gpu();
  form.chunk = chunk_of(device, form.results, form.count);
  form.chunks = std::max<int64_t>(1, (form.count + form.chunk - 1) / form.chunk);
  form.chunked = form.chunks > 1;
  form.combines = on_gpu && form.chunked && form.results <= few_results && form.results * form.chunks <= most_small_chunks;
  form.has_long_rows = form.reduced > 1 && form.shape.back() >= reduce_lanes;
  constexpr int64_t warps_that_fill_a_gpu = 1024;
  if (form.count <= reduce_lanes) {
    form.walk = Walk::threads;
  } else if (on_gpu && inside && form.count >= 256 && form.results * form.chunks < warps_that_fill_a_gpu) {
    form.walk = Walk::block;
  } else {
    const bool are_rows = is_one_loop(group) && (form.has_long_rows || (form.reduced == 1 && has_vectors_of_sums(group)));
    const Walk here = inside ? (are_rows ? Walk::rows : Walk::lanes_inside) : Walk::columns;
    form.walk = !on_gpu ? here : inside ? Walk::lanes_inside : Walk::lanes_outside;
  }
  form.block = form.walk == Walk::columns ? columns_of_block(group) : most_threads(form.walk);
}

// A loop over a few elements costs more than steps from one to the next: a long axis before short ones becomes the innermost.
static void lengthen_rows(std::vector<Layout>& parts) {
  constexpr int64_t few = 4, many = 256;
  const Shape& shape = parts.front().shape;
  int64_t inner = 1;
  size_t axis = shape.size();
  while (axis > 0 && inner * shape[axis - 1] <= few) inner *= shape[--axis];
  if (axis == 0 || axis == shape.size() || shape[axis - 1] < many) return;
  for (Layout& layout : parts) {
    std::rotate(layout.shape.begin() + static_cast<ptrdiff_t>(axis) - 1, layout.shape.begin() + static_cast<ptrdiff_t>(axis),
                layout.shape.end());
    std::rotate(layout.strides.begin() + static_cast<ptrdiff_t>(axis) - 1, layout.strides.begin() + static_cast<ptrdiff_t>(axis),
                layout.strides.end());
  }
}

Form form_of(const Group& group) {
  if (auto form = flat_form(group)) return *form;
  std::vector<Layout> all;
  for (const Load& load : group.loads) all.push_back(*load.layout);
  for (uint32_t s : group.stores) all.push_back(store_layout(group, *group.nodes[s]));

  std::vector<int> kept, reduced;
  for (size_t i = 0; i < group.shape.size(); ++i)
    (group.reduces && group.axes[i] ? reduced : kept).push_back(static_cast<int>(i));
  size_t chosen = guide_of(group, all);
  const Layout& guide = all[chosen];
  std::stable_sort(kept.begin(), kept.end(),
                   [&](int a, int b) { return std::abs(guide.strides[a]) > std::abs(guide.strides[b]); });

  std::vector<Layout> kept_parts, reduced_parts;
  for (const Layout& layout : all) {
    kept_parts.push_back(take(layout, kept));
    reduced_parts.push_back(take(layout, reduced));
  }
  collapse(kept_parts);
  collapse(reduced_parts);
  if (group.device.is_cpu() && !group.reduces) lengthen_rows(kept_parts);

  Form form;
  form.kept = kept_parts.front().rank();
  form.reduced = reduced_parts.front().rank();
  form.shape = kept_parts.front().shape;
  for (int64_t d : form.shape) form.results *= d;
  for (int64_t d : reduced_parts.front().shape) {
    form.count *= d;
    form.shape.push_back(d);
  }
  form.numbers.assign(form.shape.begin(), form.shape.end());
  form.wide = form.results * form.count > std::numeric_limits<int32_t>::max();
  for (size_t i = 0; i < all.size(); ++i) {
    Path path;
    path.offset = all[i].offset;
    auto [low, high] = all[i].extent();
    form.wide |=
        high - path.offset > std::numeric_limits<int32_t>::max() || path.offset - low > std::numeric_limits<int32_t>::max();
    for (const Layout* part : {&kept_parts[i], &reduced_parts[i]}) {
      for (const int64_t& stride : part->strides) {
        const bool is_last = part == &kept_parts[i] && &stride == &part->strides.back();
        path.steps.push_back(step_of(group, stride, is_last));
        if (path.steps.back() == Step::numbered) form.numbers.push_back(stride);
      }
    }
    (i < group.loads.size() ? form.loads : form.stores).push_back(std::move(path));
  }
  form.pack = pack_of(group, form);
  if (!group.reduces) return form;
  auto inner = [](const Layout& part) {
    return part.strides.empty() || part.strides.back() == 0 ? int64_t{1} << 62 : std::abs(part.strides.back());
  };
  bool inside =
      form.kept == 0 || form.reduced == 0 || group.loads.empty() || inner(reduced_parts[chosen]) <= inner(kept_parts[chosen]);
  choose_walk(form, group, inside);
  return form;
}

std::optional<Form> shared_form(const Form& form, Shared how) {
  constexpr size_t dimensions = 4;
  if (form.walk != Walk::elements || form.reduced > 0 || form.wide || form.pack > 1 || form.kept > dimensions)
    return std::nullopt;
  const size_t added = dimensions - form.kept;
  Form out = form;
  out.kept = dimensions;
  out.shape.assign(added, 1);
  out.shape.insert(out.shape.end(), form.shape.begin(), form.shape.end());
  out.numbers.assign(out.shape.begin(), out.shape.end());
  size_t next = form.shape.size();
  auto share = [&](Path& path) {
    std::vector<Step> steps(dimensions, Step::numbered);
    out.numbers.insert(out.numbers.end(), added, 0);
    for (size_t i = 0; i < form.kept; ++i) {
      const Step step = path.steps[i];
      const bool stays = how == Shared::rows && i + 1 == form.kept && (step == Step::none || step == Step::unit);
      const int64_t stride = step == Step::none ? 0 : step == Step::unit ? 1 : step == Step::back ? -1 : form.numbers[next++];
      if (stays) {
        steps[added + i] = step;
      } else {
        out.numbers.push_back(stride);
      }
    }
    path.steps = std::move(steps);
  };
  for (Path& path : out.loads) share(path);
  for (Path& path : out.stores) share(path);
  return out;
}

Key key_of(const Group& group, const Form& form) {
  Key key;
  key.push_back(group.device.key() | form.kept << 8 | form.reduced << 16 | uint64_t{form.wide} << 24 |
                static_cast<uint64_t>(form.walk) << 25 | uint64_t{form.chunked} << 28 | uint64_t{form.combines} << 29 |
                uint64_t{form.has_long_rows} << 30 | uint64_t{form.chunk != chunk_elements} << 31 |
                uint64_t{group.is_fast} << 58 | static_cast<uint64_t>(form.pack) << 60 | uint64_t{group.nodes.size()} << 32 |
                uint64_t{group.loads.size()} << 48);
  auto steps = [&](const Path& path) {
    uint64_t word = 1;
    for (Step step : path.steps) word = word << 2 | static_cast<uint64_t>(step);
    key.push_back(word);
  };
  for (size_t i = 0; i < group.loads.size(); ++i) {
    key.push_back(static_cast<uint64_t>(group.loads[i].dtype) | uint64_t{group.loads[i].node->op == Op::index} << 8);
    steps(form.loads[i]);
  }
  for (const Node* constant : group.constants) {
    const KnownPart known = group.is_fast ? known_part(*constant) : KnownPart::none;
    key.push_back(static_cast<uint64_t>(constant->dtype) | static_cast<uint64_t>(known) << 8);
  }
  for (size_t i = 0; i < group.nodes.size(); ++i) {
    const Node& node = *group.nodes[i];
    key.push_back(static_cast<uint64_t>(node.op) | static_cast<uint64_t>(node.dtype) << 16 |
                  static_cast<uint64_t>(node.compute) << 24 |
                  static_cast<uint64_t>(node.op == Op::reduce ? static_cast<int>(node.reduction) : 0) << 32 |
                  static_cast<uint64_t>(node.op == Op::update ? node.target_dtype : DType::boolean) << 40 |
                  static_cast<uint64_t>(node.op == Op::user ? node.output : 0) << 48 | uint64_t{group.is_uniform(node)} << 56 |
                  uint64_t{group.per_result[i]} << 57);
    if (node.op == Op::user) key.push_back(node.user->hash);
    for (const Origin& s : group.sources(i)) key.push_back(static_cast<uint64_t>(s.kind) << 32 | s.index);
  }
  for (size_t i = 0; i < group.stores.size(); ++i) {
    key.push_back(group.stores[i]);
    steps(form.stores[i]);
  }
  return key;
}

uint64_t work_of(const Group& group) {
  Key words{group.nodes.size(), group.loads.size()};
  for (size_t i = 0; i < group.nodes.size(); ++i) {
    const Node& node = *group.nodes[i];
    words.push_back(static_cast<uint64_t>(node.op) |
                    static_cast<uint64_t>(node.op == Op::reduce ? static_cast<int>(node.reduction) : 0) << 32 |
                    static_cast<uint64_t>(node.op == Op::user ? node.output : 0) << 48);
    if (node.op == Op::user) words.push_back(node.user->hash);
    for (const Origin& s : group.sources(i)) words.push_back(static_cast<uint64_t>(s.kind) << 32 | s.index);
  }
  for (uint32_t s : group.stores) words.push_back(s);
  return hash_of(words);
}

std::vector<KernelTrait> traits_of(const Group& group, const Form& form) {
  Key types{group.is_fast}, steps;
  for (size_t i = 0; i < group.loads.size(); ++i) types.push_back(static_cast<uint64_t>(group.loads[i].dtype));
  for (const Node* constant : group.constants) types.push_back(static_cast<uint64_t>(constant->dtype));
  for (const Node* node : group.nodes) {
    types.push_back(static_cast<uint64_t>(node->dtype) | static_cast<uint64_t>(node->compute) << 8 |
                    static_cast<uint64_t>(node->op == Op::update ? node->target_dtype : DType::boolean) << 16);
  }
  const size_t dimensions = form.kept + form.reduced;
  for (const auto* paths : {&form.loads, &form.stores}) {
    for (const Path& path : *paths) {
      uint64_t word = 1;
      for (Step step : path.steps) word = word << 2 | static_cast<uint64_t>(step);
      steps.push_back(word);
    }
  }
  for (size_t i = 0; i < group.nodes.size(); ++i) steps.push_back(group.is_uniform(*group.nodes[i]) | group.per_result[i] << 1);
  return {{"dtypes", hash_of(types)},
          {"number of dimensions", form.kept << 8 | form.reduced},
          {"layout class", hash_of(steps) * (dimensions != 0)},
          {"size class", static_cast<uint64_t>(form.walk) | uint64_t{form.chunked} << 8 | uint64_t{form.combines} << 9 |
                             uint64_t{form.has_long_rows} << 10 | uint64_t{form.chunk != chunk_elements} << 11 |
                             static_cast<uint64_t>(form.pack) << 16},
          {"width of indices", form.wide},
          {"device", group.device.key()}};
}

}  // namespace quern

#include "run/group_launch.h"
#include "core/format.h"

#include <algorithm>
#include <map>

#include "codegen/emit.h"
#include "core/wait.h"
#include "device/stream_order.h"
#include "run/explain.h"
#include "run/group_arguments.h"
#include "run/kernel_cache.h"
#include "run/launch_shapes.h"
#include "run/result_memory.h"
#include "run/traced_work.h"
#include "run/undisturbed.h"

namespace quern {

namespace {

// "float32, int32; 2 dimensions": what a kernel of these operations is compiled for.
std::string form_in_words(const Group& group, const Form& form) {
  std::vector<std::string_view> types;
  for (const auto& load : group.loads)
    if (std::string_view name = row(load.dtype).name; std::find(types.begin(), types.end(), name) == types.end())
      types.push_back(name);
  size_t rank = form.kept + form.reduced;
  return formatted("{}; {} dimension{}{}", join_text(types, ", "), rank, rank == 1 ? "" : "s",
                   form.wide ? "; indices of 64 bits" : "");
}

// The kernel of a group's text. Throws Restart when arrays were used while it was compiled.
Kernel* kernel_for(Context& context, TextOf of, const Key& key, const Group& group, const Form& form,
                   const std::string& printed) {
  Undisturbed undisturbed;
  TextKernels& found = kernel_cache().get(context, of, key, [&] {
    KernelText text = kernel_text(of, group, form, printed);
    text.ops = ops_of(group);
    text.form = form_in_words(group, form);
    text.widened = widened_ops(group);
    text.work = work_of(group);
    text.traits = traits_of(group, form);
    text.site = group.nodes.back()->site;
    return text;
  });
  undisturbed.check();
  return &found.kernel("group");
}

// How many blocks of a launch have ended: 0 between launches.
const Buffer& counter(Context& context) {
  static auto* counters = new std::map<DeviceId, Buffer>;  // guarded by the graph's lock
  Buffer& found = (*counters)[context.id()];
  if (!found) {
    found = memory_for(context, sizeof(uint32_t), no_site, false);
    use_on(context.work_stream, *found.block(), true);
    context.fill(context.work_stream, found.pointer(), 0, 0, sizeof(uint32_t), 1, 1);
  }
  return found;
}

// Memory of others may begin anywhere.
bool is_aligned(const Group& group, const std::vector<Buffer>& stores) {
  auto fits = [](const Buffer& buffer) { return !buffer || reinterpret_cast<uintptr_t>(buffer.pointer()) % 16 == 0; };
  return std::all_of(stores.begin(), stores.end(), fits) &&
         std::all_of(group.loads.begin(), group.loads.end(), [&](const Load& load) { return fits(load.node->buffer); });
}

void put_arguments(Context& context, GroupArguments& packed, const Group& group, const Form& form,
                   const std::vector<Buffer>& stores, const std::vector<Buffer>& partials) {
  for (size_t i = 0; i < group.loads.size(); ++i) {
    const Load& load = group.loads[i];
    if (load.node->op == Op::index) {
      packed.index(form.loads[i].offset, true);
      continue;
    }
    packed.pointer(load.node->buffer, form.loads[i].offset * static_cast<int64_t>(size_of(load.dtype)), false);
  }
  for (size_t i = 0; i < stores.size(); ++i) {
    const Node& node = *group.nodes[group.stores[i]];
    packed.pointer(partials[i],
                   form.stores[i].offset * static_cast<int64_t>(size_of(node.op == Op::update ? node.target_dtype : node.dtype)),
                   true);
  }
  if (form.combines) {
    for (size_t i = 0; i < stores.size(); ++i)
      if (group.nodes[group.stores[i]]->op == Op::reduce) packed.pointer(stores[i], 0, true);
    packed.pointer(counter(context), 0, true);
  }
  for (const Node* constant : group.constants) packed.constant(*constant);
  for (int64_t number : form.numbers) packed.index(number, form.wide);
  if (group.reduces) packed.index(form.chunks, form.wide);
}

void combine(Context& context, const Node& node, Buffer partial, const Buffer& out, int64_t results, int64_t count) {
  WithoutSignals undisturbed;  // a part of the group has run
  WorkOf line(node.site);
  DType type = accumulator(node.reduction, node.compute);
  for (;;) {
    int64_t chunks = (count + chunk_elements - 1) / chunk_elements;
    DType to = chunks == 1 ? node.dtype : type;
    Buffer next = chunks == 1 ? out : context.allocate(static_cast<size_t>(results * chunks) * size_of(type), node.site, true);
    const uint64_t key[] = {static_cast<uint64_t>(node.reduction), static_cast<uint64_t>(type), static_cast<uint64_t>(to)};
    Kernel& kernel = kernel_cache()
                         .get(context, TextOf::combine, key, [&] { return KernelText{print_combine(node.reduction, type, to)}; })
                         .kernel("group");
    GroupArguments packed;
    packed.pointer(partial, 0, false);
    packed.pointer(next, 0, true);
    for (int64_t number : {results, count, chunks}) packed.index(number, true);
    const LaunchShape shape = reduction_shape(results, chunks, Walk::lanes_inside, most_threads(Walk::lanes_inside));
    kernel.launch(context.work_stream, shape, packed, node.site);
    if (chunks == 1) return;
    partial = next;
    count = chunks;
  }
}

void submit(Context& context, const Group& group, LaunchPlan& plan, const std::vector<Buffer>& stores,
            const std::vector<Buffer>& partials) {
  const Form& form = plan.form;
  GroupArguments packed;
  put_arguments(context, packed, group, form, stores, partials);
  if (!plan.kernel) {
    if (plan.key.empty()) plan.key = key_of(group, form);
    plan.kernel = kernel_for(context, TextOf::group, plan.key, group, form, plan.text);
    plan.text.clear();
    const std::optional<int64_t> row = form.kept > 0 ? std::optional(form.shape[form.kept - 1]) : std::nullopt;
    plan.shape =
        group.reduces ? reduction_shape(form.results, form.chunks, form.walk, form.block, row) : elementwise_shape(group, form);
  }
  TracedWork work;
  if (tracing()) add_work(work, group, form);
  work.is_single = plan.is_single;
  plan.kernel->launch(context.work_stream, plan.shape, packed, group.nodes.back()->site, std::move(work));
  for (size_t i = 0; !form.combines && i < stores.size(); ++i) {
    const Node& node = *group.nodes[group.stores[i]];
    if (partials[i].block() != stores[i].block()) combine(context, node, partials[i], stores[i], form.results, form.chunks);
  }
}

void plan_together(Context& context, Batch& batch) {
  const Batch::Member& first = batch.members[0];
  batch.segments = segments_of(first.group, first.plan->form);
  batch.shape = {};
  for (const Batch::Member& member : batch.members)
    batch.shape.block[0] = std::max(batch.shape.block[0], elementwise_shape(member.group, member.plan->form).block[0]);
  batch.first_blocks.fill(~uint32_t{0});
  batch.shape.grid[0] = 0;
  for (size_t m = 0; m < batch.members.size(); ++m) {
    const Form& form = batch.members[m].plan->form;
    batch.first_blocks[m] = batch.shape.grid[0];
    int64_t elements_of_block = int64_t{batch.shape.block[0]} * form.pack;
    batch.shape.grid[0] += static_cast<uint32_t>((form.results + elements_of_block - 1) / elements_of_block);
  }
  batch.kernel = kernel_for(context, TextOf::segments, first.plan->key, first.group, first.plan->form, batch.text);
}

void submit_together(Context& context, Batch& batch, const std::vector<std::vector<Buffer>>& stores) {
  if (!batch.kernel) plan_together(context, batch);
  GroupArguments packed;
  for (uint32_t block : batch.first_blocks) packed.add(block);
  for (size_t m = 0; m < batch.members.size(); ++m) {
    const Batch::Member& member = batch.members[m];
    put_arguments(context, packed, member.group, member.plan->form, stores[m], stores[m]);
    packed.fill(Segments::head_bytes + (m + 1) * batch.segments.bytes);
  }
  packed.fill(Segments::head_bytes + batch.segments.count * batch.segments.bytes);
  TracedWork work;
  if (tracing())
    for (const Batch::Member& member : batch.members) add_work(work, member.group, member.plan->form);
  batch.kernel->launch(context.work_stream, batch.shape, packed, batch.members[0].group.nodes.back()->site, std::move(work));
}

}  // namespace

KernelText kernel_text(TextOf of, const Group& group, const Form& form, std::string printed) {
  if (printed.empty()) printed = of == TextOf::group ? print_kernel(group, form) : print_kernel_of_segments(group, form);
  KernelText text{std::move(printed)};
  text.options.fast_arithmetic = group.is_fast;
  return text;
}

void launch_group(Group& group, std::optional<LaunchPlan>& plan) {
  Context& context = context_on(group.device);
  if (is_empty(group) && !group.reduces) {
    for (uint32_t s : group.stores) group.nodes[s]->buffer = memory_of(context, group, s);
    return;
  }
  if (!plan) plan = LaunchPlan{form_of(group), {}, nullptr, {}};
  const Form& form = plan->form;
  std::vector<Buffer> stores, partials;
  for (uint32_t s : group.stores) {
    Node& node = *group.nodes[s];
    stores.push_back(memory_of(context, group, s));
    bool whole = node.op != Op::reduce || !form.chunked;
    size_t bytes = static_cast<size_t>(form.results * form.chunks) * size_of(accumulator(node.reduction, node.compute));
    partials.push_back(whole ? stores.back() : memory_for(context, std::max<size_t>(bytes, 1), node.site));
  }
  if (form.results > 0) {
    if (form.pack > 1 && !is_aligned(group, stores)) {
      LaunchPlan one_by_one{form, {}, nullptr, {}};
      one_by_one.form.pack = 1;
      submit(context, group, one_by_one, stores, partials);
    } else {
      submit(context, group, *plan, stores, partials);
    }
  }
  for (size_t i = 0; i < stores.size(); ++i) group.nodes[group.stores[i]]->buffer = stores[i];
}

bool launch_together(Batch& batch) {
  std::vector<Batch::Member>& members = batch.members;
  std::vector<std::vector<Buffer>> stores(members.size());
  Context& context = context_on(members[0].group.device);
  const Form& form = members[0].plan->form;
  for (size_t m = 0; m < members.size(); ++m) {
    const Group& group = members[m].group;
    for (uint32_t s : group.stores) stores[m].push_back(memory_of(context, group, s));
    if (form.pack > 1 && !is_aligned(group, stores[m])) return false;
  }
  submit_together(context, batch, stores);
  for (size_t m = 0; m < members.size(); ++m) {
    const Group& group = members[m].group;
    for (size_t i = 0; i < stores[m].size(); ++i) group.nodes[group.stores[i]]->buffer = std::move(stores[m][i]);
  }
  return true;
}

}  // namespace quern

#include "run/eval.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "codegen/emit.h"
#include "core/error.h"
#include "core/interrupts.h"
#include "core/log.h"
#include "core/wait.h"
#include "device/stream_order.h"
#include "graph/call.h"
#include "graph/schedule.h"
#include "run/calls/checks.h"
#include "run/explain.h"
#include "run/found_errors.h"
#include "run/group_arguments.h"
#include "run/kernel_cache.h"
#include "run/launch_shapes.h"
#include "run/replay.h"
#include "run/side_by_side.h"
#include "run/streams.h"
#include "run/trace.h"

namespace quern {

namespace {

struct Restart {};  // thrown by Undisturbed

class GroupEvaluator : public Evaluator {
 public:
  Buffer allocate(int8_t device, size_t bytes, Site site) override {
    return context_on(device).allocate(std::max<size_t>(bytes, 1), site);
  }
  bool idle(int8_t device) override {
    Context& context = context_on(device);
    return graph.streams_were_chosen ? context.idle() : context.default_stream->idle();
  }
  void finish(int8_t device) override {
    if (device >= 0) return;
    Context& context = context_on(device);
    uint64_t watched = last_watch();
    if (idle(device))
      return settle_found_errors(context, graph.streams_were_chosen ? nullptr : context.default_stream.get(), watched);
    Waiting waiting;
    graph.streams_were_chosen ? context.wait_all() : context.wait(context.default_stream);
  }
  void change_streams() override { quern::change_streams(); }

  Array without_negatives(const Array& exponents) override { return quern::without_negatives(exponents); }
  Array within_range(const Array& number, DType dtype) override { return quern::within_range(number, dtype); }

  void evaluate(std::span<Node* const> targets) override {
    run_all(targets, [](std::span<Node* const> nodes) { return graph.rounds.cut(nodes); });
  }

  bool evaluate_what_is_over() override {
    bool any = false;
    run_all({}, [&](std::span<Node* const> nodes) {
      Rounds::Segments segments = graph.rounds.cut_what_is_over(nodes);
      any |= !segments.empty();
      return segments;
    });
    return any;
  }

  uint64_t replayed() const { return replayed_; }

 private:
  // Handlers of signals may run where this thread waits. When one has used arrays, or let go of some, what was about to run is to
  // be scheduled anew.
  class Undisturbed {
   public:
    explicit Undisturbed(const GroupEvaluator& evaluator)
        : evaluator_(evaluator), evaluations_(evaluator.evaluations_), let_go_(graph.nodes_let_go) {}
    void check() const {
      if (evaluator_.evaluations_ != evaluations_ || graph.nodes_let_go != let_go_) throw Restart{};
    }

   private:
    const GroupEvaluator& evaluator_;
    const uint64_t evaluations_, let_go_;
  };

  // Runs the segments that `cut` makes of what the targets need; once more from the start when handlers of signals have used
  // arrays.
  template <class Cut>
  void run_all(std::span<Node* const> targets, const Cut& cut) {
    struct Compact {
      ~Compact() { graph.pending.compact(); }
    } at_the_end;
    for (;;) {
      try {
        ++evaluations_;
        std::vector<Node*> nodes = needed_for(targets);
        for (std::span<Node* const> segment : cut(nodes)) run_segment(segment);
        return;
      } catch (const Restart&) {
      }
    }
  }

  void run_segment(std::span<Node* const> nodes) {
    read(nodes, sequence_);
    if (std::shared_ptr<Replay> known = replays_.find(sequence_)) {
      ++replayed_;
      return replay(*known);
    }
    std::vector<Batch> batches = batches_of(schedule(nodes));
    if (replays_.comes_again(sequence_)) return replay(*replays_.keep(sequence_, std::move(batches)));
    SideBySide compilers(batches);
    for (Batch& batch : batches) run(batch);
  }

  void replay(Replay& known) {
    for (size_t i = 0; i < known.size(); ++i) run(known.batch(i, sequence_));
  }

  // Between groups, where nothing is half done: handles signals, and waits where much is submitted already.
  void look(const Group& group) {
    Undisturbed undisturbed(*this);
    look_at_signals();
    context_on(group.device).work_stream->make_room();
    undisturbed.check();
  }

  void run(Batch& batch) {
    look(batch.members[0].group);
    bool together = batch.members.size() > 1 && std::none_of(batch.members.begin(), batch.members.end(),
                                                             [](const auto& member) { return failed_input(member.group); });
    if (together && run_together(batch)) return;
    for (Batch::Member& member : batch.members) run(member.group, member.plan);
  }

  // The kernel of a group's text. Throws Restart when arrays were used while it was compiled.
  template <class Print>
  Kernel* kernel_for(Context& context, TextOf of, const Key& key, const Group& group, const std::string& printed, Print&& print) {
    Undisturbed undisturbed(*this);
    TextKernels& found = kernel_cache().get(context, of, key, [&] {
      KernelText text{printed.empty() ? print() : printed};
      text.ops = ops_of(group);
      return text;
    });
    undisturbed.check();
    return &found.kernel("group");
  }

  void run(Group& group, std::optional<Plan>& plan) {
    std::vector<NodeRef> hold;
    hold.reserve(group.nodes.size());
    for (Node* node : group.nodes) hold.emplace_back(node);
    if (auto error = failed_input(group)) {
      fail(group, error);
      return;
    }
    std::vector<Doubt> doubts = doubts_of(group);
    const Doubt first = group.is_call ? next_doubt() : 0;
    Undisturbed undisturbed(*this);
    ArrayWork work;
    try {
      if (group.is_call) {
        call(*group.nodes[0]);
      } else if (!group.stores.empty()) {
        launch(group, plan);
      }
    } catch (const Error& e) {
      // Out of memory leaves the group pending: whoever looks again tries again. Everything else is told by looks at its values.
      if (e.kind() == ErrorKind::out_of_memory) throw;
      fail(group, std::make_shared<const Failed>(e.kind(), e.what()));
      return;
    }
    if (group.is_call) {
      for (Doubt opened = first, end = next_doubt(); opened < end; ++opened) {
        if (group.nodes[0]->writes()) tell_once(opened);
        add_doubts(doubts, {&opened, 1});
      }
    }
    finish(group, doubts);
    undisturbed.check();
  }

  // All members in one launch. False: their memory does not allow it.
  bool run_together(Batch& batch) {
    std::vector<Batch::Member>& members = batch.members;
    std::vector<NodeRef> hold;
    std::vector<std::vector<Buffer>> stores(members.size());
    Context& context = context_on(members[0].group.device);
    const Form& form = members[0].plan->form;
    for (size_t m = 0; m < members.size(); ++m) {
      Group& group = members[m].group;
      for (Node* node : group.nodes) hold.emplace_back(node);
      for (uint32_t s : group.stores) stores[m].push_back(memory_of(context, group, s));
      if (form.pack > 1 && !is_aligned(group, stores[m])) return false;
    }
    ArrayWork work;
    try {
      submit_together(context, batch, stores);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::out_of_memory) throw;
      for (Batch::Member& member : members) fail(member.group, std::make_shared<const Failed>(e.kind(), e.what()));
      return true;
    }
    for (size_t m = 0; m < members.size(); ++m) {
      Group& group = members[m].group;
      std::vector<Doubt> doubts = doubts_of(group);
      for (size_t i = 0; i < stores[m].size(); ++i) group.nodes[group.stores[i]]->buffer = std::move(stores[m][i]);
      finish(group, doubts);
    }
    return true;
  }

  static std::vector<Doubt> doubts_of(const Group& group) {
    std::vector<Doubt> doubts;
    for (const Load& load : group.loads) add_doubts(doubts, load.node->doubts);
    for (Node* node : group.nodes) {
      if (!group.is_call && !node->writes()) continue;
      for (const Operand& o : node->inputs()) add_doubts(doubts, o.node->doubts);
    }
    return doubts;
  }

  // The work that made what the group reads.
  static std::vector<uint64_t> works_of(const Group& group) {
    std::vector<uint64_t> works;
    for (const Load& load : group.loads) works.push_back(load.node->work);
    for (Node* node : group.nodes) {
      if (!group.is_call && !node->writes()) continue;
      for (const Operand& o : node->inputs()) works.push_back(o.node->work);
    }
    std::erase(works, 0);
    return works;
  }

  static std::shared_ptr<const Failed> failed_input(const Group& group) {
    auto error_of = [](const Node& node) { return node.error ? node.error : interrupted(node); };
    for (const Load& load : group.loads) {
      if (auto error = error_of(*load.node)) return error;
    }
    for (Node* node : group.nodes) {
      if (!group.is_call && !node->writes()) continue;
      for (const Operand& o : node->inputs()) {
        if (auto error = error_of(*o.node)) return error;
        if (!group.is_call) break;  // the others are loads
      }
    }
    return nullptr;
  }

  static void fail(Group& group, const std::shared_ptr<const Failed>& error) {
    for (Node* node : group.nodes) {
      node->error = error;
      node->is_computed = true;
    }
    let_go(group);
  }

  static void finish(Group& group, const std::vector<Doubt>& doubts) {
    if (context_on(group.device).device.may_drop_work()) record_inputs(ArrayWork::current(), works_of(group));
    for (uint32_t s : group.stores) {
      group.nodes[s]->is_computed = true;
      Node& node = *group.nodes[s];
      node.work = node.op == Op::part ? node.operands[0].node->work : ArrayWork::current();
      if (!doubts.empty()) group.nodes[s]->doubts = doubts;
    }
    let_go(group);
  }

  static void let_go(Group& group) {
    for (Node* node : group.nodes) {
      graph.pending.remove(*node);
      node->drop_inputs();
    }
  }

  // A function of whole arrays: memory for its results, then its body submits the work.
  void call(Node& node) {
    if (node.op == Op::part) {
      node.buffer = node.operands[0].node->call->buffers[node.part - 1u];
      return;
    }
    Context& context = context_on(node.device);
    Call& call = *node.call;
    std::vector<CallView> inputs, outputs;
    auto view = [&](const Buffer& buffer, const SpaceRef& space, DType dtype) {
      return CallView{static_cast<char*>(buffer.pointer()) + space->layout.offset * static_cast<int64_t>(size_of(dtype)),
                      buffer.block(), space, dtype};
    };
    for (const Operand& o : std::span(call.operands).subspan(call.in_place ? 1 : 0))
      inputs.push_back(view(o.node->buffer, o.space, o.dtype));
    std::vector<Buffer> held;  // a handler of a signal may be run while the body compiles something or waits for memory
    for (const Operand& o : call.operands) held.push_back(o.node->buffer);
    std::optional<WithoutSignals> undisturbed;
    if (call.in_place) undisturbed.emplace();
    Node* self = &node;
    Buffer out = memory_of(context, {&self, 1}, node);
    outputs.push_back(call.in_place ? view(out, node.target, node.target_dtype) : view(out, node.space, node.dtype));
    std::vector<Buffer> more;
    for (const CallResult& result : call.more) {
      SpaceRef space = space_of_result(result);
      more.push_back(
          memory(context, std::max<size_t>(static_cast<size_t>(space->size) * size_of(result.dtype), 1), node.site, false));
      outputs.push_back(view(more.back(), space, result.dtype));
    }
    call.body->run({inputs, outputs, node.device, node.site});
    watched_work_is_submitted();
    node.buffer = std::move(out);
    call.buffers = std::move(more);
  }

  void launch(Group& group, std::optional<Plan>& plan) {
    Context& context = context_on(group.device);
    if (is_empty(group) && !group.reduces) {
      for (uint32_t s : group.stores) group.nodes[s]->buffer = memory_of(context, group, s);
      return;
    }
    if (!plan) plan = Plan{form_of(group), {}, nullptr, {}};
    const Form& form = plan->form;
    std::vector<Buffer> stores, partials;
    for (uint32_t s : group.stores) {
      Node& node = *group.nodes[s];
      stores.push_back(memory_of(context, group, s));
      bool whole = node.op != Op::reduce || !form.chunked;
      size_t bytes = static_cast<size_t>(form.results * form.chunks) * size_of(accumulator(node.reduction, node.compute));
      partials.push_back(whole ? stores.back() : memory(context, std::max<size_t>(bytes, 1), node.site));
    }
    if (form.results > 0) {
      if (form.pack > 1 && !is_aligned(group, stores)) {
        Plan one_by_one{form, {}, nullptr, {}};
        one_by_one.form.pack = 1;
        submit(context, group, one_by_one, stores, partials);
      } else {
        submit(context, group, *plan, stores, partials);
      }
    }
    for (size_t i = 0; i < stores.size(); ++i) group.nodes[group.stores[i]]->buffer = stores[i];
  }

  void submit(Context& context, const Group& group, Plan& plan, const std::vector<Buffer>& stores,
              const std::vector<Buffer>& partials) {
    const Form& form = plan.form;
    GroupArguments packed;
    put_arguments(context, packed, group, form, stores, partials);
    if (!plan.kernel) {
      if (plan.key.empty()) plan.key = key_of(group, form);
      plan.kernel = kernel_for(context, TextOf::group, plan.key, group, plan.text, [&] { return print_kernel(group, form); });
      plan.text.clear();
      plan.shape = group.reduces ? reduction_shape(form.results, form.chunks, form.walk) : elementwise_shape(group, form);
    }
    submit(context, *plan.kernel, plan.shape, packed, group.nodes.back()->site);
    for (size_t i = 0; !form.combines && i < stores.size(); ++i) {
      const Node& node = *group.nodes[group.stores[i]];
      if (partials[i].block() != stores[i].block()) combine(context, node, partials[i], stores[i], form.results, form.chunks);
    }
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
    submit(context, *batch.kernel, batch.shape, packed, batch.members[0].group.nodes.back()->site);
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
    batch.kernel = kernel_for(context, TextOf::segments, first.plan->key, first.group, batch.text,
                              [&] { return print_kernel_of_segments(first.group, first.plan->form); });
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
      packed.pointer(
          partials[i],
          form.stores[i].offset * static_cast<int64_t>(size_of(node.op == Op::update ? node.target_dtype : node.dtype)), true);
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

  // Memory of others may begin anywhere.
  static bool is_aligned(const Group& group, const std::vector<Buffer>& stores) {
    auto fits = [](const Buffer& buffer) { return !buffer || reinterpret_cast<uintptr_t>(buffer.pointer()) % 16 == 0; };
    return std::all_of(stores.begin(), stores.end(), fits) &&
           std::all_of(group.loads.begin(), group.loads.end(), [&](const Load& load) { return fits(load.node->buffer); });
  }

  // Memory for what is not submitted yet. Throws Restart when arrays were used while it waited for some to come free.
  Buffer memory(Context& context, size_t bytes, Site site, bool in_order = true) {
    Undisturbed undisturbed(*this);
    Buffer out = context.allocate(bytes, site, in_order);
    undisturbed.check();
    return out;
  }

  // Memory for a result. An update goes into the memory of the old value, unless somebody may still look at that.
  Buffer memory_of(Context& context, const Group& group, uint32_t store) {
    Node& node = *group.nodes[store];
    if (Buffer taken = taken_over(context, group, node)) return taken;
    return memory_of(context, group.nodes, node);
  }
  // The memory of a value that the result is computed from, where it lies like the result and nobody else will see it: `a = a +
  // b` then stays where it is. Each thread reads all that it needs before it writes, and it writes over what it alone has read.
  static Buffer taken_over(const Context& context, const Group& group, const Node& node) {
    if (group.reduces || group.updates || node.size() <= 1 || node.shape() != group.shape) return {};
    for (const Load& load : group.loads) {
      const Node& old = *load.node;
      if (!old.buffer || !(load.space == node.space) || load.dtype != node.dtype || !only_here(context, group, old)) continue;
      auto others = [&](const Load& other) {
        return other.node == load.node && !(other.space == load.space && other.dtype == load.dtype);
      };
      if (std::none_of(group.loads.begin(), group.loads.end(), others) && old.size() == node.size() && old.dtype == node.dtype)
        return old.buffer;
    }
    return {};
  }
  // A value that is gone once the group has run, in memory of ours that it has for itself.
  static bool only_here(const Context& context, const Group& group, const Node& value) {
    const Block& block = *value.buffer.block();
    if (value.cells > 0 || block.references != 1 || block.owner != &context.pool || block.escaped || value.is_pinned())
      return false;
    uint32_t here = 0;
    for (const Node* node : group.nodes) {
      for (const Operand& o : node->inputs()) here += o.node.get() == &value;
    }
    return value.references == here;
  }
  Buffer memory_of(Context& context, std::span<Node* const> group, Node& node) {
    size_t bytes = std::max<size_t>(static_cast<size_t>(node.size()) * size_of(node.dtype), 1);
    if (!node.writes()) return memory(context, bytes, node.site);
    Node& old = *node.inputs()[0].node;
    uint32_t here = 0;
    for (Node* other : group) {
      for (Operand& o : other->inputs()) here += o.node.get() == &old;
    }
    bool free = old.cells == 0 && old.references == here;
    if (free || node.writes_pinned) return old.buffer;
    Buffer copy = memory(context, bytes, node.site);
    use_on(context.work_stream, *old.buffer.block(), false);
    use_on(context.work_stream, *copy.block(), true);
    context.copy(context.work_stream, copy.pointer(), old.buffer.pointer(), bytes, CopyKind::device_to_device, false);
    return copy;
  }

  void combine(Context& context, const Node& node, Buffer partial, const Buffer& out, int64_t results, int64_t count) {
    WithoutSignals undisturbed;  // a part of the group has run
    DType type = accumulator(node.reduction, node.compute);
    for (;;) {
      int64_t chunks = (count + chunk_elements - 1) / chunk_elements;
      DType to = chunks == 1 ? node.dtype : type;
      Buffer next = chunks == 1 ? out : context.allocate(static_cast<size_t>(results * chunks) * size_of(type), node.site, true);
      const uint64_t key[] = {static_cast<uint64_t>(node.reduction), static_cast<uint64_t>(type), static_cast<uint64_t>(to)};
      Kernel& kernel =
          kernel_cache()
              .get(context, TextOf::combine, key, [&] { return KernelText{print_combine(node.reduction, type, to)}; })
              .kernel("group");
      GroupArguments packed;
      packed.pointer(partial, 0, false);
      packed.pointer(next, 0, true);
      for (int64_t number : {results, count, chunks}) packed.index(number, true);
      submit(context, kernel, reduction_shape(results, chunks, Walk::lanes_inside), packed, node.site);
      if (chunks == 1) return;
      partial = next;
      count = chunks;
    }
  }
  // How many blocks of a launch have ended: 0 between launches.
  const Buffer& counter(Context& context) {
    Buffer& found = counters_[context.trace_index()];
    if (!found) {
      found = memory(context, sizeof(uint32_t), no_site, false);
      use_on(context.work_stream, *found.block(), true);
      context.fill(context.work_stream, found.pointer(), 0, 0, sizeof(uint32_t), 1, 1);
    }
    return found;
  }

  static void submit(Context& context, Kernel& kernel, const LaunchShape& shape, const GroupArguments& packed, Site site) {
    kernel.launch(context.work_stream, shape, packed, site);
  }

  std::map<int, Buffer> counters_;
  Sequence sequence_;  // what is being evaluated
  Replays replays_;
  uint64_t replayed_ = 0;
  uint64_t evaluations_ = 0;  // begun: whoever sees the number change was interrupted by another one
};

}  // namespace

static GroupEvaluator& the_evaluator() {
  static GroupEvaluator* one = new GroupEvaluator;
  return *one;
}

void install_evaluator() {
  static const bool once = (set_evaluator(&the_evaluator()), true);
  static_cast<void>(once);
}

uint64_t replayed() {
  GraphLock lock;
  return the_evaluator().replayed();
}

}  // namespace quern

#include "run/eval.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "core/interrupts.h"
#include "core/trace.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "device/check/timeline.h"
#include "device/stream_order.h"
#include "graph/executor.h"
#include "graph/schedule.h"
#include "run/call_node.h"
#include "run/found_errors.h"
#include "run/group_launch.h"
#include "run/outcomes.h"
#include "run/recompute.h"
#include "run/replay.h"
#include "run/side_by_side.h"
#include "run/streams.h"
#include "run/tier0.h"
#include "run/tiers.h"
#include "run/undisturbed.h"

namespace quern {

namespace {

// Launches between its making and its end may go to the driver together. Not while they are traced, one by one.
class Together {
 public:
  explicit Together(StreamPtr stream) {
    if (tracing()) return;
    stream_ = std::move(stream);
    stream_->begin_together();
  }
  ~Together() {
    try {
      end();
    } catch (const std::exception&) {  // the device has failed: whoever waits for it gets the error
    }
  }
  Together(const Together&) = delete;
  void end() {
    if (StreamPtr stream = std::exchange(stream_, nullptr)) stream->end_together();
  }

 private:
  StreamPtr stream_;
};

// An error's text with the line that recorded the work: it is raised at the line that reads a value.
std::string with_line(std::string text, const Group& group) {
  const std::string where = describe_site(group.nodes.back()->site);
  return where.empty() || text.find(where) != std::string::npos ? text : text + recorded_at(group.nodes.back()->site);
}

// The waits of a check are not the program's: traces have none of them.
void wait_for_check() {
  Context& context = cpu_context();
  if (graph.streams_were_chosen || array_work_ended(context)) return finish_array_work(context);
  const uint64_t watched = last_watch();
  const Waiting waiting;
  context.default_stream->synchronize();
  check::host_waits(*context.default_stream);
  settle_found_errors(context, context.default_stream.get(), watched);
}

class Evaluator {
 public:
  // What the nodes need; no nodes: everything pending. `asked`: those whose values are about to be read.
  void evaluate(std::span<Node* const> nodes, std::span<Node* const> asked) {
    run_all(nodes, asked, [](std::span<Node* const> needed) { return graph.rounds.cut(needed); });
  }

  // Everything pending as one round, unless it is more than a round can be.
  void evaluate_round() {
    constexpr size_t most = 2048;  // nodes
    run_all({}, {}, [](std::span<Node* const> needed) {
      if (needed.empty() || needed.size() > most) return graph.rounds.cut(needed);
      return Rounds::Segments{needed};
    });
  }

  bool evaluate_rounds_over() {
    bool any = false;
    run_all({}, {}, [&](std::span<Node* const> needed) {
      Rounds::Segments segments = graph.rounds.cut_what_is_over(needed);
      any |= !segments.empty();
      return segments;
    });
    return any;
  }

  uint64_t replayed() const { return replayed_; }

 private:
  // Runs the segments that `cut` makes of what the targets need; once more from the start when handlers of signals have used
  // arrays.
  template <class Cut>
  void run_all(std::span<Node* const> targets, std::span<Node* const> asked, const Cut& cut) {
    struct AtTheEnd {
      Evaluator& self;
      std::span<Node* const> asked_before;  // a signal handler evaluates inside of another evaluation
      ~AtTheEnd() {
        self.asked_ = asked_before;
        graph.pending.compact();
      }
    } at_the_end{*this, std::exchange(asked_, asked)};
    for (;;) {
      try {
        ++graph.evaluations;
        std::vector<Node*> nodes = needed_for(targets);
        for (std::span<Node* const> segment : cut(nodes)) run_segment(segment);
        return;
      } catch (const Restart&) {
      }
    }
  }

  void run_segment(std::span<Node* const> nodes) {
    settle_done(context_on(nodes[0]->device));
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

  // Does a value that was asked for depend on the group?
  bool is_asked_for(const Group& group) const {
    std::set<const Node*> seen;
    std::vector<Node*> open(asked_.begin(), asked_.end());
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      if (node->is_computed || !seen.insert(node).second) continue;
      for (Operand& o : node->inputs()) open.push_back(o.node.get());
    }
    return std::ranges::any_of(group.nodes, [&](const Node* node) { return seen.contains(node); });
  }

  // What is known launches the same kernels each time: on a GPU they go out together.
  void replay(Replay& known) {
    Together together(context_on(known.device()).work_stream);
    for (size_t i = 0; i < known.size(); ++i) run(known.batch(i, sequence_));
    together.end();
  }

  // Between groups, where nothing is half done: handles signals, and waits where much is submitted already.
  void look(const Group& group) {
    Undisturbed undisturbed;
    look_at_signals();
    // Only a profile records it: the program did not ask for this wait.
    TraceSink* sink = trace_listener();
    int64_t start = sink && sink->wants_releases() ? now_ns() : 0;
    context_on(group.device).work_stream->make_room();
    constexpr int64_t waited = 20'000;  // ns; it is mostly a read of a value
    if (start && now_ns() - start > waited)
      trace_host(TraceKind::wait, group.device, group.nodes.back()->site, start, "work before it to end");
    undisturbed.check();
  }

  void run(Batch& batch) {
    look(batch.members[0].group);
    bool together =
        batch.members.size() > 1 && !check::on() &&
        std::none_of(batch.members.begin(), batch.members.end(), [](const auto& member) { return failed_input(member.group); });
    const bool singly = together && tiers().runs_singly(batch);
    if (together && !singly && run_together(batch)) return;
    if (singly) {
      for (Batch::Member& member : batch.members) run_singly(member.group);
      return;
    }
    for (Batch::Member& member : batch.members) run(member.group, member.plan);
  }

  void run(Group& group, std::optional<LaunchPlan>& plan) {
    tiers().runs_singly(group, plan) ? run_singly(group) : run_now(group, plan);
  }

  // Operation by operation. What nobody needs any more goes at once.
  void run_singly(Group& group) {
    std::vector<NodeRef> nodes;
    nodes.reserve(group.nodes.size());
    for (Node* node : group.nodes) nodes.emplace_back(node);
    for (NodeRef& node : nodes) {
      for (Conversion& conversion : conversions_for(*node)) {
        run_single(*conversion.node, group);
        take_conversion(*node, std::move(conversion));
      }
      run_single(*node, group);
      node = {};
    }
  }
  void run_single(Node& node, const Group& whole) {
    Single single = single_of(node);
    run_now(single.group, single.plan, &whole);
  }

  // `whole`: the group of which this is an operation, or a conversion of an operand.
  void run_now(Group& group, std::optional<LaunchPlan>& plan, const Group* whole = nullptr) {
    std::vector<NodeRef> hold;
    hold.reserve(group.nodes.size());
    for (Node* node : group.nodes) hold.emplace_back(node);
    if (auto error = failed_input(group)) {
      fail(group, error);
      return;
    }
    std::vector<DeferredError> deferred = deferred_of(group);
    OpenedDeferred opened_here;
    Undisturbed undisturbed;
    ArrayWork work;
    try {
      if (group.is_call) {
        Node& call = *group.nodes[0];
        run_call(call);
        if (check::on() && call.buffer && call.device.is_cpu()) check::written(call.buffer.pointer(), call.buffer.bytes());
      } else if (!group.stores.empty()) {
        std::optional<Recomputed> alone;
        if (check::on() && group.device.is_cpu()) {
          wait_for_check();
          alone.emplace(group);
        }
        launch_group(group, plan);
        if (alone) {
          wait_for_check();
          alone->compare();
        }
      }
    } catch (const Error& e) {
      // Out of memory for a value that is being read: the group stays pending, and the next read tries again. Every other error
      // is raised by reads of the group's values.
      if (e.kind() == ErrorKind::out_of_memory && is_asked_for(whole ? *whole : group)) throw;
      fail(group, std::make_shared<const Failed>(e.kind(), with_line(e.what(), group)));
      return;
    }
    if (group.is_call) {
      for (const DeferredError& opened : opened_here.take()) {
        if (group.nodes[0]->writes()) tell_once(opened);
        add_deferred(deferred, {&opened, 1});
      }
    }
    finish(group, deferred);
    undisturbed.check();
  }

  bool run_together(Batch& batch) {
    std::vector<NodeRef> hold;
    for (const Batch::Member& member : batch.members)
      for (Node* node : member.group.nodes) hold.emplace_back(node);
    ArrayWork work;
    try {
      if (!launch_together(batch)) return false;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::out_of_memory) return false;  // one by one, the first may have room
      for (Batch::Member& member : batch.members)
        fail(member.group, std::make_shared<const Failed>(e.kind(), with_line(e.what(), member.group)));
      return true;
    }
    for (Batch::Member& member : batch.members) finish(member.group, deferred_of(member.group));
    return true;
  }

  std::span<Node* const> asked_;  // of what is being evaluated: those that are about to be read
  Sequence sequence_;             // what is being evaluated
  Replays replays_;
  uint64_t replayed_ = 0;
};

}  // namespace

static Evaluator& evaluator() {
  static auto* one = new Evaluator;
  return *one;
}

static bool run_for_graph(Ask ask, std::span<Node* const> nodes) {
  switch (ask) {
    case Ask::at_once:
      return run_tier0(*nodes[0]);
    case Ask::round_over:
      evaluator().evaluate_round();
      return true;
    case Ask::rounds_over:
      return evaluator().evaluate_rounds_over();
    case Ask::other_streams:
      change_streams();
      return true;
    case Ask::submitted:
    case Ask::with_readers:
    case Ask::done:
      break;
  }
  if (nodes.empty() || std::any_of(nodes.begin(), nodes.end(), [](const Node* node) { return !node->is_computed; }))
    evaluator().evaluate(nodes, ask == Ask::with_readers ? nodes.first(1) : nodes);
  if (ask == Ask::done && nodes[0]->device.is_cpu()) finish_array_work(cpu_context());
  return true;
}

void install_executor() {
  static const bool once = (set_executor(&run_for_graph), true);  // any thread may be the first
  static_cast<void>(once);
}

uint64_t replayed() {
  GraphLock lock;
  return evaluator().replayed();
}

}  // namespace quern

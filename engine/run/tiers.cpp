#include "run/tiers.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "compile/precompiled.h"
#include "core/log.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "graph/sequence.h"
#include "run/compile_job.h"
#include "run/group_launch.h"
#include "run/kernel_cache.h"

namespace quern {

namespace {

std::atomic<bool> tiered{[] {
  const char* text = std::getenv("QUERN_TIERED");
  return !text || std::strcmp(text, "0") != 0;
}()};

// ---- kernels of single operations

bool is_there(const std::string& printed) {
  const KernelText text{printed};
  return Precompiled::installed().has(text_key({text.text, text.name}, text.options));
}

// The first of the forms with a kernel that is there.
std::optional<LaunchPlan> plan_of(const Group& group) {
  Context& context = context_on(group.device);
  const Form own = form_of(group);
  for (const std::optional<Form>& form :
       {std::optional<Form>(own), shared_form(own, Shared::rows), shared_form(own, Shared::elements)}) {
    if (!form) continue;
    LaunchPlan plan{*form, key_of(group, *form), nullptr, {}};
    if (kernel_cache().has(context, TextOf::group, plan.key)) return plan;
    plan.text = print_kernel(group, *form);
    if (is_there(plan.text)) return plan;
  }
  return std::nullopt;
}

// ---- what a group's operations need

DType wanted_type(const Node& node, size_t operand) {
  if (node.op == Op::user) return node.user->operands[operand].dtype;
  if (node.op == Op::reduce) return node.inputs()[operand].dtype;
  if (node.op == Op::update) return operand == 0 ? node.inputs()[0].dtype : node.target_dtype;
  return operand_type(row(node.op), static_cast<int>(operand), node.compute);
}

// Positions are read as such by copies and by random numbers.
bool reads_positions(const Node& node) {
  return node.op == Op::cast || (node.op != Op::user && row(node.op).typing == Typing::random);
}

bool is_converted(const Node& node, size_t operand) {
  const Operand& o = node.inputs()[operand];
  if (node.op == Op::cast || o.node->op == Op::constant) return false;
  if (o.node->op == Op::index) return node.op >= Op::constant || !reads_positions(node);
  return o.dtype != wanted_type(node, operand);
}

NodeRef stand_in(DType dtype, const LayoutRef& layout, DeviceId device) { return new_node(Op::data, dtype, layout, device); }

// The operation over operands of the same form that are no results of others: what it would be printed as.
NodeRef model_of(const Node& node) {
  NodeRef model = new_node(node.op, node.dtype, node.layout, node.device);
  model->compute = node.compute;
  model->reduction = node.reduction;
  model->axes = node.axes;
  model->target = node.target;
  model->target_dtype = node.target_dtype;
  model->user = node.user;
  model->output = node.output;
  model->operand_count = node.operand_count;
  if (node.op == Op::user) {
    model->call = std::make_unique<Call>();
    model->call->operands.resize(node.inputs().size());
  }
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    const Operand& o = node.inputs()[i];
    if (o.node->op == Op::constant || (o.node->op == Op::index && !is_converted(node, i))) {
      model->inputs()[i] = o;
    } else {
      const DType dtype = wanted_type(node, i);
      model->inputs()[i] = {stand_in(dtype, o.layout, node.device), o.layout, dtype};
    }
  }
  return model;
}

NodeRef conversion_of(const Operand& operand, DType to) {
  // What is repeated is converted once.
  Layout from = *operand.layout;
  for (size_t i = 0; i < from.rank(); ++i)
    if (from.strides[i] == 0) from.shape[i] = std::min<int64_t>(from.shape[i], 1);
  NodeRef node = new_node(Op::cast, to, contiguous_layout(from.shape), operand.node->device);
  node->site = operand.node->site;
  node->operands[0] = {operand.node, interned(std::move(from)), operand.dtype};
  node->operand_count = 1;
  return node;
}

// Its result as the operand had been seen.
Operand converted(const Operand& operand, NodeRef conversion) {
  Layout layout = *conversion->layout;
  layout.shape = operand.layout->shape;
  for (size_t i = 0; i < layout.rank(); ++i)
    if (operand.layout->strides[i] == 0) layout.strides[i] = 0;
  const DType dtype = conversion->dtype;
  return {std::move(conversion), interned(std::move(layout)), dtype};
}

// The first operation of the group without a kernel; null: there is none.
const Node* first_without_kernel(const Group& group) {
  for (Node* node : group.nodes) {
    if (node->op >= Op::constant && node->op != Op::update && node->op != Op::reduce && node->op != Op::user) return node;
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      if (!is_converted(*node, i)) continue;
      NodeRef conversion = conversion_of(node->inputs()[i], wanted_type(*node, i));
      if (!plan_of(group_of(*model_of(*conversion)))) return node;
    }
    NodeRef model = model_of(*node);
    if (!plan_of(group_of(*model))) return node;
  }
  return nullptr;
}

// ---- compiling on another thread

struct Job {
  CompileJob work;
  std::shared_ptr<std::atomic<bool>> done;
};

// One thread, of low priority, while there is work. A fork waits for the kernel that is being compiled, since the compiler has
// locks of its own; in the child, which has no such thread, the others count as compiled, and who needs one compiles it.
class Background {
 public:
  Background() {
    static Background* one = this;
    compile_cache();  // handlers before a fork run backwards: its lock is taken after this one's
    pthread_atfork([] { one->before_fork(); }, [] { one->after_fork(false); }, [] { one->after_fork(true); });
  }
  void add(Job job) {
    std::lock_guard hold(lock_);
    jobs_.push_back(std::move(job));
    if (is_running_) return;
    try {
      start_beside([this] { work(); });
      is_running_ = true;
    } catch (const std::exception&) {
      drop();  // no thread is to be had: who needs a kernel compiles it
    }
  }
  size_t open() {
    std::lock_guard hold(lock_);
    return jobs_.size() + is_running_;
  }

 private:
  void work() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 10);
    while (std::optional<Job> job = take()) {
      std::lock_guard hold(compiling_);
      job->work.run();
      job->done->store(true, std::memory_order_release);
    }
  }
  std::optional<Job> take() {
    std::lock_guard hold(lock_);
    if (jobs_.empty()) {
      is_running_ = false;
      return std::nullopt;
    }
    std::optional<Job> job(std::move(jobs_.front()));
    jobs_.pop_front();
    taken_ = job->done;
    return job;
  }
  void drop() {
    for (Job& job : jobs_) *job.done = true;
    jobs_.clear();
  }
  void before_fork() {
    lock_.lock();
    compiling_.lock();
  }
  void after_fork(bool in_child) {
    if (in_child) {
      if (is_running_ && taken_) *taken_ = true;
      drop();
      is_running_ = false;
    }
    compiling_.unlock();
    lock_.unlock();
  }

  std::mutex lock_, compiling_;
  std::deque<Job> jobs_;
  std::shared_ptr<std::atomic<bool>> taken_;  // of the job that was taken last
  bool is_running_ = false;
};

Background& background() {
  static auto* one = new Background;
  return *one;
}

// What running the group's operations one by one takes longer than its kernel would, roughly.
double lost_ns(const Group& group) {
  constexpr double launch = 2000, element = 0.3;
  double elements = 1;
  for (int64_t d : group.shape) elements *= static_cast<double>(d);
  return static_cast<double>(group.nodes.size()) * (launch + element * elements);
}

constexpr double worth_compiling_ns = 2e6;

// Arrays whose work takes longer than the compiler: results in between would take memory, and save no time.
bool is_large(const Group& group) {
  constexpr double most_bytes = 64 << 20, most_ns = 5e7;
  double bytes = 0;
  for (const Node* node : group.nodes)
    bytes = std::max(bytes, static_cast<double>(node->size()) * static_cast<double>(size_of(node->dtype)));
  return bytes > most_bytes || lost_ns(group) > most_ns;
}

}  // namespace

bool is_tiered() { return tiered.load(std::memory_order_relaxed); }
bool set_tiered(bool on) { return tiered.exchange(on); }

Tiers::Counts Tiers::counts() const { return {groups_, behind_, behind_ > 0 ? background().open() : 0}; }

size_t Tiers::Hash::operator()(const Key& key) const { return hash_of(key); }

Tiers::Known* Tiers::found(TextOf of, const Group& group, std::optional<LaunchPlan>& plan) {
  if (!is_tiered() || group.device.is_gpu() || group.is_call || group.stores.empty() || is_empty(group) || check::on())
    return nullptr;
  if (Precompiled::installed().size() == 0 || is_large(group)) return nullptr;
  if (!plan) plan = LaunchPlan{form_of(group), {}, nullptr, {}};
  if (plan->kernel || plan->form.results == 0) return nullptr;
  if (plan->key.empty()) plan->key = key_of(group, plan->form);
  auto [at, is_new] = (of == TextOf::group ? of_groups_ : of_segments_).try_emplace(plan->key);
  Known& known = at->second;
  if (is_new) {
    Context& context = context_on(group.device);
    if (!kernel_cache().has(context, of, plan->key)) {
      const KernelText text = kernel_text(of, group, plan->form);
      const bool is_compiled =
          compile_cache().has(context.compiler(), {text.text, text.name}, text.options, context.device.target());
      const Node* missing = is_compiled ? nullptr : first_without_kernel(group);
      if (!is_compiled && !missing) known.state = Known::State::waits;
      if (missing)
        log(LogLevel::compiles, "a group of {} operations is compiled first: there is no kernel for {} of {} over {} dimensions",
            group.nodes.size(), name_of(missing->op), row(missing->compute).name, plan->form.kept + plan->form.reduced);
    }
  }
  if (known.state == Known::State::compiling && known.done->load(std::memory_order_acquire)) known.state = Known::State::there;
  return known.state == Known::State::there ? nullptr : &known;
}

bool Tiers::may_run_singly(const Group& group, std::optional<LaunchPlan>& plan) {
  return found(TextOf::group, group, plan) != nullptr;
}

bool Tiers::runs_singly(const Group& group, std::optional<LaunchPlan>& plan) {
  Known* known = found(TextOf::group, group, plan);
  if (known) count(*known, TextOf::group, group, plan->form, 1);
  return known;
}

bool Tiers::may_run_singly(Batch& batch) {
  Batch::Member& first = batch.members[0];
  if (batch.members.size() == 1) return may_run_singly(first.group, first.plan);
  return !batch.kernel && found(TextOf::segments, first.group, first.plan);
}

bool Tiers::runs_singly(Batch& batch) {
  Batch::Member& first = batch.members[0];
  Known* known = batch.kernel ? nullptr : found(TextOf::segments, first.group, first.plan);
  if (known) count(*known, TextOf::segments, first.group, first.plan->form, batch.members.size());
  return known;
}

void Tiers::count(Known& known, TextOf of, const Group& group, const Form& form, size_t times) {
  groups_ += times;
  known.spent_ns += lost_ns(group) * static_cast<double>(times);
  const bool was_seen = std::exchange(known.was_seen, true);  // many programs compute a thing once, however large
  if (known.state != Known::State::waits || !was_seen || known.spent_ns < worth_compiling_ns) return;
  Context& context = context_on(group.device);
  const KernelText text = kernel_text(of, group, form);
  Source source{text.text, text.name};
  Target target = context.device.target();
  auto claim = compile_cache().claim(context.compiler(), source, text.options, target);
  known.state = claim ? Known::State::compiling : Known::State::there;
  if (!claim) return;
  ++behind_;
  log(LogLevel::compiles, "a group of {} operations is compiled on another thread", group.nodes.size());
  known.done = std::make_shared<std::atomic<bool>>(false);
  background().add({{std::move(*claim), context.compiler(), std::move(source), text.options, std::move(target)}, known.done});
}

Tiers& tiers() {
  static auto* one = new Tiers;
  return *one;
}

Single single_of(Node& node) {
  Single out{group_of(node), std::nullopt};
  out.plan = plan_of(out.group);
  if (out.plan) out.plan->is_single = true;
  return out;
}

std::vector<Conversion> conversions_for(const Node& node) {
  std::vector<Conversion> out;
  for (size_t i = 0; i < node.inputs().size(); ++i)
    if (is_converted(node, i)) out.push_back({i, conversion_of(node.inputs()[i], wanted_type(node, i))});
  return out;
}

void take_conversion(Node& node, Conversion conversion) {
  Operand& operand = node.inputs()[conversion.operand];
  operand = converted(operand, std::move(conversion.node));
}

}  // namespace quern

#include "run/side_by_side.h"

#include "core/wait.h"
#include "run/compile_job.h"
#include "run/group_launch.h"
#include "run/kernel_cache.h"
#include "run/tiers.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

namespace quern {

constexpr size_t most_threads_at_once = 8;  // a compiler takes some 100 MB

struct SideBySide::Wanted {
  Context* context;
  TextOf of;
  const Key* key;
  std::string* text;  // where it is printed to, for who asks the kernel cache
  const Group* group;
  const Form* form;
};

void SideBySide::add_missing(std::vector<Wanted>& all, const Wanted& wanted) {
  bool is_known = std::any_of(all.begin(), all.end(), [&](const Wanted& other) {
    return other.context == wanted.context && other.of == wanted.of && *other.key == *wanted.key;
  });
  if (!is_known && !kernel_cache().has(*wanted.context, wanted.of, *wanted.key)) all.push_back(wanted);
}

// The kernels that the batches will ask for and nobody has, as far as that is known before they run.
std::vector<SideBySide::Wanted> SideBySide::missing(std::span<Batch> batches) {
  std::vector<Wanted> all;
  for (Batch& batch : batches) {
    const Group& group = batch.members[0].group;
    std::optional<LaunchPlan>& plan = batch.members[0].plan;
    if (group.is_call || group.stores.empty() || (is_empty(group) && !group.reduces)) continue;
    if (!plan) plan = LaunchPlan{form_of(group), {}, nullptr, {}};
    if (plan->form.results == 0) continue;
    if (plan->key.empty()) plan->key = key_of(group, plan->form);
    const bool together = batch.members.size() > 1;
    if (tiers().may_run_singly(batch)) continue;
    add_missing(all, {&context_on(group.device), together ? TextOf::segments : TextOf::group, &plan->key,
                      together ? &batch.text : &plan->text, &group, &plan->form});
  }
  return all;
}

struct SideBySide::Queue {
  std::vector<std::optional<CompileJob>> jobs;
  std::atomic<size_t> next{0};

  std::optional<CompileJob> take() {
    size_t i = next.fetch_add(1);
    return i < jobs.size() ? std::exchange(jobs[i], std::nullopt) : std::nullopt;
  }
  void work() {
    while (std::optional<CompileJob> job = take()) job->run();
  }
};

// What the cache of compiled code has neither in memory nor on the disk.
std::shared_ptr<SideBySide::Queue> SideBySide::queue_of(std::span<const Wanted> all) {
  auto queue = std::make_shared<Queue>();
  for (const Wanted& wanted : all) {
    KernelText text = kernel_text(wanted.of, *wanted.group, *wanted.form);
    *wanted.text = text.text;
    Source source{text.text, text.name};
    Compiler& compiler = wanted.context->compiler();
    Target target = wanted.context->device.target();
    if (auto claim = compile_cache().claim(compiler, source, text.options, target))
      queue->jobs.push_back(CompileJob{std::move(*claim), compiler, std::move(source), text.options, std::move(target)});
  }
  return queue;
}

SideBySide::SideBySide(std::span<Batch> batches) {
  if (batches.size() < 2 || cpu_threads() < 2) return;
  std::vector<Wanted> wanted = missing(batches);
  if (wanted.size() < 2) return;
  try {
    auto queue = queue_of(wanted);
    const size_t jobs = queue->jobs.size();
    if (jobs < 2) return;
    queue_ = queue;
    for (size_t i = 0; i < std::min({jobs, size_t{cpu_threads()}, most_threads_at_once}); ++i)
      start_beside([queue] { queue->work(); });
  } catch (const std::exception&) {
    drop();  // there is no thread to be had, or no compiler: the group that needs it reports it
  }
}

SideBySide::~SideBySide() { drop(); }

void SideBySide::drop() {
  while (queue_ && queue_->take()) {
  }
}

}  // namespace quern

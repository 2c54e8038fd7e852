#include "run/kernel_cache.h"

#include "graph/sequence.h"
#include "run/compile_reasons.h"
#include "run/kept_texts.h"

#include <algorithm>

namespace quern {

Kernel& TextKernels::kernel(std::string_view name) {
  std::lock_guard hold(lock_);
  for (auto& [known, kernel] : kernels_)
    if (known == name) return *kernel;
  std::string wanted(name);
  std::shared_ptr<Kernel> made = program_->kernel(wanted);
  return *kernels_.emplace_back(std::move(wanted), std::move(made)).second;
}

size_t KernelCache::Hash::operator()(const View& key) const {
  return hash_of(key.words) ^ (static_cast<uint64_t>(key.of) << 8 | key.device.key());
}

bool KernelCache::Equal::operator()(const View& a, const View& b) const {
  return a.of == b.of && a.device == b.device && std::ranges::equal(a.words, b.words);
}

TextKernels* KernelCache::find(const View& key) {
  std::lock_guard hold(lock_);
  auto found = all_.find(key);
  return found == all_.end() ? nullptr : found->second.get();
}

TextKernels& KernelCache::add(Context& context, TextOf of, Words words, KernelText text) {
  Key key{of, context.id(), {words.begin(), words.end()}};  // compiling may run handlers of signals
  printed_.fetch_add(1, std::memory_order_relaxed);
  auto identity = std::make_shared<KernelIdentity>();
  identity->key = Hash()({of, DeviceId::gpu(0), words});
  identity->ops = text.ops.empty() ? std::vector<std::string>{author_names[static_cast<size_t>(of)]} : std::move(text.ops);
  identity->form = std::move(text.form);
  identity->widened = std::move(text.widened);
  const uint64_t work = text.work != 0 ? text.work : std::hash<std::string>()(text.name) ^ static_cast<uint64_t>(of);
  if (text.traits.empty()) text.traits = {{"dtypes or sizes", identity->key}, {"device", context.id().key()}};
  identity->reason = compile_reasons().note(work, text.traits);
  Site site = text.site != no_site ? text.site : WorkOf::now();
  auto made = std::make_unique<TextKernels>(build(context, {text.text, text.name}, text.options, {}, std::move(identity), site));
  keep_text(text.text, text.options);
  std::lock_guard hold(lock_);
  return *all_.try_emplace(std::move(key), std::move(made)).first->second;
}

void KernelCache::forget(DeviceId device, TextOf of, Words words) {
  std::unique_ptr<TextKernels> gone;  // unloaded without the lock
  std::lock_guard hold(lock_);
  auto found = all_.find(View{of, device, words});
  if (found == all_.end()) return;
  gone = std::move(found->second);
  all_.erase(found);
}

KernelCache& kernel_cache() {
  static auto* one = new KernelCache;  // calls may come while the process ends
  return *one;
}

}  // namespace quern

#include "run/interrupt.h"
#include "core/format.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/wait.h"
#include "run/context.h"

namespace quern {

namespace {

std::string text_of(Context& context, const std::vector<Stopped>& all) {
  constexpr size_t most = 4;
  std::string out;
  std::vector<std::string> written;
  for (size_t i = 0; i < all.size(); ++i) {
    const Stopped& stopped = all[i];
    std::string where = describe_site(stopped.site);
    std::string what = stopped.name.empty() ? "work" : "the kernel '" + stopped.name + "'";
    if (i < most)
      out += formatted("{}{}{} {}", out.empty() ? "" : "; ", what, where.empty() ? "" : ", launched at " + where + ",",
                       stopped.still_runs ? "still runs on " + context.name() : "was stopped");
    for (const void* pointer : stopped.written) {
      std::string block = context.pool.describe(pointer);
      if (!block.empty() && std::find(written.begin(), written.end(), block) == written.end()) written.push_back(block);
    }
  }
  for (size_t i = 0; i < std::min(written.size(), most); ++i)
    out += formatted("{}{}", i ? ", " : "; may be half written: ", written[i]);
  return out;
}

std::string stop_work() {
  std::string out;
  for (Context* context : all_contexts()) {
    std::string text = text_of(*context, context->device.interrupt());
    if (!text.empty()) out += (out.empty() ? "" : "; ") + text;
  }
  return out;
}

}  // namespace

void install_interrupts() { set_interrupt_hook(stop_work); }

}  // namespace quern

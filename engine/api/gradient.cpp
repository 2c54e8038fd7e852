// quern/gradient.h on functions/backward.h.
#include "quern/gradient.h"

#include "api/bodies.h"
#include "functions/backward.h"

namespace qn {

using namespace inside;

namespace {

void run_backward(const Array& result, std::optional<quern::Array> given, const BackwardOptions& options, const Here& here) {
  asked(here, [&] {
    quern::BackwardOptions how{options.retain_graph || options.create_graph, options.create_graph, false};
    quern::backward({result.handle()}, {std::move(given)}, inside::given(options.inputs), how);
  });
}

}  // namespace

void requires_grad(const Array& x, bool wants, Here here) {
  asked(here, [&] { quern::want_gradient(x.handle(), wants); });
}

bool wants_gradient(const Array& x) { return quern::wants_gradient(x.handle()); }

Array detach(const Array& x, Here here) { return call(here, quern::detached, x); }

std::optional<Array> gradient(const Array& x) {
  std::shared_ptr<quern::Array> found = quern::gradient_of(x.handle());
  if (!found) return std::nullopt;
  return wrap(quern::Array(*found));
}

void clear_gradient(const Array& x) { quern::set_gradient(x.handle(), nullptr); }

void backward(const Array& result, const BackwardOptions& options, Here here) {
  run_backward(result, std::nullopt, options, here);
}
void backward(const Array& result, const Array& given, const BackwardOptions& options, Here here) {
  run_backward(result, given.handle(), options, here);
}

std::vector<Array> gradients(const std::vector<Array>& results, const std::vector<Array>& inputs, const GradientOptions& options,
                             Here here) {
  return asked(here, [&] {
    std::vector<std::optional<quern::Array>> from;
    for (const Array& g : options.given) from.emplace_back(g.handle());
    quern::BackwardOptions how{options.retain_graph || options.create_graph, options.create_graph, options.allow_unused};
    std::vector<std::optional<quern::Array>> found = quern::gradients(given(results), from, given(inputs), how);
    std::vector<Array> out;
    for (size_t i = 0; i < found.size(); ++i) {
      const quern::Array& x = inputs[i].handle();
      out.push_back(wrap(found[i] ? std::move(*found[i]) : quern::full(x.shape(), whole(0), x.dtype(), x.device())));
    }
    return out;
  });
}
Array gradients(const Array& result, const Array& input, const GradientOptions& options, Here here) {
  return gradients(std::vector{result}, std::vector{input}, options, here)[0];
}

NoGradient::NoGradient() : before_(quern::GradientMode::is_asked()) { quern::GradientMode::set(false); }
NoGradient::~NoGradient() { quern::GradientMode::set(before_); }

}  // namespace qn

// quern/optim.h: a regression that is compared with its closed form, and steps of each method, compared with PyTorch's values.
#include "quern/optim.h"

#include "arrays_fixture.h"
#include "quern/gradient.h"

namespace {

using namespace arrays_test;
namespace optim = qn::optim;

class Optimizers : public OnDevices {
 protected:
  // Gradient 2 (x - target) of each element.
  void descend(qn::Array& x, optim::Optimizer& optimizer, int steps) const {
    const qn::Array target = qn::array({1.0, -2.0, 0.5}, device());
    for (int i = 0; i < steps; ++i) {
      optimizer.zero_grad();
      qn::backward(qn::square(x - target).sum());
      optimizer.step();
    }
  }
  Reals after(const optim::Method& method, int steps = 5) const {
    qn::Array x = qn::array({0.5, 0.25, -1.0}, device());
    qn::requires_grad(x);
    optim::Optimizer optimizer({x}, method);
    descend(x, optimizer, steps);
    return reals(qn::detach(x));
  }
  // PyTorch keeps NAdam's product of momenta and ASGD's rate in float32, which costs its values digits.
  void expect_after(const optim::Method& method, const Reals& expected) const {
    const bool is_rounded = std::holds_alternative<optim::NAdam>(method) || std::holds_alternative<optim::ASGD>(method);
    const Reals got = after(method);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], is_rounded ? 1e-8 : 1e-12) << "element " << i;
  }
};
ON_DEVICES(Optimizers);

// A line through three points: slope 1.5 and offset 1/3 by the normal equations.
TEST_P(Optimizers, LineThroughPoints) {
  const qn::Array x = qn::array({0.0, 1.0, 2.0}, device()), y = qn::array({0.5, 1.5, 3.5}, device());
  for (const optim::Method& method :
       {optim::Method(optim::SGD{.lr = 0.1, .momentum = 0.9}), optim::Method(optim::Adam{.lr = 0.05})}) {
    std::vector<qn::Array> parameters{qn::zeros({1}, DType::float64, device()), qn::zeros({1}, DType::float64, device())};
    for (qn::Array& one : parameters) qn::requires_grad(one);
    optim::Optimizer optimizer(parameters, method);
    for (int i = 0; i < 600; ++i) {
      optimizer.zero_grad();
      qn::backward(qn::square(parameters[0] * x + parameters[1] - y).mean());
      optimizer.step();
    }
    EXPECT_NEAR(parameters[0].item<double>(), 1.5, 1e-6);
    EXPECT_NEAR(parameters[1].item<double>(), 1.0 / 3, 1e-6);
  }
}

TEST_P(Optimizers, StepsArePyTorchs) {
  expect_after(optim::SGD{.lr = 0.1}, {0.83616, -1.26272, 0.00848000000000005});
  expect_after(optim::SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.25, .weight_decay = 0.5},
               {0.9879442523193359, -2.7589895559692383, 1.2770731774902344});
  expect_after(optim::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true, .maximize = true},
               {-3.0885150464000004, 16.398317708800004, -11.765545139200002});
  expect_after(optim::Adam{}, {0.5049991223311628, 0.24500019311694696, -0.9950002900855305});
  expect_after(optim::Adam{.lr = 0.1, .beta1 = 0.7, .beta2 = 0.8, .eps = 0.1, .weight_decay = 0.5, .amsgrad = true},
               {0.8428170600192959, -0.2351229836608678, -0.5202624095097509});
  expect_after(optim::Adam{.lr = 0.1, .weight_decay = 0.5, .decoupled_weight_decay = true},
               {0.8255605061308904, -0.25634954027084417, -0.3283929831605701});
  expect_after(optim::AdamW{.lr = 0.1}, {0.9690609071270806, -0.24770604114197375, -0.5004183605888268});
  expect_after(optim::Adamax{.eps = 0.1, .weight_decay = 0.5}, {0.5087846825361108, 0.24020332602010733, -0.9902730258658622});
  expect_after(optim::NAdam{.lr = 0.1, .momentum_decay = 0.5}, {0.8388592114299431, -0.13904539593142362, -0.6170529119214226});
  expect_after(optim::NAdam{.lr = 0.1, .weight_decay = 0.5, .decoupled_weight_decay = true},
               {0.7151013088024999, -0.15790165021217112, -0.4377865174106631});
  expect_after(optim::RAdam{.lr = 0.1}, {0.8991760184595634, -1.5462920830680358, 0.19752805537869042});
  expect_after(optim::RAdam{.lr = 0.1, .beta2 = 0.9, .weight_decay = 0.5},
               {0.782267491464545, -1.4906495306980274, 0.3172482935012101});
  expect_after(optim::RMSprop{}, {0.7784289999479106, -0.06567382118444914, -0.6890254159886952});
  expect_after(optim::RMSprop{.alpha = 0.9, .momentum = 0.5, .centered = true},
               {0.6910179575357662, 0.04886444817299057, -0.8001868763371985});
  expect_after(optim::Rprop{}, {0.5744159999999999, 0.175584, -0.9255840000000001});
  expect_after(optim::Rprop{.lr = 0.9, .eta_minus = 0.25, .eta_plus = 2, .step_max = 1},
               {0.7249999999999999, -2.4, 0.15000000000000002});
  expect_after(optim::Adagrad{.lr = 0.1, .lr_decay = 0.5, .initial_accumulator_value = 0.25},
               {0.680641572666917, 0.04304593746754806, -0.7957361459963633});
  expect_after(optim::Adadelta{}, {0.516304033082677, 0.23359557175828594, -0.9836098588309782});
  expect_after(optim::ASGD{}, {0.5480370338162986, 0.033821337967709135, -0.8558768886921571});
  expect_after(optim::ASGD{.lr = 0.1, .lambda = 0.5, .alpha = 0.5, .t0 = 2, .weight_decay = 0.25},
               {0.6777404489060542, -1.0830533667954063, 0.06644269343632506});
}

TEST_P(Optimizers, RatesParametersAndStates) {
  qn::Array x = qn::array({0.5, 0.25, -1.0}, device()), unused = qn::array({7.0}, device());
  qn::requires_grad(x), qn::requires_grad(unused);
  optim::Optimizer optimizer({x, unused}, optim::SGD{.lr = 0.5, .momentum = 0.5});
  EXPECT_TRUE(optimizer.state(0).empty());
  const qn::Array before = x.copy();
  descend(x, optimizer, 1);
  expect_near(qn::detach(x), {1, -2, 0.5});
  expect_near(qn::detach(before), {0.5, 0.25, -1});
  expect_near(qn::detach(unused), {7});
  ASSERT_EQ(optimizer.state(0).size(), 1u);
  expect_near(optimizer.state(0)[0], {-1, 4.5, -3});
  EXPECT_TRUE(optimizer.state(1).empty());
  optimizer.set_lr(0.1);
  EXPECT_EQ(std::get<optim::SGD>(optimizer.method()).lr, 0.1);
  descend(x, optimizer, 1);
  expect_near(qn::detach(x), {1.05, -2.225, 0.65});
  optimizer.zero_grad();
  EXPECT_FALSE(qn::gradient(x).has_value());
  optimizer.step();  // without gradients nothing changes
  expect_near(qn::detach(x), {1.05, -2.225, 0.65});
}

TEST_P(Optimizers, OptionsOutOfRange) {
  const std::vector<qn::Array> parameters{qn::ones({2}, DType::float64, device())};
  auto make = [&](const optim::Method& method) { return [&, method] { optim::Optimizer(parameters, method); }; };
  expect_error(ErrorKind::value, "invalid lr: -1", make(optim::SGD{.lr = -1}));
  expect_error(ErrorKind::value, "beta1 and beta2 must be in [0, 1), not 1", make(optim::Adam{.beta2 = 1}));
  expect_error(ErrorKind::value, "nesterov requires a momentum", make(optim::SGD{.nesterov = true}));
  expect_error(ErrorKind::value, "invalid rho: 2", make(optim::Adadelta{.rho = 2}));
  expect_error(ErrorKind::value, "eta_minus must be in (0, 1)", make(optim::Rprop{.eta_minus = 1}));
  expect_error(ErrorKind::value, "parameter list is empty", [&] { optim::Optimizer({}, optim::SGD{}); });
  optim::Optimizer optimizer(parameters, optim::AdamW{});
  expect_error(ErrorKind::value, "invalid lr: -2", [&] { optimizer.set_lr(-2); });
}

}  // namespace

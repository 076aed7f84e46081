#include "reduce/nonlinear/forwarding_evaluator.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace saltus::reduce {
namespace {

using system::Evaluation;

// Writes down which function was called; culprits and values tell the answers apart.
class Recorder final : public system::Evaluator {
 public:
  explicit Recorder(std::vector<std::string>& calls) : calls_(calls) {}

  void set_configuration(const system::Configuration& /*configuration*/) override {
    (void)note("configuration");
  }
  void set_latched(Index /*guard*/, double /*value*/) override { (void)note("latched"); }
  [[nodiscard]] system::Projection projection() const override { return system::Projection::stages; }
  Evaluation project(double /*t*/, std::span<double> /*x*/) override { return note("project"); }
  Evaluation rhs(double /*t*/, std::span<const double> /*x*/, std::span<double> /*xdot*/) override {
    return note("rhs");
  }
  Evaluation residual_point(double /*t*/, std::span<const double> /*x*/, std::span<double> /*y*/,
                            std::span<double> /*ydot*/) override {
    return note("residual_point");
  }
  [[nodiscard]] system::EquationRunner* residual_runner() override {
    (void)note("residual_runner");
    return nullptr;
  }
  [[nodiscard]] Index n_divisors() override { return 2; }
  Evaluation divisors(double /*t*/, std::span<const double> /*x*/, std::span<double> /*values*/) override {
    return note("divisors");
  }
  [[nodiscard]] system::DivisorInfo divisor_info(Index /*divisor*/) const override { return {"a divisor"}; }
  Evaluation outputs(double /*t*/, std::span<const double> /*x*/, std::span<double> /*values*/) override {
    return note("outputs");
  }
  Evaluation outputs_block(std::span<const double> /*t*/, std::span<const double> /*x*/,
                           std::span<double> /*values*/) override {
    return note("outputs_block");
  }
  void keep_solutions() override { (void)note("keep"); }
  void restore_solutions() override { (void)note("restore"); }
  void copy_output_solutions(std::span<double> /*guess*/) const override { (void)note("copy"); }
  void set_output_solutions(std::span<const double> /*guess*/) override { (void)note("set"); }
  [[nodiscard]] std::string describe(const Evaluation& /*evaluation*/, double /*t*/) const override {
    return "told";
  }
  [[nodiscard]] system::GuardShape guard_shape(Index guard) const override {
    return {system::GuardShape::Kind::polynomial, static_cast<int>(guard)};
  }
  [[nodiscard]] std::optional<std::span<const Index>> guard_states(Index /*guard*/) const override {
    return std::span<const Index>(states_);
  }
  Evaluation guards(std::span<const Index> /*which*/, double /*t*/, std::span<const double> /*x*/,
                    std::span<double> /*values*/) override {
    return note("guards");
  }
  [[nodiscard]] double guard_noise(Index /*i*/, double /*t*/, std::span<const double> /*x*/) override {
    return 0.125;
  }
  Evaluation guard_gradient(Index /*i*/, double /*t*/, std::span<const double> /*x*/,
                            std::span<double> /*gradient*/, double& /*time_derivative*/) override {
    return note("guard_gradient");
  }
  [[nodiscard]] system::AffineGuard affine_guard(Index /*i*/) const override {
    return {states_, {}, 3.0, 0.0};
  }
  Evaluation guard_derivatives(Index /*i*/, double /*t*/, std::span<const double> /*x*/,
                               system::GuardDerivatives& /*derivatives*/) override {
    return note("guard_derivatives");
  }
  [[nodiscard]] Interval enclose_guard(Index /*i*/, const Interval& t,
                                       std::span<const Interval> /*x*/) override {
    (void)note("enclose_guard");
    return t;
  }
  [[nodiscard]] Interval enclose_guard_rate(Index /*i*/, const Interval& t, std::span<const Interval> /*x*/,
                                            std::span<const Interval> /*xdot*/) override {
    (void)note("enclose_guard_rate");
    return t;
  }

 private:
  Evaluation note(const char* call) const {
    calls_.emplace_back(call);
    return {Evaluation::Status::no_weights, 7};
  }

  std::vector<std::string>& calls_;
  std::vector<Index> states_ = {4, 5};
};

TEST(ForwardingEvaluator, EveryCallReachesTheInnerEvaluator) {
  std::vector<std::string> calls;
  ForwardingEvaluator evaluator(std::make_unique<Recorder>(calls));
  evaluator.set_configuration({});
  evaluator.set_latched(0, 1.0);
  evaluator.keep_solutions();
  evaluator.restore_solutions();
  evaluator.copy_output_solutions({});
  evaluator.set_output_solutions({});
  EXPECT_EQ(evaluator.residual_runner(), nullptr);
  double rate = 0.0;
  system::GuardDerivatives derivatives;
  for (const Evaluation& answer :
       {evaluator.project(0.0, {}), evaluator.rhs(0.0, {}, {}), evaluator.residual_point(0.0, {}, {}, {}),
        evaluator.divisors(0.0, {}, {}), evaluator.outputs(0.0, {}, {}), evaluator.outputs_block({}, {}, {}),
        evaluator.guards({}, 0.0, {}, {}), evaluator.guard_gradient(0, 0.0, {}, {}, rate),
        evaluator.guard_derivatives(0, 0.0, {}, derivatives)}) {
    EXPECT_EQ(answer.status, Evaluation::Status::no_weights);
    EXPECT_EQ(answer.culprit, 7);
  }
  (void)evaluator.enclose_guard(0, Interval{}, {});
  (void)evaluator.enclose_guard_rate(0, Interval{}, {}, {});
  const std::vector<std::string> expected = {"configuration",     "latched",       "keep",
                                             "restore",           "copy",          "set",
                                             "residual_runner",   "project",       "rhs",
                                             "residual_point",    "divisors",      "outputs",
                                             "outputs_block",     "guards",        "guard_gradient",
                                             "guard_derivatives", "enclose_guard", "enclose_guard_rate"};
  EXPECT_EQ(calls, expected);
  EXPECT_EQ(evaluator.projection(), system::Projection::stages);
  EXPECT_EQ(evaluator.describe({}, 0.0), "told");
  EXPECT_EQ(evaluator.n_divisors(), 2);
  EXPECT_EQ(evaluator.divisor_info(0).text, "a divisor");
  EXPECT_EQ(evaluator.guard_shape(3).degree, 3);
  ASSERT_TRUE(evaluator.guard_states(0).has_value());
  EXPECT_EQ(evaluator.guard_states(0)->size(), 2u);
  EXPECT_EQ(evaluator.guard_noise(0, 0.0, {}), 0.125);
  EXPECT_EQ(evaluator.affine_guard(0).time_coefficient, 3.0);
}

}  // namespace
}  // namespace saltus::reduce

// A run in one's hand: led step by step, asked, and changed from outside.
#include "saltus/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "saltus/contract.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kMethods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};

Simulation begin(const std::string& text, SimulationOptions options = {},
                 const std::vector<std::string>& tunable = {}) {
  const Model model = Model::from_text("test.mo", text).value();
  return std::move(Simulation::begin(model, options, tunable).value());
}

const std::string kBall =
    "model Ball\n Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n discrete Integer n(start = "
    "0, fixed = true);\n"
    "equation\n der(h) = v;\n der(v) = -9.81;\n when h <= 0 and v < 0 then\n  reinit(v, -0.8*pre(v));\n  n = "
    "pre(n) + 1;\n"
    " end when;\nend Ball;\n";

// It is the same loop: led by steps it gives the same numbers to the last bit.
TEST(Simulation, StepByStepIsTheSameRun) {
  for (const std::string& method : kMethods) {
    const SimulationOptions options{.stop = 3.0, .interval = 0.01, .method = method};
    const SimulationResult whole = simulate(Model::from_text("ball.mo", kBall).value(), options).value();
    Simulation led = begin(kBall, options);
    std::int64_t n_calls = 1;
    while (led.step()) {
      ++n_calls;
    }
    EXPECT_TRUE(led.has_ended());
    const SimulationResult result = led.finish();
    EXPECT_EQ(result.status, SimulationStatus::success);
    EXPECT_GE(n_calls, result.statistics.accepted_steps);
    EXPECT_EQ(result.final_values, whole.final_values) << method;
    ASSERT_EQ(result.trajectory.n_rows(), whole.trajectory.n_rows()) << method;
    for (std::size_t k = 0; k < whole.trajectory.n_rows(); ++k) {
      ASSERT_EQ(result.trajectory.times()[k], whole.trajectory.times()[k]);
      for (std::size_t i = 0; i < whole.variables.size(); ++i) {
        ASSERT_EQ(result.trajectory.row(k)[i], whole.trajectory.row(k)[i]) << method << k;
      }
    }
    ASSERT_EQ(result.events.size(), whole.events.size());
  }
}

TEST(Simulation, GoesToTimesAndToEvents) {
  for (const std::string& method : kMethods) {
    Simulation ball = begin(kBall, {.stop = 3.0, .tolerance = 1e-9, .method = method});
    EXPECT_EQ(ball.time(), 0.0);
    EXPECT_EQ(ball.value("h"), 1.0);
    ASSERT_TRUE(ball.advance_to(0.25));
    EXPECT_EQ(ball.time(), 0.25);
    EXPECT_NEAR(ball.value("h"), 1.0 - 0.5 * 9.81 * 0.0625, 1e-8) << method;
    EXPECT_EQ(ball.n_events(), 0);
    ASSERT_TRUE(ball.advance_to_event(3.0));
    const double first = std::sqrt(2.0 / 9.81);
    EXPECT_NEAR(ball.time(), first, 1e-8) << method;
    EXPECT_EQ(ball.value("n"), 1.0);
    EXPECT_NEAR(ball.value("v"), 0.8 * 9.81 * first, 1e-7) << method;
    ASSERT_TRUE(ball.advance_to_event(first + 0.1));  // nothing happens up to there
    EXPECT_EQ(ball.time(), first + 0.1);
    const std::vector<Simulation::State> states = ball.states();
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0].name, "h");
    EXPECT_NEAR(states[0].derivative, states[1].value, 1e-12);
    EXPECT_NEAR(states[1].derivative, -9.81, 1e-12);
    ASSERT_FALSE(ball.guards().empty());
    EXPECT_EQ(ball.guards()[0].name, "h");
    EXPECT_NEAR(ball.guards()[0].value, ball.value("h"), 1e-12);
    EXPECT_FALSE(ball.advance_to(3.0));
    EXPECT_TRUE(ball.has_ended());
    EXPECT_EQ(ball.finish().status, SimulationStatus::success);
  }
}

TEST(Simulation, FinishedEarlyItHasWhatWasComputed) {
  Simulation ball = begin(kBall, {.stop = 3.0, .interval = 0.1});
  ASSERT_TRUE(ball.advance_to(1.05));
  const SimulationResult result = ball.finish();
  EXPECT_EQ(result.end, 1.05);
  EXPECT_EQ(result.final_value("n"), 1.0);
  EXPECT_EQ(result.trajectory.times().back(), 1.05);
  EXPECT_EQ(result.events.size(), 1U);
}

// Inputs are set between steps: der(x) = u, a relation that counts, and an algebraic equation that follows.
TEST(Simulation, InputsAreEvents) {
  const std::string text =
      "model M\n input Real u(start = 1);\n input Boolean b(start = false);\n Real x(start = 0, fixed = "
      "true), y(start = 0);\n"
      " discrete Integer n(start = 0, fixed = true), m(start = 0, fixed = true), c(start = 0, fixed = "
      "true);\nequation\n"
      " der(x) = u;\n y^3 + y = u;\n when u > 1.5 then\n  n = pre(n) + 1;\n end when;\n when b then\n  m = "
      "pre(m) + 1;\n end when;\n"
      " when change(b) then\n  c = pre(c) + 1;\n end when;\nend M;\n";
  for (const std::string& method : kMethods) {
    Simulation led = begin(text, {.stop = 5.0, .tolerance = 1e-9, .method = method});
    EXPECT_EQ(led.value("u"), 1.0);
    ASSERT_TRUE(led.advance_to(1.0));
    ASSERT_TRUE(led.set_input("u", 2.0));
    EXPECT_EQ(led.time(), 1.0);
    EXPECT_EQ(led.value("u"), 2.0);
    EXPECT_NEAR(led.value("y"), 1.0, 1e-12) << method;
    EXPECT_EQ(led.value("n"), 1.0) << method;
    ASSERT_TRUE(led.advance_to(2.0));
    ASSERT_TRUE(led.set({{"u", -1.0}, {"b", 1.0}}));
    EXPECT_EQ(led.value("m"), 1.0) << method;
    EXPECT_EQ(led.value("c"), 1.0) << method;
    ASSERT_TRUE(led.advance_to(4.0));
    EXPECT_NEAR(led.value("x"), 1.0 + 2.0 - 2.0, 1e-7) << method;
    ASSERT_TRUE(led.set_input("u", 3.0));
    EXPECT_EQ(led.value("n"), 2.0) << method;
    ASSERT_TRUE(led.set_input("b", 0.0));
    EXPECT_EQ(led.value("m"), 1.0) << method;
    EXPECT_EQ(led.value("c"), 2.0) << method;
    EXPECT_FALSE(led.advance_to(5.0));
    const SimulationResult result = led.finish();
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_NEAR(result.final_value("x"), 4.0, 1e-7);
    std::size_t n_inputs = 0;
    for (const Event event : result.events) {
      n_inputs += event.kind == EventKind::input ? 1 : 0;
    }
    EXPECT_EQ(n_inputs, 5U) << method;
    EXPECT_NEAR(result.trajectory.before(2.0, "u"), 2.0, 0.0);
    EXPECT_NEAR(result.trajectory.at(2.0, "u"), -1.0, 0.0);
  }
}

// A relay slides until the input is too strong for it, and again when it is not.
TEST(Simulation, InputsEndAndBeginSliding) {
  const std::string text =
      "model M\n input Real u(start = 0.5);\n Real x(start = 1, fixed = true);\nequation\n der(x) = u - "
      "sign(x);\nend M;\n";
  for (const std::string& method : kMethods) {
    Simulation led = begin(text, {.stop = 10.0, .tolerance = 1e-8, .method = method});
    ASSERT_TRUE(led.advance_to(3.0));
    EXPECT_NEAR(led.value("x"), 0.0, 1e-12);
    EXPECT_THAT(led.mode(), HasSubstr("sliding"));
    ASSERT_TRUE(led.set_input("u", -0.25));
    EXPECT_THAT(led.mode(), HasSubstr("sliding"));
    ASSERT_TRUE(led.advance_to(4.0));
    ASSERT_TRUE(led.set_input("u", 2.0));
    EXPECT_EQ(led.mode().find("sliding"), std::string::npos) << led.mode();
    ASSERT_TRUE(led.advance_to(5.0));
    EXPECT_NEAR(led.value("x"), 1.0, 1e-6) << method;
    ASSERT_TRUE(led.set_input("u", 0.0));
    ASSERT_TRUE(led.advance_to(7.0));
    EXPECT_NEAR(led.value("x"), 0.0, 1e-9) << method;
    EXPECT_THAT(led.mode(), HasSubstr("sliding"));
    EXPECT_FALSE(led.advance_to(10.0));
    EXPECT_TRUE(led.finish().ok());
  }
}

TEST(Simulation, TunableParametersAndWhatDependsOnThem) {
  const std::string text =
      "model M\n parameter Real rate = 1;\n parameter Real twice = 2*rate, level = 0.5;\n Real x(start = 1, "
      "fixed = true), y;\n"
      " discrete Real t(start = -1, fixed = true);\nequation\n der(x) = -rate*x;\n y = twice*x;\n when x < "
      "level then\n  t = time;\n"
      " end when;\nend M;\n";
  for (const std::string& method : kMethods) {
    Simulation led = begin(text, {.stop = 4.0, .tolerance = 1e-9, .method = method}, {"rate", "level"});
    EXPECT_NEAR(led.value("y"), 2.0, 1e-12);
    ASSERT_TRUE(led.advance_to(0.5));
    ASSERT_TRUE(led.set_parameter("rate", 0.0));
    EXPECT_NEAR(led.value("y"), 0.0, 1e-12);
    ASSERT_TRUE(led.advance_to(1.0));
    EXPECT_NEAR(led.value("x"), std::exp(-0.5), 1e-8) << method;
    ASSERT_TRUE(led.set({{"rate", 2.0}, {"level", 0.3}}));
    EXPECT_NEAR(led.value("y"), 4.0 * std::exp(-0.5), 1e-8);
    ASSERT_TRUE(led.advance_to_event(4.0));
    EXPECT_NEAR(led.time(), 1.0 + 0.5 * (std::log(1.0 / 0.3) - 0.5), 1e-8) << method;
    EXPECT_EQ(led.value("t"), led.time());
  }
}

TEST(Simulation, WrongUseIsNamed) {
  const Model model =
      Model::from_text("m.mo",
                       "model M\n input Real u;\n parameter Real p = 1;\n parameter Integer n = 2;\n"
                       " Real x(start = 0, fixed = true);\nequation\n der(x) = p*u + n;\nend M;\n")
          .value();
  EXPECT_THAT(render_text(Simulation::begin(model, {}, {"q"}).error()), HasSubstr("no parameter 'q'"));
  EXPECT_THAT(render_text(Simulation::begin(model, {}, {"n"}).error()), HasSubstr("not a Real"));
  EXPECT_THAT(render_text(Simulation::begin(model, {.tolerance = -1.0}).error()), HasSubstr("tolerance"));
  Simulation led = std::move(Simulation::begin(model, {.stop = 2.0}).value());
  ASSERT_TRUE(led.advance_to(1.0));
  EXPECT_THROW((void)led.advance_to(0.5), ContractViolation);
  EXPECT_THROW((void)led.advance_to(2.5), ContractViolation);
  EXPECT_THROW((void)led.advance_to(std::nan("")), ContractViolation);
  EXPECT_THROW((void)led.set_input("v", 1.0), ContractViolation);
  EXPECT_THROW((void)led.set_parameter("p", 1.0), ContractViolation);  // not declared tunable
  EXPECT_THROW((void)led.set_input("u", std::nan("")), ContractViolation);
  EXPECT_THROW((void)led.value("w"), ContractViolation);
  EXPECT_TRUE(led.advance_to(1.0));  // nothing to do
  EXPECT_FALSE(led.advance_to(2.0));
  EXPECT_THROW((void)led.step(), ContractViolation);
  EXPECT_THROW((void)led.set_input("u", 1.0), ContractViolation);
  EXPECT_EQ(led.value("x"), led.value("x"));
  (void)led.finish();
  EXPECT_THROW((void)led.time(), ContractViolation);
  EXPECT_THROW((void)led.finish(), ContractViolation);
}

TEST(Simulation, NoStartIsAnError) {
  const Model model =
      Model::from_text("m.mo", "model M\n Real x(start = 1, fixed = true);\nequation\n x = 2;\nend M;\n")
          .value();
  const auto begun = Simulation::begin(model);
  ASSERT_FALSE(begun.has_value());
  EXPECT_TRUE(begun.error().has_errors());
}

TEST(Simulation, OutputThatCannotBeWrittenKeepsItFromBeginning) {
  class Closed final : public OutputSink {
   public:
    bool begin(std::span<const VariableInfo>) override { return false; }
    bool rows(const OutputRows&) override { return false; }
  } closed;
  const auto begun = Simulation::begin(Model::from_text("ball.mo", kBall).value(), {.sink = &closed});
  ASSERT_FALSE(begun.has_value());
  EXPECT_THAT(render_text(begun.error()), HasSubstr("[cannot-begin]"));
}

TEST(Simulation, EndsFromOutside) {
  std::atomic<bool> stop{false};
  Simulation ball = begin(kBall, {.stop = 3.0, .stop_requested = &stop});
  ASSERT_TRUE(ball.advance_to(0.2));
  stop = true;
  EXPECT_FALSE(ball.advance_to(1.0));
  const SimulationResult result = ball.finish();
  EXPECT_EQ(result.status, SimulationStatus::stopped);
  EXPECT_EQ(result.reason, "interrupted");
  EXPECT_GE(result.end, 0.2);
}

// der(x) = -x: the derivative of what is a state, or always one, or follows from them.
TEST(Simulation, DerivativesStepsAndTimesThatAreDue) {
  for (const std::string& method : kMethods) {
    Simulation led = begin(
        "model M\n Real x(start = 1, fixed = true), y, z, w;\n discrete Real s(start = 0, fixed = "
        "true);\nequation\n"
        " der(x) = -x;\n y = -x;\n z = x^2;\n w = der(y);\n when sample(0.25, 0.5) then s = x; end "
        "when;\nend M;\n",
        {.stop = 2.0, .tolerance = 1e-8, .method = method});
    EXPECT_EQ(led.last_step(), 0.0);
    EXPECT_EQ(led.last_order(), 0);
    EXPECT_EQ(led.next_event_time(), 0.25);
    ASSERT_TRUE(led.advance_to(1.0));
    EXPECT_NEAR(led.derivative("x"), -std::exp(-1.0), 1e-6) << method;
    EXPECT_NEAR(led.derivative("y"), std::exp(-1.0), 1e-6) << method;
    EXPECT_NEAR(led.derivative("z"), -2.0 * std::exp(-2.0), 1e-6) << method;
    EXPECT_TRUE(std::isnan(led.derivative("s")));
    EXPECT_THROW((void)led.derivative("nosuch"), ContractViolation);
    EXPECT_GT(led.last_step(), 0.0);
    EXPECT_GE(led.last_order(), 1);
    EXPECT_GT(led.next_step(), 0.0);
    EXPECT_EQ(led.next_event_time(), 1.25);
  }
}

TEST(Simulation, ResetBeginsAgain) {
  const std::string text =
      "model M\n parameter Real k = 1;\n input Real u(start = 2);\n Real x(start = 1, fixed = "
      "true);\nequation\n"
      " der(x) = -k*x + u;\nend M;\n";
  Simulation led = begin(text, {.stop = 1.0, .set = {{"x", 3}}}, {"k"});
  ASSERT_FALSE(led.advance_to(1.0));
  const double first = led.value("x");
  ASSERT_TRUE(led.reset().empty());
  EXPECT_EQ(led.time(), 0.0);
  EXPECT_EQ(led.value("x"), 3.0);
  ASSERT_TRUE(led.set({{"k", 5.0}, {"u", 7.0}}));
  ASSERT_FALSE(led.advance_to(1.0));
  EXPECT_NE(led.value("x"), first);
  (void)led.finish();
  ASSERT_TRUE(led.reset().empty());  // with k = 1 and u = 2 again
  ASSERT_FALSE(led.advance_to(1.0));
  EXPECT_EQ(led.value("x"), first);
}

// y + y^3 = k*x at the start; what is asked for follows what is set.
TEST(Initialization, ValuesAreSetAndAskedForBeforeTheStart) {
  const Model model = Model::from_text("test.mo",
                                       "model M\n parameter Real k = 2;\n input Real u(start = 1);\n"
                                       " Real x(start = 1, fixed = true), y;\nequation\n der(x) = u;\n"
                                       " y + y^3 = k*x;\nend M;\n")
                          .value();
  Initialization start(model, {.stop = 1.0}, {"k"});
  EXPECT_NEAR(start.value("y").value(), 1.0, 1e-12);
  start.set({{"k", 5}, {"x", 2}});
  EXPECT_NEAR(start.value("y").value(), 2.0, 1e-12);
  start.set({{"x", "two"}});
  EXPECT_THAT(render_text(start.values().error()), HasSubstr("wrong-set-value"));
  EXPECT_FALSE(start.exit());
  start.set({{"x", 6}, {"u", -3}});
  Simulation led = std::move(start.exit().value());
  EXPECT_NEAR(led.value("y"), 3.0, 1e-12);
  ASSERT_FALSE(led.advance_to(1.0));
  EXPECT_NEAR(led.value("x"), 3.0, 1e-6);
  EXPECT_TRUE(start.exit());  // once more, from the same values
}

TEST(VariableInfo, SaysWhereItComesFromAndItsRange) {
  const Model model =
      Model::from_text("test.mo",
                       "model M\n parameter Real top = 4;\n input Real u(start = 1);\n"
                       " output Real y(min = -1, max = 2*top);\n Real x(start = 1);\nequation\n"
                       " der(x) = u;\n y = x;\nend M;\n")
          .value();
  const auto info = [&](std::string_view name) {
    return *std::find_if(model.variables().begin(), model.variables().end(),
                         [&](const VariableInfo& variable) { return variable.name == name; });
  };
  EXPECT_EQ(info("u").causality, Causality::input);
  EXPECT_EQ(info("y").causality, Causality::output);
  EXPECT_EQ(info("x").causality, Causality::local);
  EXPECT_EQ(info("y").min, -1.0);
  EXPECT_EQ(info("y").max, 8.0);
  EXPECT_EQ(info("x").min, std::nullopt);
}

TEST(VariableInfo, HasUnitsForPeopleAndTypesByName) {
  const Model model =
      Model::from_text(
          "test.mo",
          "model M\n type Angle = Real(unit = \"rad\", displayUnit = \"deg\");\n"
          " parameter Angle limits[2](each min = 0, each max = 4) = {1, 2};\n"
          " Angle phi[3](each displayUnit = \"rev\", each start = 1);\n Real x(displayUnit = \"km\");\n"
          " Real plain;\nequation\n der(phi) = limits[1]*ones(3);\n der(x) = 1;\n plain = x;\nend M;\n")
          .value();
  const VariableInfo& second = model.variables()[1];
  EXPECT_EQ(second.name, "phi[2]");
  EXPECT_EQ(second.unit, "rad");
  EXPECT_EQ(second.display_unit, "rev");
  EXPECT_EQ(second.declared_type, "Angle");
  EXPECT_EQ(model.variables()[3].display_unit, "km");
  EXPECT_EQ(model.variables()[3].declared_type, "");
  EXPECT_EQ(model.variables()[4].display_unit, "");
  const ParameterInfo& limit = model.parameters()[1];
  EXPECT_EQ(limit.name, "limits[2]");
  EXPECT_EQ(limit.display_unit, "deg");
  EXPECT_EQ(limit.declared_type, "Angle");
  EXPECT_EQ(limit.min, 0.0);
  EXPECT_EQ(limit.max, 4.0);
  EXPECT_EQ(limit.dimensions, std::vector<std::size_t>{2});
  // Of classes made of others: full names.
  const Model made = Model::from_text("made.mo",
                                      "package P\n type Volt = Real(unit = \"V\", displayUnit = \"mV\");\n"
                                      " model Part\n  Volt v[2](each start = 1);\n  Real plain;\n equation\n"
                                      "  der(v) = -v;\n  plain = v[1];\n end Part;\n"
                                      " model Whole\n  Part part;\n end Whole;\nend P;\n",
                                      {}, "P.Whole")
                         .value();
  const VariableInfo& volt = made.variables()[1];
  EXPECT_EQ(volt.name, "part.v[2]");
  EXPECT_EQ(volt.declared_type, "P.Volt");
  EXPECT_EQ(volt.display_unit, "mV");
  EXPECT_EQ(made.variables()[2].declared_type, "");
}

}  // namespace
}  // namespace saltus

// Functions that cannot be traced, and what is said of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "saltus/contract.hpp"
#include "saltus/simulate.hpp"
#include "saltus/traced_model.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

static_assert(!std::is_convertible_v<Real, double> && !std::is_constructible_v<double, Real>);
static_assert(!std::is_constructible_v<bool, Real> && !std::is_constructible_v<Real, bool>);
static_assert(std::is_convertible_v<double, Real> && std::is_convertible_v<int, Real>);

TracedModel model_of(TracedFunction function, double start = 1.0) {
  TracedModel model("M");
  model.state("x", {.start = start});
  model.parameter("k", 2.0);
  model.residual(std::move(function));
  return model;
}

// Code and message of the first diagnostic.
std::pair<std::string, std::string> problem_of(const TracedModel& model) {
  const Result<Model> built = model.build();
  if (built) {
    return {"", "it was built"};
  }
  return {std::string(built.error().items().front().code), built.error().items().front().message};
}

TEST(BadTraces, WhatTheFunctionThrowsAtTheStartIsSaid) {
  const auto [code, message] = problem_of(
      model_of([](const State&, std::span<Real>) { throw std::runtime_error("no such material"); }));
  EXPECT_EQ(code, "traced-function-failed");
  EXPECT_THAT(message, HasSubstr("no such material"));
}

TEST(BadTraces, AnUnknownNameIsSaidWithANearOne) {
  const auto [code, message] = problem_of(
      model_of([](const State& s, std::span<Real> r) { r[0] = s.der("x") - s.parameter("kk") * s("x"); }));
  EXPECT_EQ(code, "traced-function-failed");
  EXPECT_THAT(message, HasSubstr("no parameter 'kk'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'k'"));
}

TEST(BadTraces, AllResidualsAreSetAndNoMore) {
  auto [code, message] = problem_of(model_of([](const State&, std::span<Real>) {}));
  EXPECT_EQ(code, "traced-function-failed");
  EXPECT_THAT(message, HasSubstr("does not set r[0]"));
  std::tie(code, message) = problem_of(model_of([](const State& s, std::span<Real> r) {
    r[0] = s.der("x");
    *(r.data() + 1) = s("x");
  }));
  EXPECT_EQ(code, "traced-function-failed");
  EXPECT_THAT(message, HasSubstr("sets r[1], but there are 1"));
}

TEST(BadTraces, NumbersThatAreNoneArePointedOut) {
  const auto [code, message] = problem_of(model_of([](const State& s, std::span<Real> r) {
    r[0] = s.der("x") - s("x") * std::numeric_limits<double>::quiet_NaN();
  }));
  EXPECT_EQ(code, "traced-function-failed");
  EXPECT_THAT(message, HasSubstr("nan"));
  EXPECT_EQ(problem_of(model_of([](const State& s, std::span<Real> r) {
              const Real zero = 0.0;
              r[0] = s.der("x") - s("x") * (1.0 / zero);
            })).first,
            "traced-function-failed");
}

TEST(BadTraces, AResidualThatIsANumberDeterminesNothing) {
  const auto [code, message] = problem_of(model_of([](const State&, std::span<Real> r) { r[0] = 0.0; }));
  EXPECT_EQ(code, "wrong-traced-model");
  EXPECT_THAT(message, HasSubstr("r[0] is a number"));
}

TEST(BadTraces, ThereMustBeAFunctionAndSomethingForIt) {
  EXPECT_EQ(problem_of(TracedModel("M")).first, "wrong-traced-model");
  TracedModel model("M");
  model.parameter("k", 1.0);
  model.residual([](const State&, std::span<Real>) {});
  EXPECT_EQ(problem_of(model).first, "wrong-traced-model");
}

TEST(BadTraces, ARealBelongsToItsRun) {
  std::optional<Real> kept;
  const auto [code, message] = problem_of(model_of([&kept](const State& s, std::span<Real> r) {
    if (!kept) {
      kept = s("x");
    }
    r[0] = s.der("x") - *kept;
  }));
  EXPECT_EQ(code, "trace-not-determined");
  EXPECT_THROW((void)(*kept + 1.0), ContractViolation);
  EXPECT_THROW((void)(*kept < 1.0), ContractViolation);
  EXPECT_THROW((void)kept->value(), ContractViolation);
}

TEST(BadTraces, RealsOfTwoModelsAreNotCompared) {
  const auto [code, message] = problem_of(model_of([](const State& outer, std::span<Real> r) {
    const Real foreign = outer("x");
    const auto [inner, why] = problem_of(model_of([&foreign](const State& s, std::span<Real> q) {
      q[0] = s.der("x") - (foreign > s("x") ? 1.0 : 2.0);
    }));
    EXPECT_EQ(inner, "traced-function-failed");
    EXPECT_THAT(why, HasSubstr("Real of another trace"));
    r[0] = outer.der("x") - foreign;  // the outer trace goes on
  }));
  EXPECT_EQ(code, "") << message;
}

TEST(BadTraces, AFunctionWithAMemoryIsRefused) {
  int n_calls = 0;
  const auto [code, message] = problem_of(model_of(
      [&n_calls](const State& s, std::span<Real> r) { r[0] = s.der("x") - static_cast<double>(++n_calls); }));
  EXPECT_EQ(code, "trace-not-determined");
  EXPECT_THAT(message, HasSubstr("runs again"));
}

TEST(BadTraces, ValuesAreNotSeen) {
  const TracedFunction prints = [](const State& s, std::span<Real> r) {
    if (s("x").value() > 1e9) {
      throw std::runtime_error("x is too large");
    }
    r[0] = s.der("x") - s("x");
  };
  const auto [code, message] = problem_of(model_of(prints));
  EXPECT_EQ(code, "trace-reads-values");
  TracedModel declared = model_of(prints);
  declared.opaque();
  EXPECT_TRUE(declared.build());
  // An equation that is made of them holds at one point only: refused all the same.
  TracedModel dishonest =
      model_of([](const State& s, std::span<Real> r) { r[0] = s.der("x") - s("x").value(); });
  dishonest.opaque();
  const auto [other, why] = problem_of(dishonest);
  EXPECT_EQ(other, "trace-not-determined");
  EXPECT_THAT(why, HasSubstr("value()"));
}

TEST(BadTraces, LoopsWithoutEndAreFoundAndNamed) {
  auto [code, message] = problem_of(model_of([](const State& s, std::span<Real> r) {
    Real x = s("x");
    while (x > 1) {
      x -= 1;
    }
    r[0] = s.der("x") - x;
  }));
  EXPECT_EQ(code, "trace-too-long");
  EXPECT_THAT(message, HasSubstr("x - 1 - 1"));
  std::tie(code, message) = problem_of(model_of([](const State& s, std::span<Real> r) {
    Real sum = s("x");
    for (;;) {
      sum = sin(sum);
    }
    r[0] = sum;
  }));
  EXPECT_EQ(code, "trace-too-long");
  EXPECT_THAT(message, HasSubstr("operations"));
}

// sqrt of what is not negative, checked as careful code does.
TracedModel careful(double start, double rate) {
  TracedModel model("Careful");
  model.state("x", {.start = start});
  model.parameter("rate", rate);
  model.residual([](const State& s, std::span<Real> r) {
    if (s("x") < 0) {
      throw std::domain_error("the tank is empty");
    }
    r[0] = s.der("x") - s.parameter("rate") * sqrt(s("x"));
  });
  return model;
}

TEST(BadTraces, WhatFailsOnAForcedPathIsReportedAndConcernsThatPathAlone) {
  const Model model = careful(1.0, 0.5).build().value();
  ASSERT_EQ(model.warnings().items().size(), 1u);
  EXPECT_EQ(model.warnings().items()[0].code, "forced-path-failed");
  EXPECT_THAT(model.warnings().items()[0].message, HasSubstr("'x < 0' is true: the tank is empty"));
  const SimulationResult result = simulate(model, {.stop = 2.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_NEAR(result.final_value("x"), 1.5 * 1.5, 1e-5);
}

TEST(BadTraces, ARunThatGoesThereEndsWithWhatWasThrown) {
  TracedModel model("Falling");
  model.state("x", {.start = 1});
  model.residual([](const State& s, std::span<Real> r) {
    if (s("x") < 0) {
      throw std::domain_error("the tank is empty");
    }
    r[0] = s.der("x") - -1;
  });
  const SimulationResult result = simulate(model.build().value(), {.stop = 2.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_EQ(result.reason, Reason::assertion);
  EXPECT_THAT(result.message, HasSubstr("the tank is empty"));
  EXPECT_NEAR(result.end, 1.0, 1e-6);
}

}  // namespace
}  // namespace saltus

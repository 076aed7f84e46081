// What every evaluator owes to the algorithms in time, over models given as text.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "lang/compile.hpp"
#include "program/compiled_system.hpp"
#include "support/allocation_guard.hpp"

namespace saltus {
namespace {

struct TextModel {
  std::string name;
  std::string text;
};

void PrintTo(const TextModel& model, std::ostream* out) {
  *out << model.name;
}

const TextModel kModels[] = {
    {"scalar", R"(
model M
  parameter Real k = 0.5;
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = -k*x + sin(time);
  y = x^2 + exp(-x);
end M;)"},
    {"chain", R"(
model M
  parameter Integer n = 300;
  parameter Real h = 0.1, a = 0.3;
  Real u[n](each start = 1, each fixed = true);
equation
  der(u[1]) = 0;
  for i in 2:n-1 loop
    der(u[i]) = ((1+a*(u[i+1]+u[i])/2)*(u[i+1]-u[i]) - (1+a*(u[i]+u[i-1])/2)*(u[i]-u[i-1]))/h^2;
  end for;
  der(u[n]) = -u[n];
end M;)"},
    {"second_order", R"(
model M
  Real x(start = 1, fixed = true), y(start = 0.5);
equation
  der(der(x)) = -x + y;
  y = 2*x - der(x);
end M;)"},
    {"linear_block", R"(
model M
  Real x(start = 1, fixed = true), i1, i2, v;
equation
  der(x) = i1 - i2;
  v = 2*i1 + x;
  v = 5 - 3*i2;
  i1 + i2 = 0.5*v + x;
end M;)"},
    {"nonlinear_block", R"(
model M
  Real x(start = 1, fixed = true), z(start = 0.5), w(start = 1);
equation
  der(x) = -z;
  z + z^3 + 0.1*w = x;
  w - sin(z) = 0.2*cos(w);
end M;)"},
    {"conditions", R"(
model M
  Real x(start = 1, fixed = true), v(start = -0.1, fixed = true), u, w;
  Boolean b(start = true);
  discrete Real held(start = 2, fixed = true);
equation
  der(x) = v;
  der(v) = -sign(x - 0.9)*u + (if v > 0 and x < 1 then held else abs(v));
  u = max(x, 2*v) + floor(3*x) + w;
  2*w + u = if b then x else -x;
  b = x > 0.5;
  when sample(0, 0.1) then held = pre(held) + 1; end when;
end M;)"},
    {"iterated_conditions", R"(
model M
  Real x(start = 1, fixed = true), z(start = 0.5);
equation
  der(x) = if x > 1 then -z else z;
  z + z^3 = if z > 0.6 then x else 2*x;
end M;)"},
    {"no_states", R"(
model M
  Real y, z;
equation
  y = sin(time);
  z = y^2;
end M;)"},
};

class EvaluatorContract : public ::testing::TestWithParam<TextModel> {
 protected:
  void SetUp() override {
    const auto source = std::make_shared<const SourceText>("M.mo", GetParam().text);
    auto compiled = lang::compile(source, {lang::Dialect::modelica, {}});
    ASSERT_TRUE(compiled) << render_text(compiled.error());
    auto built = program::build_system(std::make_shared<const flat::Model>(std::move(compiled->model)), {});
    ASSERT_TRUE(built) << render_text(built.error());
    hybrid_ = *built;
    auto initial = hybrid_->initial(0.0);
    ASSERT_TRUE(initial) << render_text(initial.error());
    x0_ = initial->x;
    guess_ = initial->guess;
    configuration_ = initial->configuration;
    locked_ = hybrid_->lock(initial->configuration.mode).value();
    ASSERT_EQ(locked_->states().size(), x0_.size());
  }

  // Points near the start.
  std::vector<double> point(unsigned seed) const {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-0.2, 0.2);
    std::vector<double> x = x0_;
    for (double& value : x) {
      value += uniform(random);
    }
    return x;
  }

  // Sides, zeros and weights for the guards, other values for held numbers and discrete variables.
  system::Configuration configuration(unsigned seed) const {
    std::mt19937 random(seed);
    const double sides[] = {-1.0, 1.0, 0.0, 0.3, -0.7};
    system::Configuration other = configuration_;
    for (double& latched : other.latched) {
      latched = sides[random() % 5];
    }
    for (double& discrete : other.discrete) {
      discrete = static_cast<double>(random() % 2);
    }
    return other;
  }

  std::shared_ptr<const system::HybridSystem> hybrid_;
  system::Configuration configuration_;
  std::vector<double> x0_;
  std::vector<double> guess_;
  std::shared_ptr<const system::LockedDae> locked_;
};

TEST_P(EvaluatorContract, DoesNotAllocateAfterTheFirstCall) {
  const auto evaluator = locked_->make_evaluator(guess_);
  std::vector<double> xdot(x0_.size());
  std::vector<double> values(hybrid_->variables().size());
  const auto width = static_cast<std::size_t>(locked_->block_width());
  const std::vector<double> t(width, 0.5);
  std::vector<double> x(x0_.size() * width);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = x0_[i / width];
  }
  std::vector<double> block(values.size() * width);
  ASSERT_TRUE(evaluator->rhs(0.0, x0_, xdot).ok());
  const std::vector<double> other = point(1);
  const test::AllocationGuard guard;
  const bool ok = evaluator->rhs(0.5, other, xdot).ok() && evaluator->outputs(0.5, other, values).ok() &&
                  evaluator->outputs_block(t, x, block).ok();
  const auto count = guard.count();
  EXPECT_TRUE(ok);
  EXPECT_EQ(count, 0);
}

// Where there is a residual form: the point that belongs to a state has the derivatives of rhs(), its rows vanish up to the
// rounding of their terms, and nothing is allocated once the runner exists.
TEST_P(EvaluatorContract, ResidualFormAgreesWithTheRightHandSide) {
  const auto form = locked_->residual_form();
  const auto evaluator = locked_->make_evaluator(guess_);
  system::EquationRunner* const runner = evaluator->residual_runner();
  ASSERT_EQ(form == nullptr, runner == nullptr);
  if (form == nullptr) {
    return;
  }
  const auto n_y = static_cast<std::size_t>(form->n_rows());
  std::vector<double> slots(n_y + x0_.size());
  std::vector<double> rows(n_y);
  std::vector<double> entries(form->pattern().n_entries());
  std::vector<double> xdot(x0_.size());
  const std::vector<double> other = point(1);
  ASSERT_TRUE(evaluator->rhs(0.5, other, xdot).ok());
  const test::AllocationGuard guard;
  const bool ok =
      evaluator->residual_point(0.5, other, std::span(slots).first(n_y), std::span(slots).subspan(n_y))
          .ok() &&
      runner->residual(0.5, slots, rows).ok() && runner->jacobian(0.5, slots, entries).ok();
  const auto count = guard.count();
  EXPECT_TRUE(ok);
  EXPECT_EQ(count, 0);
  for (std::size_t i = 0; i < xdot.size(); ++i) {
    EXPECT_EQ(slots[i], other[i]);
    EXPECT_NEAR(slots[n_y + i], xdot[i], 1e-9 * (1.0 + std::abs(xdot[i])));
  }
  std::vector<double> sizes(n_y, 1.0);  // of the terms of a row
  for (std::size_t column = 0; column < slots.size(); ++column) {
    for (Index k = form->pattern().column_starts[column]; k < form->pattern().column_starts[column + 1];
         ++k) {
      const auto entry = static_cast<std::size_t>(k);
      sizes[static_cast<std::size_t>(form->pattern().rows[entry])] +=
          std::abs(entries[entry] * slots[column]);
    }
  }
  for (std::size_t i = 0; i < n_y; ++i) {
    EXPECT_NEAR(rows[i], 0.0, 1e-9 * sizes[i]) << form->rows()[i].text;
  }
}

TEST_P(EvaluatorContract, BlockOfPointsEqualsSinglePoints) {
  const auto width = static_cast<std::size_t>(locked_->block_width());
  const std::size_t n_variables = hybrid_->variables().size();
  std::vector<double> t(width);
  std::vector<double> x(x0_.size() * width);
  std::vector<double> block(n_variables * width);
  for (std::size_t k = 0; k < width; ++k) {
    t[k] = 0.1 * static_cast<double>(k);
    const std::vector<double> one = point(static_cast<unsigned>(10 + k));
    for (std::size_t i = 0; i < one.size(); ++i) {
      x[i * width + k] = one[i];
    }
  }
  // Fresh evaluators that see the points in the same order: equal bits, implicit blocks included.
  for (unsigned seed = 0; seed < 8; ++seed) {
    const auto wide = locked_->make_evaluator(guess_);
    const auto evaluator = locked_->make_evaluator(guess_);
    wide->set_configuration(configuration(seed));
    evaluator->set_configuration(configuration(seed));
    if (seed > 4 && !hybrid_->guards().empty()) {
      wide->set_latched(0, 0.25);
      evaluator->set_latched(0, 0.25);
    }
    ASSERT_TRUE(wide->outputs_block(t, x, block).ok());
    std::vector<double> values(n_variables);
    for (std::size_t k = 0; k < width; ++k) {
      ASSERT_TRUE(evaluator->outputs(t[k], point(static_cast<unsigned>(10 + k)), values).ok());
      for (std::size_t i = 0; i < n_variables; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(values[i]),
                  std::bit_cast<std::uint64_t>(block[i * width + k]));
      }
    }
  }
}

// What was set before leaves no trace: a configuration is set whole, a latched value alone.
TEST_P(EvaluatorContract, TheConfigurationIsWhatWasSetLast) {
  const auto fresh = locked_->make_evaluator(guess_);
  const auto used = locked_->make_evaluator(guess_);
  std::vector<double> a(hybrid_->variables().size());
  std::vector<double> b(a.size());
  for (unsigned seed = 0; seed < 10; ++seed) {
    used->set_configuration(configuration(seed));
    for (std::size_t i = 0; i < hybrid_->guards().size(); ++i) {
      used->set_latched(static_cast<Index>(i), 0.125);
    }
  }
  system::Configuration last = configuration(11);
  fresh->set_configuration(last);
  used->set_configuration(last);
  ASSERT_TRUE(fresh->outputs(0.5, x0_, a).ok());
  ASSERT_TRUE(used->outputs(0.5, x0_, b).ok());
  EXPECT_EQ(a, b);
  for (std::size_t i = 0; i < last.latched.size(); ++i) {
    last.latched[i] = last.latched[i] == 1.0 ? -1.0 : 1.0;
    used->set_latched(static_cast<Index>(i), last.latched[i]);
  }
  fresh->set_configuration(last);
  std::vector<double> fresh_rate(x0_.size());
  std::vector<double> used_rate(x0_.size());
  ASSERT_TRUE(fresh->rhs(0.5, x0_, fresh_rate).ok());
  ASSERT_TRUE(used->rhs(0.5, x0_, used_rate).ok());
  for (std::size_t i = 0; i < x0_.size(); ++i) {
    EXPECT_NEAR(fresh_rate[i], used_rate[i], 8e-16 * (1.0 + std::abs(fresh_rate[i])));
  }
}

TEST_P(EvaluatorContract, RoundsDoNotAllocate) {
  if (!hybrid_->has_rounds()) {
    return;
  }
  const auto solver = hybrid_->rounds(configuration_.mode).value();
  const auto evaluator = locked_->make_evaluator(guess_);
  system::RoundSolution solution;
  solver->prepare(solution);
  const std::vector<std::uint8_t> fired(hybrid_->actions().size(), 1);
  const std::vector<std::uint8_t> clocks(static_cast<std::size_t>(hybrid_->n_clocks()), 1);
  std::vector<double> values(hybrid_->variables().size());
  ASSERT_TRUE(evaluator->outputs(0.0, x0_, values).ok());
  const system::RoundInputs inputs{.t = 0.0,
                                   .configuration = &configuration_,
                                   .previous = values,
                                   .x_previous = x0_,
                                   .fired = fired,
                                   .clocks = clocks};
  const system::Configuration other = configuration(3);
  system::Schedule schedule;
  hybrid_->next_scheduled(configuration_, 0.0, 1.0, 1.0, false, schedule);
  const test::AllocationGuard guard;
  const bool ok = solver->solve(inputs, solution).ok();
  evaluator->set_configuration(other);
  if (!hybrid_->guards().empty()) {
    evaluator->set_latched(0, 0.5);
  }
  hybrid_->next_scheduled(configuration_, 0.1, 1.0, 1.0, false, schedule);
  const auto count = guard.count();
  EXPECT_TRUE(ok);
  EXPECT_EQ(count, 0);
}

TEST_P(EvaluatorContract, HistoryChangesNothingBeyondRounding) {
  const auto fresh = locked_->make_evaluator(guess_);
  const auto used = locked_->make_evaluator(guess_);
  std::vector<double> a(x0_.size());
  std::vector<double> b(x0_.size());
  for (unsigned seed = 0; seed < 20; ++seed) {
    ASSERT_TRUE(used->rhs(0.1 * seed, point(seed), b).ok());
  }
  const std::vector<double> x = point(99);
  ASSERT_TRUE(fresh->rhs(0.7, x, a).ok());
  ASSERT_TRUE(used->rhs(0.7, x, b).ok());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 8e-16 * (1.0 + std::abs(a[i])));
  }
}

TEST_P(EvaluatorContract, DroppedAttemptsLeaveNoTrace) {
  const auto undisturbed = locked_->make_evaluator(guess_);
  const auto used = locked_->make_evaluator(guess_);
  std::vector<double> a(x0_.size());
  std::vector<double> b(x0_.size());
  ASSERT_TRUE(undisturbed->rhs(0.0, x0_, a).ok());
  undisturbed->keep_solutions();
  ASSERT_TRUE(used->rhs(0.0, x0_, b).ok());
  used->keep_solutions();
  for (unsigned seed = 0; seed < 5; ++seed) {
    (void)used->rhs(0.1 * seed, point(seed), b);
  }
  std::vector<double> bad = x0_;
  std::fill(bad.begin(), bad.end(), std::nan(""));
  (void)used->rhs(0.1, bad, b);
  used->restore_solutions();
  const std::vector<double> x = point(77);
  ASSERT_TRUE(undisturbed->rhs(0.2, x, a).ok());
  ASSERT_TRUE(used->rhs(0.2, x, b).ok());
  EXPECT_EQ(a, b);
}

TEST_P(EvaluatorContract, StatesAreAmongTheOutputs) {
  std::vector<double> values(hybrid_->variables().size());
  const std::vector<double> x = point(5);
  ASSERT_TRUE(locked_->make_evaluator(guess_)->outputs(0.0, x, values).ok());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (hybrid_->variables()[v].name == locked_->states()[i].name) {
        EXPECT_EQ(values[v], x[i]);
      }
    }
  }
}

// NaN and infinity in the state: a status, never a crash or an endless iteration.
TEST_P(EvaluatorContract, NotFiniteStatesAreReported) {
  const auto evaluator = locked_->make_evaluator(guess_);
  std::vector<double> xdot(x0_.size());
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    if (x0_.empty()) {
      return;
    }
    std::vector<double> x = x0_;
    x.back() = bad;
    const system::Evaluation evaluation = evaluator->rhs(0.0, x, xdot);
    EXPECT_FALSE(evaluation.ok());
    EXPECT_FALSE(evaluator->describe(evaluation, 0.0).empty());
    EXPECT_TRUE(evaluator->rhs(0.0, x0_, xdot).ok());  // and the evaluator goes on
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EvaluatorContract, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace saltus

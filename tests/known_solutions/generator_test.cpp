// The generator itself: closed forms, firing times, and that a run which is not right is seen.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/simulate.hpp"
#include "support/known_solutions/recipes.hpp"
#include "support/known_solutions/run_check.hpp"

namespace saltus::test::known {
namespace {

TEST(ClosedForms, DerivativesAreThoseOfTheValues) {
  constexpr double kStep = 1e-5;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Random random(seed, 0);
    const ClosedForm form = random_closed_form(random, 5.0);
    for (const double t : {0.1, 1.3, 2.9, 4.7}) {
      for (const int order : {1, 2}) {
        const double difference =
            (form.value(t + kStep, order - 1) - form.value(t - kStep, order - 1)) / (2.0 * kStep);
        EXPECT_NEAR(form.value(t, order), difference, 1e-6) << form.text();
      }
    }
  }
}

TEST(ClosedForms, TextsHaveTheValues) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Random random(seed, 0);
    const ClosedForm form = random_closed_form(random, 5.0);
    std::string text = "model M\n";
    for (const int order : {0, 1, 2}) {
      text += "  Real y" + std::to_string(order) + " = " + form.text(order) + ";\n";
    }
    const auto result =
        simulate(Model::from_text("m.mo", text + "end M;\n").value(), {.stop = 5.0, .interval = 0.5}).value();
    ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
    for (std::size_t row = 0; row < result.trajectory.n_rows(); ++row) {
      for (const int order : {0, 1, 2}) {
        EXPECT_NEAR(result.trajectory.row(row)[static_cast<std::size_t>(order)],
                    form.value(result.trajectory.times()[row], order), 1e-12)
            << form.text(order);
      }
    }
  }
}

TEST(KnownModels, AreTheSameForTheSameSeedAndCompile) {
  for (const Recipe& recipe : recipes()) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      const KnownModel known = known_model(recipe.name, seed);
      EXPECT_EQ(known.text, known_model(recipe.name, seed).text);
      const auto model = Model::from_text("known.mo", known.text);
      EXPECT_TRUE(model.has_value()) << known.text << render_text(model.error());
    }
  }
}

/// K of a neutral unknown counts the steps, that of a damped one forgets them, and drivers are added with their gains.
TEST(KnownModels, AmplificationsFollowTheSteps) {
  Canonical canonical;
  canonical.add(ClosedForm(), true);
  canonical.add(ClosedForm(), true);
  canonical.add(ClosedForm(), false);
  canonical.unknowns[0].rate = 0.0;
  canonical.unknowns[1].rate = 1e3;
  canonical.unknowns[2].from = {{0, 0.5}, {1, 2.0}};
  const std::vector<double> k = amplifications(canonical, {1.0, 2.0, 3.0});
  EXPECT_EQ(k[0], 4.0);
  EXPECT_EQ(k[1], 1.0);
  EXPECT_EQ(k[2], 1.0 + 0.5 * 4.0 + 2.0 * 1.0);
}

/// A model whose clauses fire, with its run.
struct Fired {
  KnownModel known;
  Model model;
};
Fired model_with_events() {
  for (std::uint32_t seed = 1;; ++seed) {
    KnownModel known = known_model("ode", seed);
    if (!known.clauses.empty() && known.clauses[0].times.size() >= 2) {
      Model model = Model::from_text("known.mo", known.text).value();
      return {std::move(known), std::move(model)};
    }
  }
}

TEST(RunCheck, SeesRowsThatAreOff) {
  Fired fired = model_with_events();
  EXPECT_TRUE(check_run(fired.model, fired.known, "dopri5", 1e-8).is_right());
  // A bump within one thousandth of the run, three rows wide.
  fired.known.variables[0].exact.add(
      ClosedForm({{ClosedForm::Kind::bump, 1e-3, 1000.0 / fired.known.canonical.stop,
                   0.5 * fired.known.canonical.stop}}),
      1.0);
  const RunCheck check = check_run(fired.model, fired.known, "dopri5", 1e-8);
  EXPECT_GT(check.rows_wrong, 0U);
  EXPECT_LT(check.rows_wrong, check.n_rows);
  EXPECT_EQ(check.missed + check.doubled, 0U);
}

TEST(RunCheck, SeesEventsThatAreMissedOrTooMany) {
  Fired fired = model_with_events();
  std::vector<double>& times = fired.known.clauses[0].times;
  const std::vector<double> right = times;
  const RunCheck compared = check_run(fired.model, fired.known, "radau5", 1e-8);
  EXPECT_TRUE(compared.is_right()) << compared.text();
  EXPECT_EQ(compared.undecided, 0U);
  times = {right.begin() + 1, right.end()};
  EXPECT_EQ(check_run(fired.model, fired.known, "radau5", 1e-8).doubled, 1U);
  EXPECT_EQ(check_run(fired.model, fired.known, "radau5", 1e-8).missed, 0U);
  times = right;
  times.insert(times.begin() + 1, 0.5 * (right[0] + right[1]));
  EXPECT_EQ(check_run(fired.model, fired.known, "radau5", 1e-8).missed, 1U);
  times = right;
  times[0] += 1e-3;  // late or early beyond what errors explain: neither the one nor the other is right
  EXPECT_FALSE(check_run(fired.model, fired.known, "radau5", 1e-8).is_right());
}

}  // namespace
}  // namespace saltus::test::known

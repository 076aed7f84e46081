#include "reduce/ranks/merged_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reduce/ranks/characteristic_values.hpp"
#include "support/linear_dae.hpp"

namespace saltus::reduce {
namespace {

using test::JetDae;
using test::JetModel;
using test::JetPoint;
using test::Series;

MergedRates merged(const JetDae& dae, double t = 0.7) {
  std::vector<double> slots(dae.derivative_array(0).value()->slots().size(), 0.4);
  Result<MergedRates> found = merge_rates(dae, {}, t, slots);
  EXPECT_TRUE(found);
  return *std::move(found);
}

// p' = u, q' = w, u' = -l·p, w' = -l·q - 9.81, p² + q² = 1, in the order p, q, u, w, l.
JetModel pendulum_with_velocities() {
  JetModel model;
  model.orders = {1, 1, 1, 1, 1};
  model.n_equations = 5;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{2.0 * (p.x(0, 1) - p.x(2)), p.x(3) - p.x(1, 1), p.x(2, 1) + p.x(4) * p.x(0),
                               p.x(3, 1) + p.x(4) * p.x(1) + 9.81, p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0};
  };
  return model;
}

TEST(MergedRates, PendulumIsOfSecondOrder) {
  const JetDae dae(pendulum_with_velocities());
  const MergedRates rates = merged(dae);
  ASSERT_NE(rates.dae, nullptr);
  ASSERT_EQ(rates.stands_for.size(), 2U);
  EXPECT_EQ(rates.stands_for.at(2), (system::Quantity{0, 1}));
  EXPECT_EQ(rates.stands_for.at(3), (system::Quantity{1, 1}));
  const auto array = rates.dae->derivative_array(0).value();
  EXPECT_EQ(array->n_rows(), 3);
  std::vector<std::string> names;
  for (const system::SlotInfo& slot : array->slots()) {
    names.push_back(slot.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"x1", "x2", "x5", "der(x1)", "der(x2)", "der(x5)",
                                             "der(der(x1))", "der(der(x2))"}));
  // States p, q, l, p', q'. In motion the multiplier depends on the velocity, which is then of first order (docs/math/ranks.md).
  const auto values =
      find_characteristic_values(*rates.dae, {}, 0.0, std::vector<double>{0.6, -0.8, 0, 0.8, 0.6});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->level, 3);
  EXPECT_EQ(values->algebraic, 1);
  EXPECT_EQ(values->differential, (std::vector<Index>{2, 0}));
  EXPECT_EQ(values->degrees_of_freedom(), 2);
}

// The array of the merged system is that of the system written with second derivatives.
TEST(MergedRates, ArraysAreThoseOfTheHigherOrder) {
  const JetDae first(pendulum_with_velocities());
  JetModel model;
  model.orders = {2, 2, 1};
  model.n_equations = 3;
  model.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(0, 2) + p.x(2) * p.x(0), p.x(1, 2) + p.x(2) * p.x(1) + 9.81,
                               p.x(0) * p.x(0) + p.x(1) * p.x(1) - 1.0};
  };
  const JetDae second(model);
  const MergedRates rates = merged(first);
  for (int level = 0; level < 4; ++level) {
    const auto one = rates.dae->derivative_array(level).value();
    const auto other = second.derivative_array(level).value();
    ASSERT_EQ(one->n_slots(), other->n_slots());
    ASSERT_EQ(one->n_rows(), other->n_rows());
    std::vector<double> slots;
    for (Index s = 0; s < one->n_slots(); ++s) {
      slots.push_back(std::sin(1.0 + 0.3 * static_cast<double>(s)));
    }
    std::vector<double> values(static_cast<std::size_t>(one->n_rows()));
    std::vector<double> expected(values);
    ASSERT_TRUE(one->make_runner()->residual(0.3, slots, values).ok());
    ASSERT_TRUE(other->make_runner()->residual(0.3, slots, expected).ok());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-12) << level << " " << i;
    }
    // Entries by finite differences of the residual.
    std::vector<double> entries(one->pattern().n_entries());
    ASSERT_TRUE(one->make_runner()->jacobian(0.3, slots, entries).ok());
    for (Index s = 0; s < one->n_slots(); ++s) {
      std::vector<double> moved = slots;
      moved[static_cast<std::size_t>(s)] += 1e-6;
      std::vector<double> after(values);
      ASSERT_TRUE(one->make_runner()->residual(0.3, moved, after).ok());
      std::vector<double> column(values.size(), 0.0);
      for (Index e = one->pattern().column_starts[static_cast<std::size_t>(s)];
           e < one->pattern().column_starts[static_cast<std::size_t>(s) + 1]; ++e) {
        column[static_cast<std::size_t>(one->pattern().rows[static_cast<std::size_t>(e)])] =
            entries[static_cast<std::size_t>(e)];
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR((after[i] - values[i]) / 1e-6, column[i], 1e-4) << level << " " << i << " " << s;
      }
    }
  }
}

// c = b', b = a', c' + a = 0: a''' + a = 0.
TEST(MergedRates, ChainsAreFollowed) {
  const JetDae dae(test::linear_model({{{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}},
                                       {{0.0, -1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}}));
  const MergedRates rates = merged(dae);
  ASSERT_NE(rates.dae, nullptr);
  EXPECT_EQ(rates.merged({2, 1}), (system::Quantity{0, 3}));
  EXPECT_EQ(rates.merged({1, 0}), (system::Quantity{0, 1}));
  EXPECT_EQ(rates.dae->states().size(), 3U);
  const auto values = find_characteristic_values(*rates.dae, {}, 0.0, std::vector<double>{1, 0, 0});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->differential, (std::vector<Index>{0, 0, 1}));
}

TEST(MergedRates, OutputsOtherFactorsAndVaryingOnesStay) {
  // v = x' alone; v = 2x'; v = t·x'; v = x' + 1 with v' written; x' = y, y' = x'' of itself.
  const auto equations = [](auto rate) {
    JetModel model;
    model.orders = {1, 1};
    model.n_equations = 2;
    model.equations = [rate](const JetPoint& p) { return std::vector<Series>{rate(p), p.x(1, 1) + p.x(0)}; };
    return model;
  };
  EXPECT_NE(merged(JetDae(equations([](const JetPoint& p) { return p.x(1) - p.x(0, 1); }))).dae, nullptr);
  EXPECT_EQ(merged(JetDae(equations([](const JetPoint& p) { return p.x(1) - 2.0 * p.x(0, 1); }))).dae,
            nullptr);
  EXPECT_EQ(merged(JetDae(equations([](const JetPoint& p) { return p.x(1) - p.t * p.x(0, 1); }))).dae,
            nullptr);
  EXPECT_EQ(merged(JetDae(equations([](const JetPoint& p) { return p.x(1) - p.x(0, 1) + 1.0; }))).dae,
            nullptr);
  EXPECT_EQ(merged(JetDae(equations([](const JetPoint& p) {
              return p.x(1) * p.x(1) - p.x(0, 1) * p.x(0, 1);
            }))).dae,
            nullptr);
  JetModel output;
  output.orders = {1, 1};
  output.n_equations = 2;
  output.equations = [](const JetPoint& p) {
    return std::vector<Series>{p.x(1) - p.x(0, 1), p.x(0, 1) + p.x(0)};
  };
  EXPECT_EQ(merged(JetDae(output)).dae, nullptr);
  // x' = y and y' = x: each is the derivative of the other, and one of them goes.
  const JetDae cycle(equations([](const JetPoint& p) { return p.x(0, 1) - p.x(1); }));
  EXPECT_EQ(merged(cycle).stands_for.size(), 1U);
}

}  // namespace
}  // namespace saltus::reduce

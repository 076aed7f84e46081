#include "integrate/method_registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "saltus/contract.hpp"
#include "support/integration_fixture.hpp"

namespace saltus::integrate {
namespace {

TEST(MethodRegistry, NamesAreUniqueAndDopri5IsTheDefault) {
  const auto list = methods();
  EXPECT_EQ(list.front().name, "dopri5");
  EXPECT_EQ(list.front().dense_order, 4);
  std::set<std::string> names;
  for (const Method& info : list) {
    EXPECT_TRUE(names.emplace(info.name).second);
    EXPECT_EQ(find_method(info.name), &info);
    EXPECT_EQ(info.is_implicit(), info.tableau == nullptr);
    EXPECT_GE(info.dense_order, kHermiteOrder);
  }
  for (const char* name : {"kutta3", "rk4", "rk23", "fehlberg45", "fehlberg78", "radau5"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(MethodRegistry, UnknownNameGivesNothing) {
  EXPECT_EQ(find_method("euler9"), nullptr);
}

TEST(MethodRegistry, MethodWithoutEstimateRefusesAnErrorTest) {
  test::FunctionEvaluator evaluator([](double, std::span<const double>, std::span<double>) {});
  EXPECT_THROW(
      (void)make_stepper(*find_method("kutta3"), evaluator, nullptr, 1, test::tolerances(1, 1e-6, 1e-6)),
      ContractViolation);
  EXPECT_NE(make_stepper(*find_method("kutta3"), evaluator, nullptr, 1, test::no_error_test(1)), nullptr);
}

TEST(MethodRegistry, TolerancesThatMakeNoSenseAreRefused) {
  test::FunctionEvaluator evaluator([](double, std::span<const double>, std::span<double>) {});
  for (const char* name : {"dopri5", "radau5"}) {
    const auto make = [&](Index n, const Tolerances& tolerances) {
      (void)make_stepper(*find_method(name), evaluator, nullptr, n, tolerances);
    };
    EXPECT_THROW(make(2, test::tolerances(1, 1e-6, 1e-6)), ContractViolation);
    EXPECT_THROW(make(1, test::tolerances(1, 1e-6, 0.0)), ContractViolation);
    EXPECT_THROW(make(1, test::tolerances(1, -1.0, 1.0)), ContractViolation);
  }
}

}  // namespace
}  // namespace saltus::integrate

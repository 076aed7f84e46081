#include "integrate/method_registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "saltus/contract.hpp"
#include "support/integration_fixture.hpp"

namespace saltus::integrate {
namespace {

TEST(MethodRegistry, NamesAreUniqueAndDopri5IsTheDefault) {
  const auto list = method_list();
  EXPECT_EQ(list.front().name, "dopri5");
  EXPECT_EQ(list.front().dense_order, 4);
  std::set<std::string> names;
  for (const MethodInfo& info : list) {
    EXPECT_TRUE(names.emplace(info.name).second);
    EXPECT_TRUE(is_method(info.name));
    EXPECT_GE(info.dense_order, kHermiteOrder);
  }
  for (const char* name : {"kutta3", "rk4", "rk23", "fehlberg45", "fehlberg78"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(MethodRegistry, UnknownNameGivesNothing) {
  test::FunctionEvaluator evaluator([](double, std::span<const double>, std::span<double>) {});
  EXPECT_FALSE(is_method("euler9"));
  EXPECT_EQ(make_stepper("euler9", evaluator, 0, {}), nullptr);
}

TEST(MethodRegistry, MethodWithoutEstimateRefusesAnErrorTest) {
  test::FunctionEvaluator evaluator([](double, std::span<const double>, std::span<double>) {});
  EXPECT_THROW((void)make_stepper("kutta3", evaluator, 1, test::tolerances(1, 1e-6, 1e-6)),
               ContractViolation);
  EXPECT_NE(make_stepper("kutta3", evaluator, 1, test::no_error_test(1)), nullptr);
}

TEST(MethodRegistry, TolerancesThatMakeNoSenseAreRefused) {
  test::FunctionEvaluator evaluator([](double, std::span<const double>, std::span<double>) {});
  EXPECT_THROW((void)make_stepper("dopri5", evaluator, 2, test::tolerances(1, 1e-6, 1e-6)),
               ContractViolation);
  EXPECT_THROW((void)make_stepper("dopri5", evaluator, 1, test::tolerances(1, 1e-6, 0.0)), ContractViolation);
  EXPECT_THROW((void)make_stepper("dopri5", evaluator, 1, test::tolerances(1, -1.0, 1.0)), ContractViolation);
}

}  // namespace
}  // namespace saltus::integrate

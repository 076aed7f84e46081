// Elaboration is linear: 20,000 equations from arrays and loops, and ten times as many, within a generous bound.
#include <ctime>

#include <gtest/gtest.h>

#include "base/work_watch.hpp"
#include "support/compile_text.hpp"

namespace saltus {
namespace {

std::string chain(int n) {
  return "model Chain parameter Integer N = " + std::to_string(n) + R"(;
  Real T[N](each start = 1); Real q[N];
equation
  for i in 2:N-1 loop
    der(T[i]) = (q[i+1] - q[i])*N^2 + sin(T[i])*T[i-1];
  end for;
  der(T[1]) = 0; der(T[N]) = 0;
  for i in 2:N loop
    q[i] = (1 + 0.1*(T[i] + T[i-1])/2)*(T[i] - T[i-1]);
  end for;
  q[1] = 0;
end Chain;)";
}

double seconds(int n) {
  const std::clock_t begin = std::clock();  // processor time: other work on the machine does not count
  const flat::Model model = test::compile_text(chain(n));
  EXPECT_EQ(model.equations.size(), static_cast<std::size_t>(2 * n));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(ElaborationCost, IsLinearInTheNumberOfEquations) {
  seconds(1000);
  const double small = seconds(10'000);
  const double large = seconds(100'000);
  RecordProperty("seconds_20000", std::to_string(small));
  RecordProperty("seconds_200000", std::to_string(large));
  EXPECT_LT(large, 40.0 * small);
  EXPECT_LT(small, 1.0);
}

// Of a call whose branch, taken or not while the model runs, is tried on copies of a local with n elements.
std::int64_t work_of_a_branch(int n) {
  const std::int64_t before = detail::work_budget;
  test::compile_text("model A function f input Real x; output Real y; protected Real a[" + std::to_string(n) +
                     R"(];
  algorithm
    if x > 0 then a[1] := 1; else a[1] := 2; end if;
    y := a[1];
  end f; Real x = f(time); end A;)");
  return before - detail::work_budget;
}

TEST(ElaborationCost, CopiesOfLocalsCountAsWork) {
  constexpr int kMore = 100'000;
  EXPECT_GE(work_of_a_branch(1 + kMore) - work_of_a_branch(1), 2 * kMore);
}

}  // namespace
}  // namespace saltus

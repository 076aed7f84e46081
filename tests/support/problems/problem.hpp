/// What a test problem consists of. One header per problem; each says where it comes from and where it is valid.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/function_evaluator.hpp"

namespace saltus::test {

struct Problem {
  std::string name;
  double t_start = 0.0;
  double t_end = 1.0;
  std::vector<double> x_start;
  RhsFunction rhs;
  /// Solution where a closed form is known; empty otherwise.
  std::function<std::vector<double>(double t)> exact;
  /// Solution at t_end and how far it can be trusted.
  std::vector<double> x_end;
  double x_end_error = 0.0;

  [[nodiscard]] std::size_t size() const { return x_start.size(); }
};

}  // namespace saltus::test

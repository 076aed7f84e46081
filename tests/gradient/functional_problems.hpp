// Functionals of runs whose gradients exist, each with the names they are asked for.
#pragma once

#include <string>
#include <vector>

namespace saltus::test {

struct FunctionalProblem {
  const char* name;
  const char* text;
  const char* functional;
  std::vector<std::string> with;
  double stop = 1.0;
};

[[nodiscard]] const std::vector<FunctionalProblem>& functional_problems();

}  // namespace saltus::test

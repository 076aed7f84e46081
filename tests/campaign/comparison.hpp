/// What the programs of comparisons share: random models of families, each held against a reference, in processes of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace saltus::campaign {

/// What was found of one run. The verdicts "agrees" and "aside" are fine, all others are not.
struct Finding {
  std::string method;  ///< empty: of the model
  std::string verdict;
  std::size_t n_instants = 0;
  double worst = 0;  ///< error over bound
  std::string what;  ///< one line
};

struct Comparison {
  std::string program;  ///< its name, for messages
  std::vector<std::string> families;
  unsigned seconds_per_model = 120;
  std::function<std::string(std::size_t family, std::uint32_t seed)> text;
  std::function<std::vector<Finding>(std::size_t family, std::uint32_t seed)> compare;
  /// Another division of the models than by family; may be empty.
  std::function<std::string(std::size_t family, std::uint32_t seed)> group{};
};

/// N SEED [--only FAMILY,…] [--jobs J] | --model FAMILY:SEED | --text FAMILY:SEED. Returns the exit code: 0 where all is fine.
[[nodiscard]] int run_comparison(const Comparison& comparison, const std::vector<std::string>& arguments);

/// main() of such a program: 2 and a message where something is thrown.
[[nodiscard]] int main_of_comparison(const Comparison& comparison, int argc, char** argv);

}  // namespace saltus::campaign

// What sensitivities cost: `saltus_sensitivity_bench [--quick] [ratios|peers]...`. A program of its own, because CVODES and IDAS have the symbols of CVODE and IDA.
#include <fmt/format.h>

#include <exception>
#include <set>
#include <string>

#include "sensitivities/tables.hpp"

int main(int argc, char** argv) {
  using namespace saltus::bench;
  try {
    std::set<std::string> words(argv + 1, argv + argc);
    const bool is_quick = words.erase("--quick") != 0;
    if (words.empty() || words.contains("ratios")) {
      print_sensitivity_ratios(is_quick);
    }
    if (words.empty() || words.contains("peers")) {
      print_sensitivities_beside_sundials(is_quick);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "saltus_sensitivity_bench: {}\n", error.what());
    return 3;
  }
}

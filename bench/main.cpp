// Measurements of saltus beside other solvers: `saltus_bench [--quick] [comparison|scaling|process]...`, all by default.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <set>
#include <string>

#include "comparison.hpp"
#include "process.hpp"
#include "scaling.hpp"

namespace {

int run(int argc, char** argv) {
  bool quick = false;
  std::set<std::string> parts;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--ready" && i + 1 < argc) {
      return saltus::bench::measure_ready(std::atoi(argv[i + 1]));  // started by the scaling table
    } else if (argument == "comparison" || argument == "scaling" || argument == "process") {
      parts.insert(argument);
    } else {
      fmt::print(stderr, "usage: saltus_bench [--quick] [comparison|scaling|process]...\n");
      return 2;
    }
  }
  const auto wanted = [&](const char* part) { return parts.empty() || parts.contains(part); };
  if (wanted("comparison")) {
    saltus::bench::print_comparison(quick);
  }
  if (wanted("scaling")) {
    saltus::bench::print_scaling(argv[0], quick);
  }
  if (wanted("process")) {
    saltus::bench::print_process(quick);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "saltus_bench: {}\n", error.what());
    return 3;
  }
}

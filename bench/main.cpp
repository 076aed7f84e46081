// Measurements of saltus beside other solvers: `saltus_bench [--quick] [TABLE]...`, all tables by default.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <string_view>

#include "comparison.hpp"
#include "dae.hpp"
#include "events.hpp"
#include "formulations.hpp"
#include "parameters.hpp"
#include "process.hpp"
#include "scaling.hpp"

namespace {

using namespace saltus::bench;

struct Table {
  std::string_view name;
  void (*print)(bool quick);
};
constexpr std::array kTables{
    Table{"comparison", print_comparison},   Table{"process", print_process},
    Table{"disode45", print_disode45},       Table{"relay", print_relay},
    Table{"guards", print_guards},           Table{"belt", print_belt},
    Table{"concurrency", print_concurrency}, Table{"many", print_many},
    Table{"index1", print_index_one},        Table{"index3", print_high_index},
    Table{"hybrid", print_hybrid},           Table{"string", print_string},
    Table{"parameters", print_parameters},   Table{"formulations", print_formulations}};
constexpr std::string_view kScaling = "scaling";  // starts this program again

int run(int argc, char** argv) {
  bool quick = false;
  std::set<std::string, std::less<>> wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    bool is_table = argument == kScaling;
    for (const Table& table : kTables) {
      is_table = is_table || table.name == argument;
    }
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--ready" && i + 1 < argc) {
      return measure_ready(std::atoi(argv[i + 1]));  // started by the scaling table
    } else if (is_table) {
      wanted.insert(argument);
    } else {
      fmt::print(stderr, "usage: saltus_bench [--quick] [TABLE]...\ntables: {}", kScaling);
      for (const Table& table : kTables) {
        fmt::print(stderr, " {}", table.name);
      }
      fmt::print(stderr, "\n");
      return 2;
    }
  }
  if (wanted.empty() || wanted.contains(kScaling)) {
    print_scaling(argv[0], quick);
  }
  for (const Table& table : kTables) {
    if (wanted.empty() || wanted.contains(table.name)) {
      table.print(quick);
    }
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

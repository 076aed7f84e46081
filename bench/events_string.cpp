// The bowed string with more and more nodes: a step should cost in proportion to them. And the accepted steps of the stick-slip
// problems of [Wun08] 7.2.2 and 7.2.3 where they slide.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "dae.hpp"
#include "event_run.hpp"

namespace saltus::bench {
namespace {

// Waves pass a piece of the string in a time that falls with N: a step of dopri5 cannot be longer.
constexpr double kStop = 0.02;

void print_string_row(int nodes, const std::string& method, const std::string& friction, double& base) {
  const Model model = model_from(
      "bowed_string.mo", example_text("bowed_string.mo", {{"N", std::to_string(nodes)}, {"mu", friction}}));
  const SimulationResult result = fastest_run(
      model, {.stop = kStop, .interval = kStop, .method = method, .keep_dense = false, .keep_rows = false});
  const Statistics& statistics = result.statistics;
  const double microseconds = 1e6 * statistics.wall_seconds /
                              static_cast<double>(statistics.accepted_steps + statistics.rejected_steps);
  const double per_node = microseconds / nodes;
  if (base == 0.0) {
    base = per_node;
  }
  fmt::print("{:<7} {:>6} {:>8} {:>8} {:>8} {:>7} {:>12.2f} {:>10.3f}  {}\n", method, nodes,
             statistics.accepted_steps, statistics.accepted_sliding_steps, statistics.rejected_steps,
             statistics.events, microseconds, per_node / base, outcome(result));
}

void print_stick_slip_row(const std::string& name, const std::string& file, const std::string& method) {
  const SimulationResult result = simulate(model_from(file, example_text(file)), {.method = method}).value();
  fmt::print("{:<3} {:<24} {:<7} {:>8} {:>8} {:>8} {:>7}  {}\n", name, file, method,
             result.statistics.accepted_steps, result.statistics.accepted_sliding_steps,
             result.statistics.rejected_steps, result.statistics.events, outcome(result));
}

}  // namespace

void print_string(bool quick) {
  fmt::print("\n{:<7} {:>6} {:>8} {:>8} {:>8} {:>7} {:>12} {:>10}\n", "string", "N", "steps", "sliding",
             "rej", "events", "us/step", "per node x");
  // The friction of the example, with which the string slips all the time, and so much that it sticks to the bow.
  for (const char* const friction : {"0.4", "40"}) {
    for (const char* const method : {"dopri5", "radau5", "sdirk4", "bdf"}) {
      double base = 0.0;
      for (const int nodes : quick ? std::vector<int>{100} : std::vector<int>{100, 1000}) {
        print_string_row(nodes, method, friction, base);
      }
    }
  }
  fmt::print("\n{:<28} {:<7} {:>8} {:>8} {:>8} {:>7}\n", "stick-slip", "method", "steps", "sliding", "rej",
             "events");
  for (const char* const method : {"dopri5", "radau5", "bdf"}) {
    for (const char* const file : {"stick_slip.mo", "stick_slip_modes.saltus", "stick_slip_written.saltus"}) {
      print_stick_slip_row("A2", file, method);
    }
    for (const char* const file : {"belt.mo", "belt_modes.saltus"}) {
      print_stick_slip_row("A3", file, method);
    }
  }
}

}  // namespace saltus::bench

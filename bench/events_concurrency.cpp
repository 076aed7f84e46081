// Events in groups [Com01] 5.3.3 and 5.3.4: a hundred balls, and marbles in a jar, beside the same models with noEvent, which
// the integrator takes as smooth.
#include <fmt/format.h>

#include <algorithm>

#include "event_run.hpp"
#include "events.hpp"

namespace saltus::bench {
namespace {

/// The variation of the energy on a grid of 2000 rows.
double energy_variation(const SimulationResult& result) {
  const std::vector<double> energy = result.trajectory.column("energy");
  const auto [low, high] = std::minmax_element(energy.begin(), energy.end());
  return *high - *low;
}

void print_line(const std::string& what, double tolerance, const SimulationResult& result) {
  fmt::print("{:<34} {:7.0e} {:>7} {:>8} {:>9} {:>8} {:>8} {:>10.2f} {:>9.2e}  {}\n", what, tolerance,
             result.events.size(), result.statistics.events, result.statistics.residual_evaluations,
             result.statistics.accepted_steps, result.statistics.rejected_steps,
             1e3 * result.statistics.wall_seconds, energy_variation(result), outcome(result));
}

void print_balls() {
  const std::string text = example_text("bouncing_balls.mo");
  const Model model = model_from("bouncing_balls.mo", text);
  const Model smooth = model_from(
      "bouncing_balls.mo",
      replaced(text, {{"if y[i] < 0", "if noEvent(y[i] < 0)"}, {"if y[1] < 0", "if noEvent(y[1] < 0)"}}));
  SimulationOptions options{.interval = 0.002, .tolerance = 1e-3, .method = "dopri5", .max_step = 0.1};
  options.keep_dense = false;
  print_line("100 balls, noEvent", 1e-3, simulate(smooth, options).value());
  print_line("100 balls, every event", 1e-3, simulate(model, options).value());
  options.concurrency = Concurrency{1e-7, 1e-6};
  print_line("100 balls, concurrency 1e-7,1e-6", 1e-3, simulate(model, options).value());
}

void print_marbles(int n, const char* damper, double tolerance) {
  const std::string text = example_text("marble_jar.mo", {{"n", std::to_string(n)}, {"d", damper}});
  const Model model = model_from("marble_jar.mo", text);
  const Model smooth =
      model_from("marble_jar.mo",
                 replaced(text, {{"if distance[i, j] < 2*r then", "if noEvent(distance[i, j] < 2*r) then"},
                                 {"if x[i] < r - width then", "if noEvent(x[i] < r - width) then"},
                                 {"if x[i] > width - r then", "if noEvent(x[i] > width - r) then"},
                                 {"if y[i] < r then", "if noEvent(y[i] < r) then"}}));
  const SimulationOptions options{
      .interval = 0.001, .tolerance = tolerance, .method = "dopri5", .max_step = 0.1, .keep_dense = false};
  const std::string name = fmt::format("{} marbles{}", n, damper == std::string("0") ? "" : ", damped");
  print_line(name + ", noEvent", tolerance, simulate(smooth, options).value());
  print_line(name, tolerance, simulate(model, options).value());
}

}  // namespace

void print_concurrency(bool quick) {
  fmt::print("\n{:<34} {:>7} {:>7} {:>8} {:>9} {:>8} {:>8} {:>10} {:>9}\n", "events in groups", "tol",
             "events", "counted", "rhs", "steps", "rej", "time/ms", "energy");
  print_balls();
  for (const int n : {2, 4, 8, 16}) {
    for (const double tolerance : {1e-3, 1e-6}) {
      if (!quick || n < 8) {
        print_marbles(n, "0", tolerance);
      }
    }
  }
  print_marbles(quick ? 4 : 10, "10", 1e-6);
}

}  // namespace saltus::bench

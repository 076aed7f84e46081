// The mass on the belt as an automaton with a band of 1e-5 [Wun08] 7.2.3, and as written with sign.
#include <fmt/format.h>

#include <cmath>

#include "event_run.hpp"
#include "events.hpp"

namespace saltus::bench {
namespace {

// tests/support/problems/event_references.py belt
const std::vector<double> kIdealTimes{0.267581203902, 1.808917375775,  4.448860117028, 6.955507716842,
                                      9.595450458095, 12.102098057909, 14.742040799163};

void print_line(const std::string& what, const Model& model, const SimulationOptions& options,
                const std::vector<double>& expected) {
  const SimulationResult result = simulate(model, options).value();
  std::vector<double> slides;
  for (const Event event : result.events) {
    if (event.kind == EventKind::slide_enter || event.kind == EventKind::slide_exit) {
      slides.push_back(event.time);
    }
  }
  double error = slides.size() == expected.size() ? 0.0 : NAN;
  for (std::size_t k = 0; k < slides.size() && std::isfinite(error); ++k) {
    error = std::max(error, std::abs(slides[k] - expected[k]));
  }
  fmt::print("{:<40} {:>8} {:>8} {:>9} {:>9} {:>10.2f} {:>9.3f} {:>9.1e}  {}\n", what, result.events.size(),
             slides.size(), result.statistics.accepted_steps, result.statistics.residual_evaluations,
             1e3 * result.statistics.wall_seconds,
             1e6 * result.statistics.wall_seconds / static_cast<double>(result.events.size()), error,
             outcome(result));
}

}  // namespace

void print_belt(bool) {
  fmt::print("\n{:<40} {:>8} {:>8} {:>9} {:>9} {:>10} {:>9} {:>9}\n", "belt, tolerance 1e-8", "events",
             "slides", "steps", "rhs", "time/ms", "us/event", "error");
  const Model automaton =
      model_from("belt_hysteresis.saltus", example_text("belt_hysteresis.saltus", {{"eps", "1e-5"}}));
  const Model ideal = model_from("belt.mo", example_text("belt.mo"));
  print_line("automaton, band 1e-5, sliding off", automaton,
             {.interval = 15.0, .sliding = Sliding::off, .keep_dense = false}, {});
  print_line("sign, sliding on", ideal, {.interval = 15.0}, kIdealTimes);
}

}  // namespace saltus::bench

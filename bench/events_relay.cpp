// x'' = -sign(x): nothing but events.
#include <fmt/format.h>

#include "event_run.hpp"
#include "events.hpp"
#include "peer_cvode_events.hpp"

namespace saltus::bench {
namespace {

constexpr double kEnd = 20000.0;  // 10,000 events, at 1, 3, 5, …; x is 1/2 again
constexpr double kTolerance = 1e-9;
constexpr int kRepetitions = 40;

void print_line(const char* solver, const RelayRun& run, double saltus_seconds) {
  if (!run.failure.empty()) {
    fmt::print("{:<34} {}\n", solver, run.failure);
    return;
  }
  fmt::print("{:<34} {:>7} {:>9} {:>10.3f} {:>9.1e} {:>8.1f}\n", solver, run.n_events, run.n_rhs,
             1e6 * run.seconds / static_cast<double>(run.n_events), run.error, run.seconds / saltus_seconds);
}

RelayRun relay_by_saltus(const Model& model, bool keep_dense, double interval) {
  const SimulationResult result = fastest_run(
      model,
      {.stop = kEnd, .interval = interval, .rtol = kTolerance, .atol = kTolerance, .keep_dense = keep_dense},
      kRepetitions);
  RelayRun run;
  run.seconds = result.statistics.wall_seconds;
  run.n_events = result.statistics.events;
  run.n_rhs = result.statistics.residual_evaluations;
  run.failure = result.ok() ? "" : outcome(result);
  run.error = std::max(std::abs(result.final_value("x") - 0.5), std::abs(result.final_value("v")));
  return run;
}

RelayRun fastest_cvode(int method) {
  RelayRun best = relay_by_cvode(method, kTolerance, kEnd);
  for (int i = 0; i < 4; ++i) {
    RelayRun run = relay_by_cvode(method, kTolerance, kEnd);
    if (run.seconds < best.seconds) {
      best = run;
    }
  }
  return best;
}

}  // namespace

void print_relay(bool) {
  const Model model = model_from("relay_oscillator.mo", example_text("relay_oscillator.mo"));
  fmt::print("\n{:<34} {:>7} {:>9} {:>10} {:>9} {:>8}\n", "relay oscillator, tolerance 1e-9", "events", "rhs",
             "us/event", "error", "time x");
  const RelayRun rows = relay_by_saltus(model, false, kEnd);
  print_line("saltus, rows and events kept", rows, rows.seconds);
  print_line("saltus, dense solution kept too", relay_by_saltus(model, true, kEnd), rows.seconds);
  print_line("saltus, 1e5 rows of output too", relay_by_saltus(model, false, kEnd / 1e5), rows.seconds);
  print_line("cvode adams, roots and new starts", fastest_cvode(CV_ADAMS), rows.seconds);
  print_line("cvode bdf, roots and new starts", fastest_cvode(CV_BDF), rows.seconds);
}

}  // namespace saltus::bench

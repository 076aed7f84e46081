// Ten guards that fire rarely, against the same model without them.
#include <fmt/format.h>

#include "event_run.hpp"
#include "events.hpp"

namespace saltus::bench {
namespace {

struct GuardedModel {
  std::string file;
  std::string end;                  ///< where the clauses are put in
  std::vector<std::string> guards;  ///< conditions
  double stop;
};

const std::vector<GuardedModel>& guarded_models() {
  static const std::vector<GuardedModel> models{
      {"lorenz.mo",
       "  annotation",
       {"x > 18", "x < -18", "y > 25", "y < -25", "z > 44", "z < 6", "x + y > 42", "x + y < -42",
        "x - y > 14", "x*y > 400"},
       20.0},
      {"pleiades.mo",
       "  annotation",
       {"x[1] > 4", "x[2] < -4", "y[3] > 6", "y[4] < -6", "u[5] > 8", "v[6] < -8", "x[7] - x[6] > 8",
        "(x[1] - x[2])^2 + (y[1] - y[2])^2 > 100", "(x[3] - x[4])^2 + (y[3] - y[4])^2 > 100",
        "u[1]^2 + v[1]^2 > 40"},
       3.0}};
  return models;
}

Model with_guards(const GuardedModel& model) {
  std::string clauses;
  std::string counters;
  for (std::size_t i = 0; i < model.guards.size(); ++i) {
    const std::string name = fmt::format("fired{}", i + 1);
    counters += fmt::format("  discrete Integer {}(start = 0, fixed = true);\n", name);
    clauses +=
        fmt::format("  when {} then\n    {} = pre({}) + 1;\n  end when;\n", model.guards[i], name, name);
  }
  std::string text = example_text(model.file);
  text.insert(text.find(model.end), clauses);
  text.insert(text.find("\nequation\n") + 1, counters);
  return model_from(model.file, text);
}

}  // namespace

void print_guards(bool) {
  fmt::print("\n{:<10} {:>7} {:>10} {:>10} {:>7} {:>9} {:>9} {:>7}\n", "guards on", "tol", "without/ms",
             "with/ms", "time x", "rhs x", "guards", "events");
  for (const GuardedModel& guarded : guarded_models()) {
    const Model plain = model_from(guarded.file, example_text(guarded.file));
    const Model with = with_guards(guarded);
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const SimulationOptions options{.stop = guarded.stop,
                                      .interval = guarded.stop,
                                      .rtol = tolerance,
                                      .atol = tolerance,
                                      .method = "dopri5",
                                      .keep_dense = false};
      const SimulationResult without = fastest_run(plain, options);
      const SimulationResult result = fastest_run(with, options);
      fmt::print("{:<10} {:7.0e} {:>10.3f} {:>10.3f} {:>7.2f} {:>9.2f} {:>9} {:>7}  {}\n",
                 guarded.file.substr(0, guarded.file.find('.')), tolerance,
                 1e3 * without.statistics.wall_seconds, 1e3 * result.statistics.wall_seconds,
                 result.statistics.wall_seconds / without.statistics.wall_seconds,
                 static_cast<double>(result.statistics.residual_evaluations) /
                     static_cast<double>(without.statistics.residual_evaluations),
                 result.statistics.guard_evaluations, result.statistics.events, outcome(result));
    }
  }
}

}  // namespace saltus::bench

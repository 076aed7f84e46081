#include "scaling.hpp"

#include <fmt/format.h>

#include <chrono>
#include <sstream>
#include <vector>

#include "child_process.hpp"
#include "peer_saltus.hpp"
#include "saltus/simulate.hpp"

namespace saltus::bench {

int measure_ready(int cells) {
  using Clock = std::chrono::steady_clock;
  std::string text = model_text("heat_chain.mo", {{"N", cells}});
  const auto begin = Clock::now();
  const Result<Model> model = Model::from_text("heat_chain.mo", std::move(text));
  const auto elaborated = Clock::now();
  if (!model) {
    fmt::print("{}", render_text(model.error()));
    return 2;
  }
  // One short step: everything before it is the preparation, itself it is negligible.
  const auto result = simulate(*model, {.stop = 1e-6,
                                        .interval = 1e-6,
                                        .method = "dopri5",
                                        .step = 1e-6,
                                        .keep_dense = false,
                                        .keep_rows = false});
  const auto ready = Clock::now();
  if (!result || !result->ok()) {
    fmt::print("{}", result ? result->message : render_text(result.error()));
    return 1;
  }
  fmt::print("{} {} {}\n", model->n_equations(), std::chrono::duration<double>(elaborated - begin).count(),
             std::chrono::duration<double>(ready - elaborated).count());
  return 0;
}

void print_scaling(const std::string& self, bool quick) {
  fmt::print("\n{:<10} {:>10} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "cells", "equations", "text/ms",
             "system/ms", "ready/ms", "us/equation", "peak/MB");
  std::vector<int> sizes{500, 1000, 2000, 5000, 10000, 20000};
  if (!quick) {
    sizes.push_back(50000);
  }
  for (const int cells : sizes) {
    ChildRun best;
    double best_elaboration = 0.0;
    double best_rest = 0.0;
    double equations = 0.0;
    for (int repetition = 0; repetition < 3; ++repetition) {
      ChildRun run = run_child({self, "--ready", std::to_string(cells)});
      double elaboration = 0.0;
      double rest = 0.0;
      std::istringstream(run.output) >> equations >> elaboration >> rest;
      if (repetition == 0 || elaboration + rest < best_elaboration + best_rest) {
        best = std::move(run);
        best_elaboration = elaboration;
        best_rest = rest;
      }
    }
    if (best.exit_code != 0) {
      fmt::print("{:<10} failed: {}\n", cells, best.output);
      continue;
    }
    const double ready = best_elaboration + best_rest;
    fmt::print("{:<10} {:>10} {:>12.1f} {:>12.1f} {:>12.1f} {:>12.2f} {:>10.1f}\n", cells, equations,
               1e3 * best_elaboration, 1e3 * best_rest, 1e3 * ready, 1e6 * ready / equations,
               best.peak_megabytes);
  }
}

}  // namespace saltus::bench

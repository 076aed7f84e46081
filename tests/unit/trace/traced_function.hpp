/// A function of six variables x[i], which begin at 0.1·(i + 1), explored.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "trace/exploration.hpp"
#include "trace/recorder.hpp"

namespace saltus::trace {

using PlainFunction = std::function<void(const std::vector<Real>&, std::span<Real>)>;

[[nodiscard]] inline Exploration explorer_of(PlainFunction f, std::size_t n_residuals = 1,
                                             std::uint32_t n_variables = 6) {
  return Exploration(
      [f = std::move(f), n_residuals, n_variables](TraceGraph& graph, const Answers& answers,
                                                   bool elsewhere) {
        return Recorder::record(
            graph,
            [&](Recorder& recorder, std::span<Real> r) {
              std::vector<Real> x;
              for (std::uint32_t i = 0; i < n_variables; ++i) {
                x.push_back(recorder.leaf({.op = expr::Op::variable, .first = i},
                                          0.1 * (i + 1) + (elsewhere ? 0.013 : 0.0)));
              }
              f(x, r);
            },
            n_residuals, answers);
      },
      expr::default_leaf_name);
}

}  // namespace saltus::trace

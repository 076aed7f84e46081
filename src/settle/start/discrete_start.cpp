#include "settle/start/discrete_start.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace saltus::settle {
namespace {

struct Assignment {
  std::size_t slot = 0;
  std::size_t row = 0;
  std::size_t entry = 0;  // of ∂r/∂v in the pattern
};

std::vector<Assignment> assignments(const system::InitialProblem& problem,
                                    std::span<const system::VariableInfo> variables) {
  const system::RectangularPattern& pattern = problem.equations->pattern();
  const auto n_rows = static_cast<std::size_t>(pattern.n_rows);
  const std::size_t first_initial = n_rows - static_cast<std::size_t>(problem.n_initial_equations);
  std::vector<std::size_t> sizes(n_rows, 0);
  for (const Index row : pattern.rows) {
    ++sizes[static_cast<std::size_t>(row)];
  }
  std::vector<Assignment> result;
  const std::vector<system::SlotInfo>& slots = problem.equations->slots();
  for (std::size_t j = 0; j < slots.size(); ++j) {
    if (!variables[static_cast<std::size_t>(slots[j].variable)].is_discrete ||
        problem.tier[j] == system::StartTier::fixed) {
      continue;
    }
    Assignment best;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const auto row = static_cast<std::size_t>(pattern.rows[entry]);
      if (row >= first_initial && sizes[row] < least) {
        least = sizes[row];
        best = {j, row, entry};
      }
    }
    if (least < std::numeric_limits<std::size_t>::max()) {
      sizes[best.row] = std::numeric_limits<std::size_t>::max();  // it is taken
      result.push_back(best);
    }
  }
  return result;
}

}  // namespace

void sharpen_discrete(const system::InitialProblem& problem, std::span<const system::VariableInfo> variables,
                      double t, std::span<double> slots) {
  const std::vector<Assignment> found = assignments(problem, variables);
  if (found.empty()) {
    return;
  }
  const std::unique_ptr<system::EquationRunner> runner = problem.equations->make_runner();
  runner->set_configuration(problem.configuration);
  std::vector<double> sharp(slots.begin(), slots.end());
  for (const Assignment& one : found) {
    const Index variable = problem.equations->slots()[one.slot].variable;
    const system::VariableInfo& info = variables[static_cast<std::size_t>(variable)];
    sharp[one.slot] = info.is_boolean || info.is_integer ? std::round(sharp[one.slot]) : sharp[one.slot];
  }
  std::vector<double> residual(static_cast<std::size_t>(problem.equations->n_rows()));
  std::vector<double> entries(problem.equations->pattern().n_entries());
  for (std::size_t sweep = 0; sweep <= found.size(); ++sweep) {
    if (!runner->residual(t, sharp, residual).ok() || !runner->jacobian(t, sharp, entries).ok()) {
      return;
    }
    bool has_moved = false;
    for (const Assignment& one : found) {
      const double change = residual[one.row] / entries[one.entry];
      if (std::isfinite(change) && sharp[one.slot] - change != sharp[one.slot]) {
        sharp[one.slot] -= change;
        has_moved = true;
      }
    }
    if (!has_moved) {
      break;
    }
  }
  for (const Assignment& one : found) {
    slots[one.slot] = sharp[one.slot];
  }
}

}  // namespace saltus::settle

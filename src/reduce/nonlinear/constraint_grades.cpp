#include "reduce/nonlinear/constraint_grades.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/disjoint_sets.hpp"

namespace saltus::reduce {
namespace {

// Velocities make up for what is wrong with velocities (header: Choices).
constexpr double kOrderScale = 100.0;
constexpr int kMostDifferentiations = 3;  // scales up to 1e6; a limit, not measured

// What no row contains: no grade.
constexpr int kFree = 0;

// Each pair of a row and a state in it.
template <class Visit>
void for_entries(const ConstraintBlock& block, const Visit& visit) {
  const system::RectangularPattern& pattern = block.constraints->pattern();
  for (std::size_t j = 0; j + 1 < pattern.column_starts.size(); ++j) {
    const std::size_t state = block.places.empty() ? j : static_cast<std::size_t>(block.places[j]);
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      visit(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]), state);
    }
  }
}

}  // namespace

std::vector<int> grades_of_constraints(const std::vector<system::RowInfo>& rows) {
  std::unordered_map<Index, int> differentiations;
  for (const system::RowInfo& row : rows) {
    int& most = differentiations[row.equation];
    most = std::max(most, row.order + 1);
  }
  std::vector<int> grades;
  for (const system::RowInfo& row : rows) {
    grades.push_back(row.order - differentiations[row.equation]);
  }
  return grades;
}

std::vector<double> scales_by_grade(std::span<const ConstraintBlock> blocks,
                                    std::span<const double> nominal) {
  const std::size_t n = nominal.size();
  std::vector<int> grade(n, kFree);
  DisjointSets parts(n);
  for (const ConstraintBlock& block : blocks) {
    const std::vector<int> of_rows = grades_of_constraints(block.constraints->rows());
    std::vector<std::size_t> first(of_rows.size(), n);  // state of a row
    for_entries(block, [&](std::size_t row, std::size_t state) {
      grade[state] = std::min(grade[state], of_rows[row]);
      first[row] = std::min(first[row], state);
    });
    for_entries(block, [&](std::size_t row, std::size_t state) { parts.join(first[row], state); });
  }
  std::vector<int> lowest(n, kFree);
  for (std::size_t i = 0; i < n; ++i) {
    int& of_part = lowest[parts.of(i)];
    of_part = std::min(of_part, grade[i]);
  }
  std::vector<double> scale(nominal.begin(), nominal.end());
  for (std::size_t i = 0; i < n; ++i) {
    const int above = grade[i] == kFree ? 0 : grade[i] - lowest[parts.of(i)];
    scale[i] *= std::pow(kOrderScale, std::min(above, kMostDifferentiations));
  }
  return scale;
}

}  // namespace saltus::reduce

#include "reduce/consistent/law_positions.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/rank_decision.hpp"
#include "reduce/nonlinear/least_change.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {
namespace {

// Steps of large systems are regularised: each leaves 1e-12/σ² of the distance (least_change.hpp), less than rounding after three for σ > 1e-4.
constexpr int kLeastChangePasses = 3;

double largest_of(const SparseRow& row) {
  double largest = 0.0;
  for (const auto& [column, value] : row) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// row += factor·other
void add(SparseRow& row, double factor, const SparseRow& other) {
  for (const auto& [column, value] : other) {
    row[column] += factor * value;
  }
}

// By row of the law: the pivots of the α.
std::vector<std::uint8_t> dropped_by(std::vector<SparseRow> alphas, std::size_t n_rows) {
  std::vector<std::uint8_t> is_dropped(n_rows, 0);
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const auto pivot = std::max_element(alphas[k].begin(), alphas[k].end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    });
    if (pivot == alphas[k].end()) {
      continue;
    }
    const Index row = pivot->first;
    const double value = pivot->second;
    is_dropped[static_cast<std::size_t>(row)] = 1;
    for (std::size_t l = k + 1; l < alphas.size(); ++l) {
      if (const auto place = alphas[l].find(row); place != alphas[l].end()) {
        const double size = largest_of(alphas[l]);
        add(alphas[l], -place->second / value, alphas[k]);
        alphas[l].erase(row);
        std::erase_if(alphas[l], [size](const auto& term) {
          return std::abs(term.second) <= linalg::kRankTolerance * size;
        });
      }
    }
  }
  return is_dropped;
}

}  // namespace

LawPositions find_law_positions(const std::vector<SparseRow>& law, const std::vector<SparseRow>& constraints,
                                std::size_t n_columns) {
  std::vector<SparseRow> rows;
  std::vector<double> scale;
  for (const SparseRow& row : law) {
    scale.push_back(1.0 / largest_of(row));
    rows.emplace_back();
    add(rows.back(), scale.back(), row);
    rows.back()[static_cast<Index>(n_columns + scale.size() - 1)] = 1.0;
  }
  rows.insert(rows.end(), constraints.begin(), constraints.end());
  std::vector<std::uint8_t> is_eliminated(n_columns + law.size(), 0);
  std::fill_n(is_eliminated.begin(), n_columns, std::uint8_t{1});
  const SparseElimination elimination(std::move(rows), std::move(is_eliminated), linalg::kRankTolerance);
  LawPositions found;
  std::vector<SparseRow> alphas;
  for (const SparseRow& kept : elimination.kept()) {
    SparseRow alpha;
    SparseRow position;
    double size = 0.0;
    for (const auto& [column, value] : kept) {
      const auto i = static_cast<std::size_t>(column) - n_columns;
      alpha.emplace(static_cast<Index>(i), value);
      add(position, value * scale[i], law[i]);
      size = std::max(size, std::abs(value));
    }
    alphas.push_back(std::move(alpha));
    // Rows of the law that say the same leave nothing but rounding.
    std::erase_if(position, [size](const auto& term) {
      return std::abs(term.second) <= linalg::kRankTolerance * size;
    });
    if (!position.empty()) {
      found.rows.push_back(std::move(position));
    }
  }
  found.is_dropped = dropped_by(std::move(alphas), law.size());
  return found;
}

std::vector<double> move_positions(const std::vector<SparseRow>& positions, std::span<const double> from,
                                   std::span<const double> to) {
  std::vector<double> moved(from.begin(), from.end());
  if (positions.empty()) {
    return moved;
  }
  system::RectangularPattern pattern;
  pattern.n_rows = static_cast<Index>(positions.size());
  pattern.n_columns = static_cast<Index>(from.size());
  std::vector<std::vector<std::pair<Index, double>>> columns(from.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (const auto& [column, value] : positions[i]) {
      columns[static_cast<std::size_t>(column)].emplace_back(static_cast<Index>(i), value);
    }
  }
  std::vector<double> entries;
  pattern.column_starts.push_back(0);
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) {
      pattern.rows.push_back(row);
      entries.push_back(value);
    }
    pattern.column_starts.push_back(static_cast<Index>(entries.size()));
  }
  LeastChange least(pattern, std::vector<double>(from.size(), 1.0));
  if (!least.factorize(entries)) {
    return {};
  }
  std::vector<double> residual(positions.size());
  std::vector<double> change(from.size());
  for (int pass = 0; pass < kLeastChangePasses; ++pass) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      residual[i] = 0.0;
      for (const auto& [column, value] : positions[i]) {
        const auto j = static_cast<std::size_t>(column);
        residual[i] += value * (moved[j] - to[j]);
      }
    }
    least.solve(residual, change);
    for (std::size_t j = 0; j < moved.size(); ++j) {
      moved[j] += change[j];
    }
  }
  return moved;
}

}  // namespace saltus::reduce

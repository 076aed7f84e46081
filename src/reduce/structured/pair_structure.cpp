#include "reduce/structured/pair_structure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/machine.hpp"
#include "linalg/rank_decision.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

constexpr int kMostAssignments = 100000;

// Entry (i, j) of derivative `derivative` of C_order.
class Entries {
 public:
  explicit Entries(const Coefficients& coefficients) : coefficients_(coefficients) {}
  [[nodiscard]] double at(std::size_t order, std::size_t derivative, Index i, Index j) const {
    const std::vector<DenseMatrix>& list = coefficients_[order];
    return derivative < list.size() ? list[derivative](i, j) : 0.0;
  }
  [[nodiscard]] std::size_t order() const { return coefficients_.size() - 1; }
  [[nodiscard]] std::size_t n_derivatives() const {
    std::size_t most = 0;
    for (const auto& list : coefficients_) {
      most = std::max(most, list.size());
    }
    return most;
  }

 private:
  const Coefficients& coefficients_;
};

// Σ terms vanishes, up to the rounding of the terms.
template <std::size_t n>
bool vanishes(const double (&terms)[n]) {
  double sum = 0.0;
  double size = 0.0;
  for (const double term : terms) {
    sum += term;
    size += std::abs(term);
  }
  return std::abs(sum) <= linalg::kRoundingOfEntries * size;
}

// Whether rows i and j with signs p and q, which belong to unknowns a and b, fit: entries (a, b) and (b, a) of the matrices in order.
struct Place {
  Index row;
  Index unknown;
  double sign;
};

bool fits(const Entries& entries, StructureKind kind, std::size_t d, const Place& first,
          const Place& second) {
  const auto x = [&](std::size_t order, std::size_t derivative) {
    return first.sign * entries.at(order, derivative, first.row, second.unknown);
  };
  const auto y = [&](std::size_t order, std::size_t derivative) {
    return second.sign * entries.at(order, derivative, second.row, first.unknown);
  };
  if (kind == StructureKind::symmetric) {
    for (std::size_t order = 0; order <= entries.order(); ++order) {
      if (!vanishes({x(order, d), -y(order, d)})) {
        return false;
      }
    }
    return true;
  }
  if (entries.order() == 1) {
    // E = -Eᵀ and, with C₀ = -A, C₀ = C₀ᵀ - Ėᵀ.
    return vanishes({x(1, d), y(1, d)}) && vanishes({x(0, d), -y(0, d), y(1, d + 1)});
  }
  return vanishes({x(2, d), -y(2, d)}) && vanishes({x(1, d), -2.0 * y(2, d + 1), y(1, d)}) &&
         vanishes({x(0, d), -y(2, d + 2), y(1, d + 1), -y(0, d)});
}

// Derivatives for which all terms are given: the last ones are known to nobody.
std::size_t n_compared(const Entries& entries, StructureKind kind) {
  const std::size_t n = entries.n_derivatives();
  const std::size_t needed = kind == StructureKind::symmetric ? 0 : entries.order();
  return n > needed ? n - needed : 1;
}

bool fits(const Entries& entries, StructureKind kind, const Place& first, const Place& second) {
  for (std::size_t d = 0; d < n_compared(entries, kind); ++d) {
    if (!fits(entries, kind, d, first, second)) {
      return false;
    }
  }
  return true;
}

// The search in depth, the row with fewest candidates first.
class AssignmentSearch {
 public:
  AssignmentSearch(const Coefficients& coefficients, StructureKind kind)
      : entries_(coefficients), kind_(kind), n_(coefficients[0][0].rows()) {}

  // Empty: there is none, or it was given up.
  std::optional<RowAssignment> run(bool& is_complete) {
    std::vector<std::vector<Place>> candidates(at_index(n_));
    for (Index row = 0; row < n_; ++row) {
      for (Index unknown = 0; unknown < n_; ++unknown) {
        if (!has_same_sizes(row, unknown)) {
          continue;
        }
        for (const double sign : {1.0, -1.0}) {
          const Place place{row, unknown, sign};
          if (fits(entries_, kind_, place, place)) {
            candidates[at_index(row)].push_back(place);
          }
        }
      }
    }
    std::vector<Index> order(at_index(n_));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return candidates[at_index(a)].size() < candidates[at_index(b)].size();
    });
    is_used_.assign(at_index(n_), 0);
    const bool is_found = descend(candidates, order, 0);
    is_complete = n_tries_ < kMostAssignments;
    if (!is_found) {
      return std::nullopt;
    }
    RowAssignment result;
    result.unknown.resize(at_index(n_));
    result.sign.resize(at_index(n_));
    for (const Place& place : chosen_) {
      result.unknown[at_index(place.row)] = place.unknown;
      result.sign[at_index(place.row)] = place.sign;
    }
    return result;
  }

 private:
  // A row and a column that belong together have the same sizes of entries, in the matrix of highest order exactly.
  [[nodiscard]] bool has_same_sizes(Index row, Index unknown) const {
    for (std::size_t order = kind_ == StructureKind::symmetric ? 0 : entries_.order();
         order <= entries_.order(); ++order) {
      std::vector<double> across;
      std::vector<double> down;
      for (Index k = 0; k < n_; ++k) {
        across.push_back(std::abs(entries_.at(order, 0, row, k)));
        down.push_back(std::abs(entries_.at(order, 0, k, unknown)));
      }
      std::sort(across.begin(), across.end());
      std::sort(down.begin(), down.end());
      for (std::size_t k = 0; k < across.size(); ++k) {
        if (!vanishes({across[k], -down[k]})) {
          return false;
        }
      }
    }
    return true;
  }

  bool descend(const std::vector<std::vector<Place>>& candidates, const std::vector<Index>& order,
               std::size_t depth) {
    if (depth == order.size()) {
      return true;
    }
    for (const Place& place : candidates[at_index(order[depth])]) {
      if (is_used_[at_index(place.unknown)] != 0) {
        continue;
      }
      if (++n_tries_ >= kMostAssignments) {
        return false;
      }
      if (!std::all_of(chosen_.begin(), chosen_.end(), [&](const Place& other) {
            return fits(entries_, kind_, place, other) && fits(entries_, kind_, other, place);
          })) {
        continue;
      }
      chosen_.push_back(place);
      is_used_[at_index(place.unknown)] = 1;
      if (descend(candidates, order, depth + 1)) {
        return true;
      }
      chosen_.pop_back();
      is_used_[at_index(place.unknown)] = 0;
    }
    return false;
  }

  Entries entries_;
  StructureKind kind_;
  Index n_;
  int n_tries_ = 0;
  std::vector<char> is_used_;
  std::vector<Place> chosen_;
};

RowAssignment as_written(Index n) {
  RowAssignment assignment;
  assignment.unknown.resize(at_index(n));
  std::iota(assignment.unknown.begin(), assignment.unknown.end(), Index{0});
  assignment.sign.assign(at_index(n), 1.0);
  return assignment;
}

}  // namespace

bool RowAssignment::is_identity() const {
  return *this == as_written(static_cast<Index>(unknown.size()));
}

bool has_structure(const Coefficients& coefficients, StructureKind kind) {
  check_coefficients(coefficients);
  const Index n = coefficients[0][0].rows();
  if (kind == StructureKind::none || coefficients.size() > 3 || n != coefficients[0][0].columns()) {
    return false;
  }
  const Entries entries(coefficients);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (!fits(entries, kind, {i, i, 1.0}, {j, j, 1.0})) {
        return false;
      }
    }
  }
  return true;
}

Coefficients with_rows(const Coefficients& coefficients, const RowAssignment& assignment) {
  Coefficients result = coefficients;
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < result[i].size(); ++j) {
      for (Index row = 0; row < result[i][j].rows(); ++row) {
        for (Index column = 0; column < result[i][j].columns(); ++column) {
          result[i][j](assignment.unknown[at_index(row)], column) =
              assignment.sign[at_index(row)] * coefficients[i][j](row, column);
        }
      }
    }
  }
  return result;
}

StructureSearch find_structure(const Coefficients& coefficients) {
  StructureSearch result;
  for (const StructureKind kind : {StructureKind::symmetric, StructureKind::self_adjoint}) {
    if (has_structure(coefficients, kind)) {
      result.kind = kind;
      result.assignment = as_written(coefficients[0][0].rows());
      return result;
    }
  }
  if (coefficients.size() > 3 || coefficients[0][0].rows() != coefficients[0][0].columns()) {
    return result;
  }
  for (const StructureKind kind : {StructureKind::symmetric, StructureKind::self_adjoint}) {
    bool is_complete = true;
    if (auto found = AssignmentSearch(coefficients, kind).run(is_complete)) {
      result.kind = kind;
      result.assignment = *std::move(found);
      return result;
    }
    result.is_complete = result.is_complete && is_complete;
  }
  return result;
}

}  // namespace saltus::reduce

#include "structure/index/combination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>

#include "expr/dependency.hpp"
#include "expr/evaluate.hpp"
#include "expr/linearity.hpp"
#include "expr/substitute.hpp"
#include "structure/match/linear_terms.hpp"
#include "structure/match/random_values.hpp"

namespace saltus::structure {
namespace {

// Of numbers of size 1: some hundred roundings. Products of factors that people write (1e-5 for a fast row, twice) are numbers: 1e-10
// made another model of mixed2:600183, off by 1e-5 at every tolerance.
constexpr double kVanishes = 1e-13;
// Beside the errors of a null vector: zeros are below them, numbers this many times above. Between them nobody can tell.
constexpr double kClear = 100.0;
// Roundings of a null vector, divided by its smallest pivot (entries are of size 1).
constexpr double kVectorRounding = 16.0 * std::numeric_limits<double>::epsilon();
constexpr int kScalings = 3;    // of rows and columns in turn: more change little
constexpr double kSame = 1e-8;  // two vectors at different points of the model

struct NullVector {
  std::vector<double> entries;
  double error = 0.0;  // of entries, beside the largest
};

class Draw {
 public:
  Draw(const expr::Graph& graph, std::uint64_t number)
      : evaluate_(graph, {.other = [number](const expr::Node& leaf) {
                    return leaf.op == expr::Op::parameter ? drawn(leaf.first, number) : std::nan("");
                  }}) {}

  double value(NodeId node) { return evaluate_(node); }

  // A vector v with v·matrix = 0, largest entry 1; none if there is none or the numbers fail.
  std::optional<NullVector> left_null_vector(const Block& block) {
    values_.clear();
    for (const MatrixEntry& entry : block.matrix) {
      values_.push_back(evaluate_(entry.value));
      if (!std::isfinite(values_.back())) {
        return std::nullopt;
      }
    }
    return block.unknowns.size() <= kLargestDense ? by_elimination(block) : sum_of_all(block);
  }

 private:
  std::optional<NullVector> sum_of_all(const Block& block) const {
    std::vector<double> sums(block.unknowns.size(), 0.0);
    std::vector<double> sizes(block.unknowns.size(), 0.0);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const auto column = static_cast<std::size_t>(block.matrix[k].column);
      sums[column] += values_[k];
      sizes[column] += std::abs(values_[k]);
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      if (!(std::abs(sums[j]) <= kVanishes * sizes[j])) {
        return std::nullopt;
      }
    }
    return NullVector{.entries = std::vector<double>(block.unknowns.size(), 1.0), .error = 0.0};
  }

  // Row echelon form of the transposed matrix; the first column without a pivot gives the vector.
  std::optional<NullVector> by_elimination(const Block& block) const {
    const std::size_t n = block.unknowns.size();
    std::vector<double> a(n * n, 0.0);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const MatrixEntry& entry = block.matrix[k];
      a[static_cast<std::size_t>(entry.column) * n + static_cast<std::size_t>(entry.row)] = values_[k];
    }
    const std::vector<double> scale = equilibrate(a, n);
    std::size_t rank = 0;
    double smallest_pivot = 1.0;
    for (std::size_t column = 0; column < n; ++column) {
      std::size_t pivot = rank;
      for (std::size_t row = rank; row < n; ++row) {
        if (std::abs(a[row * n + column]) > std::abs(a[pivot * n + column])) {
          pivot = row;
        }
      }
      const double size = std::abs(a[pivot * n + column]);
      const double zero = std::max(kVanishes, kVectorRounding / smallest_pivot);
      if (!(size > zero)) {
        return NullVector{.entries = null_vector(a, n, column, scale), .error = zero};
      }
      if (size < kClear * zero) {
        return std::nullopt;
      }
      smallest_pivot = std::min(smallest_pivot, size);
      std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(rank * n),
                       a.begin() + static_cast<std::ptrdiff_t>((rank + 1) * n),
                       a.begin() + static_cast<std::ptrdiff_t>(pivot * n));
      eliminate(a, n, rank, column);
      ++rank;
    }
    return std::nullopt;
  }

  // Rows and columns to largest entries near 1, by powers of two: units of unknowns and equations must not decide what is zero. Returns the
  // factors of the columns, which are the equations.
  static std::vector<double> equilibrate(std::vector<double>& a, std::size_t n) {
    std::vector<double> scale(n, 1.0);
    for (int pass = 0; pass < 2 * kScalings; ++pass) {
      const bool is_column = pass % 2 == 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto place = [&](std::size_t k) { return is_column ? k * n + i : i * n + k; };
        double largest = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
          largest = std::max(largest, std::abs(a[place(k)]));
        }
        const double factor = largest > 0.0 ? std::exp2(-std::ilogb(largest)) : 1.0;
        for (std::size_t k = 0; k < n; ++k) {
          a[place(k)] *= factor;
        }
        scale[i] *= is_column ? factor : 1.0;
      }
    }
    return scale;
  }

  static void eliminate(std::vector<double>& a, std::size_t n, std::size_t pivot_row, std::size_t column) {
    const double pivot = a[pivot_row * n + column];
    for (std::size_t k = 0; k < n; ++k) {
      a[pivot_row * n + k] /= pivot;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = a[row * n + column];
      if (row == pivot_row || factor == 0.0) {
        continue;
      }
      for (std::size_t k = 0; k < n; ++k) {
        a[row * n + k] -= factor * a[pivot_row * n + k];
      }
    }
  }

  // Columns before `column` have their pivots in the rows of the same numbers.
  static std::vector<double> null_vector(const std::vector<double>& a, std::size_t n, std::size_t column,
                                         const std::vector<double>& scale) {
    std::vector<double> v(n, 0.0);
    v[column] = scale[column];
    for (std::size_t k = 0; k < column; ++k) {
      v[k] = std::abs(a[k * n + column]) > kVanishes ? -a[k * n + column] * scale[k] : 0.0;
    }
    double largest = v[column];
    for (const double entry : v) {
      largest = std::abs(entry) > std::abs(largest) ? entry : largest;
    }
    for (double& entry : v) {
      entry /= largest;
      const double rounded = std::round(entry);
      entry = rounded != 0.0 && std::abs(entry - rounded) < kSame ? rounded : entry;
    }
    return v;
  }

  expr::Evaluator evaluate_;
  std::vector<double> values_;
};

class Combiner {
 public:
  Combiner(flat::Model& model, const Causalized& causalized, std::vector<flat::Equation>& equations)
      : graph_(model.graph), causalized_(causalized), equations_(equations) {}

  CombinationOutcome run() {
    std::vector<const Block*> candidates;
    for (const Block& block : causalized_.blocks) {
      if (is_candidate(block)) {
        candidates.push_back(&block);
      }
    }
    if (candidates.empty()) {
      return CombinationOutcome::nothing;
    }
    const std::vector<expr::Kinds> kinds = expr::dependency_kinds(graph_);
    const auto is_parametric = [&](const MatrixEntry& entry) {
      return !has(kinds[entry.value.index()], expr::Kinds::time | expr::Kinds::condition |
                                                  expr::Kinds::previous | expr::Kinds::variable |
                                                  expr::Kinds::derivative);
    };
    std::array<Draw, 2> draws = {Draw(graph_, 1), Draw(graph_, 2)};
    CombinationOutcome outcome = CombinationOutcome::nothing;
    for (const Block* block : candidates) {
      if (!std::all_of(block->matrix.begin(), block->matrix.end(), is_parametric)) {
        continue;
      }
      const auto first = draws[0].left_null_vector(*block);
      const auto second = first ? draws[1].left_null_vector(*block) : std::nullopt;
      if (!second || !are_same(first->entries, second->entries)) {
        continue;
      }
      const std::vector<double>& v = first->entries;
      vanishing_ = std::max({kVanishes, first->error, second->error});
      is_unclear_ = false;
      const std::optional<std::size_t> replaced = last_as_written(*block, v);
      if (!replaced) {
        continue;
      }
      const NodeId sum = without_raised(combination(*block, v));
      if (is_unclear_) {
        continue;
      }
      if (!has(expr::dependency_kinds(graph_, sum), expr::Kinds::variable | expr::Kinds::derivative)) {
        return CombinationOutcome::empty;
      }
      if (raises_an_order(sum)) {
        continue;
      }
      equations_[*replaced].left = sum;
      equations_[*replaced].right = graph_.constant(0.0);
      outcome = outcome == CombinationOutcome::replaced_by_derivatives || has_derivatives(*block, v)
                    ? CombinationOutcome::replaced_by_derivatives
                    : CombinationOutcome::replaced;
    }
    return outcome;
  }

 private:
  bool is_candidate(const Block& block) const {
    return block.kind == Block::Kind::linear && block.unknowns.size() > 1 &&
           std::any_of(block.unknowns.begin(), block.unknowns.end(),
                       [](const Unknown& unknown) { return unknown.order > 0; }) &&
           std::all_of(block.equations.begin(), block.equations.end(), [this](EquationId row) {
             return causalized_.origins[row.index()].equation < equations_.size();
           });
  }

  // The equation that the combination replaces.
  std::optional<std::size_t> last_as_written(const Block& block, const std::vector<double>& v) const {
    for (std::size_t i = v.size(); i-- > 0;) {
      const RowOrigin& origin = causalized_.origins[block.equations[i].index()];
      if (v[i] != 0.0 && origin.order == 0) {
        return origin.equation;
      }
    }
    return std::nullopt;
  }

  bool has_derivatives(const Block& block, const std::vector<double>& v) const {
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (v[i] != 0.0 && causalized_.origins[block.equations[i].index()].order > 0) {
        return true;
      }
    }
    return false;
  }

  // A derivative of higher order than the model has.
  bool is_raised(const Unknown& unknown) const {
    return unknown.order > std::max(0, causalized_.written_orders[unknown.variable.index()]);
  }

  bool raises_an_order(NodeId sum) const {
    const std::vector<NodeId> leaves = expr::leaves_of(graph_, std::span(&sum, 1));
    return std::any_of(leaves.begin(), leaves.end(), [this](NodeId leaf) {
      const expr::Node& node = graph_[leaf];
      return node.op == expr::Op::variable &&
             is_raised({VariableId(node.first), static_cast<int>(node.second)});
    });
  }

  // Equations of earlier blocks were differentiated beside those of the block, and their unknowns occur in the sum: the rows of the null
  // vector that belong to them are their formulas.
  NodeId without_raised(NodeId sum) {
    if (!raises_an_order(sum)) {
      return sum;
    }
    for (auto block = causalized_.blocks.rbegin(); block != causalized_.blocks.rend(); ++block) {
      const Unknown& unknown = block->unknowns.front();
      if (block->kind == Block::Kind::explicit_formula && is_raised(unknown)) {
        const expr::Replacement known{graph_.variable(unknown.variable, unknown.order), block->formula};
        sum = expr::substitute(graph_, sum, std::span(&known, 1));
      }
    }
    return without_cancelled(sum);
  }

  static bool are_same(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > kSame) {
        return false;
      }
    }
    return true;
  }

  // Σ v_i·(right side i), which is zero.
  NodeId combination(const Block& block, const std::vector<double>& v) {
    NodeId sum;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (v[i] == 0.0) {
        continue;
      }
      const NodeId right = block.right_side[i];
      if (!sum.valid()) {
        sum = v[i] == 1.0    ? right
              : v[i] == -1.0 ? graph_.negate(right)
                             : graph_.multiply(graph_.constant(v[i]), right);
      } else if (v[i] == 1.0) {
        sum = graph_.add(sum, right);
      } else if (v[i] == -1.0) {
        sum = graph_.subtract(sum, right);
      } else {
        sum = graph_.add(sum, graph_.multiply(graph_.constant(v[i]), right));
      }
    }
    return without_cancelled(sum);
  }

  // The same sum without unknowns of other blocks that cancel in it: their names alone would raise its order. Unknowns are looked for
  // among all that it contains, and where it is not affine in these among derivatives.
  NodeId without_cancelled(NodeId sum) {
    sum = without_cancelled_numbers(sum);
    for (const int least_order : {0, 1}) {
      std::vector<NodeId> unknowns;
      std::unordered_map<std::size_t, std::uint32_t> numbers;
      expr::AffineSplitter splitter(graph_, [this, least_order, &unknowns, &numbers](NodeId leaf) {
        const expr::Node& node = graph_[leaf];
        if (node.op != expr::Op::variable || static_cast<int>(node.second) < least_order) {
          return expr::SignedUnknown{};
        }
        const auto [found, is_new] =
            numbers.try_emplace(leaf.index(), static_cast<std::uint32_t>(unknowns.size()));
        if (is_new) {
          unknowns.push_back(leaf);
        }
        return expr::SignedUnknown{found->second, false};
      });
      const expr::AffineForm form = splitter.split(sum);
      if (form.is_affine) {
        return sum_of_terms(sum, form, unknowns);
      }
    }
    return sum;
  }

  NodeId sum_of_terms(NodeId sum, const expr::AffineForm& form, const std::vector<NodeId>& unknowns) {
    std::array<Draw, 2> draws = {Draw(graph_, 1), Draw(graph_, 2)};
    std::array<double, 2> largest = {0.0, 0.0};
    for (const expr::AffineForm::Term& term : form.terms) {
      for (std::size_t k = 0; k < draws.size(); ++k) {
        const double value = std::abs(draws[k].value(term.coefficient));
        largest[k] = value > largest[k] ? value : largest[k];
      }
    }
    // What cancels by its numbers is gone: a number that is left is small because of its unit.
    const auto vanishes = [&](const expr::AffineForm::Term& term) {
      return graph_[term.coefficient].op != expr::Op::constant &&
             std::abs(draws[0].value(term.coefficient)) <= vanishing_ * largest[0] &&
             std::abs(draws[1].value(term.coefficient)) <= vanishing_ * largest[1];
    };
    if (std::none_of(form.terms.begin(), form.terms.end(), vanishes)) {
      return sum;
    }
    NodeId left = form.remainder;
    for (const expr::AffineForm::Term& term : form.terms) {
      if (!vanishes(term)) {
        const NodeId product = graph_.multiply(term.coefficient, unknowns[term.unknown]);
        left = left.valid() ? graph_.add(left, product) : product;
      }
    }
    return left.valid() ? left : graph_.constant(0.0);
  }

  // … without anything that cancels by its numbers, beside what is not affine too.
  NodeId without_cancelled_numbers(NodeId sum) {
    std::vector<LinearTerm> terms = linear_terms(graph_, sum);
    const auto kept = std::remove_if(terms.begin(), terms.end(), [this](const LinearTerm& term) {
      const double share = std::abs(term.factor) / term.size;
      is_unclear_ = is_unclear_ || (share > vanishing_ && share < kClear * vanishing_);
      return !(share > vanishing_);
    });
    if (kept == terms.end()) {
      return sum;
    }
    terms.erase(kept, terms.end());
    return sum_of(graph_, terms);
  }

  expr::Graph& graph_;
  const Causalized& causalized_;
  std::vector<flat::Equation>& equations_;
  double vanishing_ = kVanishes;  // what is left of 1 where it cancels in the combination at hand
  bool is_unclear_ = false;       // whether a term of it cancels
};

}  // namespace

CombinationOutcome combine_equations(flat::Model& model, const Causalized& causalized,
                                     std::vector<flat::Equation>& equations) {
  return Combiner(model, causalized, equations).run();
}

std::vector<flat::Equation> before_combination(flat::Model& model, std::vector<flat::Equation> given,
                                               const std::vector<flat::Equation>& written) {
  drop_cancelled_terms(model.graph, given);
  given.insert(given.end(), written.begin() + std::ssize(given), written.end());
  return given;
}

}  // namespace saltus::structure

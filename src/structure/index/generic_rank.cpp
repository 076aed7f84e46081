#include "structure/index/generic_rank.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/machine.hpp"
#include "expr/operation.hpp"
#include "expr/traversal.hpp"
#include "linalg/dense_lu.hpp"
#include "linalg/dense_matrix.hpp"
#include "linalg/rank_decision.hpp"
#include "structure/index/combination.hpp"
#include "structure/match/random_values.hpp"

namespace saltus::structure {
namespace {

// Numbers of the model are rounded, or products of such numbers.
constexpr double kNumberNoise = 2.0 * kEpsilon;
// Bounds are of first order and entries of one row are alike: a few times of them are noise.
constexpr double kNoiseSafety = 4.0;
constexpr std::uint64_t kFirstDraw = 11;
// Sizes of states and time, after the first with either sign: where one point lies in a saturation others do not.
constexpr std::array<double, 4> kSizes = {1.0, 0.1, 1e-4, 10.0};
// Times the bound below which a singular value is noise: what rounding does to an inverse is far less.
constexpr double kBeyondDoubt = 100.0;
// Points that must say so.
constexpr int kAgreeingPoints = 2;

struct Noisy {
  double value;
  double noise;
};

std::uint64_t key_of(const expr::Node& node, std::uint32_t last) {
  return static_cast<std::uint64_t>(node.op) << 56U ^ std::uint64_t{node.second} << 28U ^ last;
}

double unit_of(std::size_t variable, std::span<const double> nominal) {
  return variable < nominal.size() ? nominal[variable] : 1.0;
}

double leaf_value(const expr::Node& leaf, std::size_t draw, std::span<const double> nominal) {
  const double value = drawn(key_of(leaf, leaf.first), kFirstDraw + draw);
  switch (leaf.op) {
    // Truth values are blended: a matrix that is regular for one choice is so for nearly every blend.
    case expr::Op::condition: return value - 0.5;
    case expr::Op::parameter: return value;
    default: break;
  }
  const bool is_negative =
      draw > 0 && drawn(key_of(leaf, leaf.first), kFirstDraw + kSizes.size() + draw) < 1.0;
  const double unit = leaf.op == expr::Op::variable ? unit_of(leaf.first, nominal) : 1.0;
  return (is_negative ? -kSizes[draw] : kSizes[draw]) * value * unit;
}

bool is_relation(expr::Op op) {
  return op == expr::Op::less || op == expr::Op::less_equal || op == expr::Op::equal ||
         op == expr::Op::not_equal;
}

// The noise of an operation: what that of each operand makes of the result, and one rounding.
Noisy apply_noisy(const expr::Node& node, const expr::NodeTable<Noisy>& known) {
  const int n = expr::n_operands(node.op);
  std::array<Noisy, 3> operands{};
  for (int i = 0; i < n; ++i) {
    operands[static_cast<std::size_t>(i)] = known[node.operand(i)];
  }
  const auto value_with = [&](std::size_t moved, double by) {
    std::array<double, 3> values = {operands[0].value, operands[1].value, operands[2].value};
    values[moved] += by;
    return expr::apply(node.op, values[0], values[1], values[2]);
  };
  Noisy result{value_with(0, 0.0), 0.0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const double noise = operands[i].noise;
    if (noise > 0.0) {
      result.noise += std::max(std::abs(value_with(i, noise) - result.value),
                               std::abs(value_with(i, -noise) - result.value));
    }
  }
  const bool is_exact = node.op == expr::Op::negate || node.op == expr::Op::abs || node.op == expr::Op::rated;
  result.noise += is_exact ? 0.0 : kEpsilon * std::abs(result.value);
  return result;
}

// The entries of all blocks at one set of values.
expr::NodeTable<Noisy> evaluate(const expr::Graph& graph, std::span<const NodeId> nodes, std::size_t draw,
                                std::span<const double> nominal, const NumberErrors& errors) {
  expr::NodeTable<Noisy> known(graph.size());
  for (const NodeId id : expr::needed_nodes(graph, nodes)) {
    const expr::Node& node = graph[id];
    if (node.op == expr::Op::constant) {
      const auto error = errors.find(std::abs(node.value));
      const double rounding =
          node.value == std::round(node.value) ? 0.0 : kNumberNoise * std::abs(node.value);
      known[id] = {node.value, error != errors.end() ? std::max(rounding, error->second) : rounding};
    } else if (expr::n_operands(node.op) == 0) {
      known[id] = {leaf_value(node, draw, nominal), 0.0};
    } else if (is_relation(node.op)) {
      known[id] = {drawn(id.index(), kFirstDraw + draw) - 0.5, 0.0};
    } else {
      known[id] = apply_noisy(node, known);
    }
  }
  return known;
}

// Powers of two that bring what is beyond noise to a largest size of 1; false: a row or a column is noise.
bool divide_by_largest(std::vector<Noisy>& entries, std::size_t n, bool by_rows) {
  for (std::size_t k = 0; k < n; ++k) {
    const auto place = [&](std::size_t other) { return by_rows ? k + other * n : other + k * n; };
    double largest = 0.0;
    for (std::size_t other = 0; other < n; ++other) {
      const Noisy& entry = entries[place(other)];
      largest = std::abs(entry.value) > kNoiseSafety * entry.noise ? std::max(largest, std::abs(entry.value))
                                                                   : largest;
    }
    if (!(largest > 0.0)) {
      return false;
    }
    const double scale = std::exp2(-std::ilogb(largest));
    for (std::size_t other = 0; other < n; ++other) {
      entries[place(other)].value *= scale;
      entries[place(other)].noise *= scale;
    }
  }
  return true;
}

// ‖A⁻¹‖ in the Frobenius norm is at least that in the Euclidean one: the least singular value is at least 1/‖A⁻¹‖. Nearly all blocks are
// regular beyond doubt, and this costs a tenth of their singular values.
bool is_regular_beyond_doubt(const linalg::DenseMatrix& matrix, double bound) {
  const Index n = matrix.rows();
  linalg::DenseLu lu(n);
  std::copy(matrix.entries().begin(), matrix.entries().end(), lu.matrix().begin());
  if (!lu.factorize().ok()) {
    return false;
  }
  std::vector<double> inverse(static_cast<std::size_t>(n * n), 0.0);
  for (Index i = 0; i < n; ++i) {
    inverse[static_cast<std::size_t>(i * n + i)] = 1.0;
  }
  lu.solve_rows(inverse, n);
  double squares = 0.0;
  for (const double entry : inverse) {
    squares += entry * entry;
  }
  return kBeyondDoubt * bound * std::sqrt(squares) < 1.0;
}

enum class Verdict : std::uint8_t { regular, singular, no_value };

Verdict judge(const Block& block, const expr::NodeTable<Noisy>& known, std::span<const double> nominal) {
  const std::size_t n = block.unknowns.size();
  std::vector<Noisy> entries(n * n, Noisy{0.0, 0.0});
  for (const MatrixEntry& entry : block.matrix) {
    const Noisy value = known[entry.value];
    if (!std::isfinite(value.value) || !std::isfinite(value.noise)) {
      return Verdict::no_value;
    }
    const auto column = static_cast<std::size_t>(entry.column);
    const double unit = unit_of(block.unknowns[column].variable.index(), nominal);
    entries[static_cast<std::size_t>(entry.row) + column * n] = {value.value * unit, value.noise * unit};
  }
  for (int pass = 0; pass < 2; ++pass) {
    if (!divide_by_largest(entries, n, true) || !divide_by_largest(entries, n, false)) {
      return Verdict::singular;
    }
  }
  const auto order = static_cast<Index>(n);
  linalg::DenseMatrix matrix(order, order);
  double squares = 0.0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    matrix.entries()[k] = entries[k].value;
    squares += entries[k].noise * entries[k].noise;
  }
  const double bound = kNoiseSafety * (std::sqrt(squares) + static_cast<double>(n) * kEpsilon);
  // Singular values are at most those of n² entries of size 2.
  linalg::RankOptions options;
  options.equilibrate = false;
  options.method = n > kLargestDense ? linalg::RankMethod::pivoted_qr : linalg::RankMethod::singular_values;
  options.reference = 2.0 * static_cast<double>(n);
  options.tolerance = bound / options.reference;
  if (!matrix.is_finite()) {
    return Verdict::no_value;
  }
  if (is_regular_beyond_doubt(matrix, bound)) {
    return Verdict::regular;
  }
  return linalg::decide_rank(matrix, options).rank < order ? Verdict::singular : Verdict::regular;
}

}  // namespace

std::vector<double> nominal_numbers(const flat::Model& model) {
  std::vector<double> result;
  for (const flat::Variable& variable : model.variables) {
    const bool is_number = variable.nominal && model.graph[*variable.nominal].op == expr::Op::constant;
    const double value = is_number ? std::abs(model.graph[*variable.nominal].value) : 1.0;
    result.push_back(value > 0.0 && std::isfinite(value) ? value : 1.0);
  }
  return result;
}

std::vector<std::size_t> singular_blocks(const expr::Graph& graph, std::span<const Block> blocks,
                                         std::span<const double> nominal, const NumberErrors& errors) {
  std::vector<std::size_t> suspects;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t n = blocks[b].unknowns.size();
    if (blocks[b].kind != Block::Kind::explicit_formula && n > 1 && n <= kLargestDecided) {
      suspects.push_back(b);
    }
  }
  std::vector<int> n_singular(blocks.size(), 0);
  for (std::size_t draw = 0; draw < kSizes.size() && !suspects.empty(); ++draw) {
    std::vector<NodeId> nodes;
    for (const std::size_t b : suspects) {
      for (const MatrixEntry& entry : blocks[b].matrix) {
        nodes.push_back(entry.value);
      }
    }
    const expr::NodeTable<Noisy> known = evaluate(graph, nodes, draw, nominal, errors);
    const auto is_regular = [&](std::size_t b) {
      const Verdict verdict = judge(blocks[b], known, nominal);
      n_singular[b] += verdict == Verdict::singular ? 1 : 0;
      return verdict == Verdict::regular;
    };
    suspects.erase(std::remove_if(suspects.begin(), suspects.end(), is_regular), suspects.end());
  }
  suspects.erase(std::remove_if(suspects.begin(), suspects.end(),
                                [&](std::size_t b) { return n_singular[b] < kAgreeingPoints; }),
                 suspects.end());
  return suspects;
}

}  // namespace saltus::structure

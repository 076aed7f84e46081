#include "program/equations/divisors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "expr/dependency.hpp"
#include "program/equations/system_code.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

using structure::Block;

class DivisorFinder {
 public:
  DivisorFinder(const SystemCode& data, const ModeCode& mode)
      : data_(data), causalized_(mode.causalized), rates_(mode.causalized.derivatives) {
    std::sort(rates_.begin(), rates_.end());
  }

  std::shared_ptr<const DivisorCode> run() {
    auto found = std::make_shared<DivisorCode>();
    for (const Block& block : causalized_.blocks) {
      if (block.kind == Block::Kind::explicit_formula) {
        add_denominator(block, *found);
      } else {
        add_matrix(block, *found);
        found->n_guess += block.unknowns.size();
      }
    }
    if (found->items.empty()) {
      return nullptr;
    }
    found->sequence =
        std::make_shared<const SequenceCode>(data_.model.graph, run_request(data_, causalized_, outputs_));
    return found;
  }

 private:
  [[nodiscard]] bool varies(NodeId node) const {
    using expr::Kinds;
    return has(expr::dependency_kinds(data_.model.graph, node),
               Kinds::time | Kinds::variable | Kinds::derivative);
  }

  [[nodiscard]] bool gives_rates(const Block& block) const {
    return std::any_of(block.unknowns.begin(), block.unknowns.end(),
                       [this](const structure::Unknown& unknown) {
                         return std::binary_search(rates_.begin(), rates_.end(), unknown);
                       });
  }

  [[nodiscard]] bool is_as_written(const Block& block) const {
    const flat::Equation& equation = causalized_.equations[block.equations[0].index()];
    return block.formula == equation.left || block.formula == equation.right;
  }

  void add_denominator(const Block& block, DivisorCode& found) {
    NodeId node = block.formula;
    while (data_.model.graph[node].op == expr::Op::negate) {
      node = NodeId(data_.model.graph[node].first);
    }
    if (data_.model.graph[node].op != expr::Op::divide) {
      return;
    }
    const NodeId denominator(data_.model.graph[node].second);
    if (!varies(denominator)) {
      return;
    }
    found.items.push_back(
        {.text = fmt::format("what {} is divided by in {}",
                             structure::name_of(data_.model, block.unknowns[0]), text_of(block)),
         .gives_rates = gives_rates(block),
         .block = &block - causalized_.blocks.data(),
         .is_coefficient = !is_as_written(block),
         .order = 1,
         .places = {0},
         .first_output = outputs_.size()});
    outputs_.push_back(denominator);
  }

  void add_matrix(const Block& block, DivisorCode& found) {
    const auto n = static_cast<Index>(block.unknowns.size());
    const bool is_constant =
        std::none_of(block.matrix.begin(), block.matrix.end(),
                     [this](const structure::MatrixEntry& entry) { return varies(entry.value); });
    if (n >= kSparseOrder || is_constant) {
      return;
    }
    std::string names;
    for (const structure::Unknown& unknown : block.unknowns) {
      names += (names.empty() ? "" : ", ") + structure::name_of(data_.model, unknown);
    }
    DivisorCode::Item item{.text = fmt::format("the determinant of the equations for {}", names),
                           .gives_rates = gives_rates(block),
                           .block = &block - causalized_.blocks.data(),
                           .order = n,
                           .places = {},
                           .first_output = outputs_.size()};
    for (const structure::MatrixEntry& entry : block.matrix) {
      item.places.push_back(entry.row + entry.column * n);
      outputs_.push_back(entry.value);
    }
    found.items.push_back(std::move(item));
  }

  [[nodiscard]] std::string text_of(const Block& block) const {
    const structure::RowOrigin& origin = causalized_.origins[block.equations[0].index()];
    return origin.order > 0
               ? structure::quote(data_.model, causalized_.written[origin.equation], origin.order)
               : structure::quote(data_.model, causalized_.equations[block.equations[0].index()]);
  }

  const SystemCode& data_;
  const structure::Causalized& causalized_;
  std::vector<structure::Unknown> rates_;  // ascending
  std::vector<NodeId> outputs_;
};

// Gaussian elimination with column pivots; the matrix is used up.
double determinant(std::span<double> a, Index n) {
  const auto at = [&](Index i, Index j) -> double& { return a[static_cast<std::size_t>(i + j * n)]; };
  double product = 1.0;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) {
      pivot = std::abs(at(i, k)) > std::abs(at(pivot, k)) ? i : pivot;
    }
    if (at(pivot, k) == 0.0) {
      return 0.0;
    }
    for (Index j = k; j < n && pivot != k; ++j) {
      std::swap(at(k, j), at(pivot, j));
    }
    product *= pivot == k ? at(k, k) : -at(k, k);
    for (Index i = k + 1; i < n; ++i) {
      const double factor = at(i, k) / at(k, k);
      for (Index j = k + 1; j < n && factor != 0.0; ++j) {
        at(i, j) -= factor * at(k, j);
      }
    }
  }
  return product;
}

void scale_rows(std::span<double> a, Index n) {
  for (Index i = 0; i < n; ++i) {
    double largest = 0.0;
    for (Index j = 0; j < n; ++j) {
      largest = std::max(largest, std::abs(a[static_cast<std::size_t>(i + j * n)]));
    }
    for (Index j = 0; j < n && largest > 0.0; ++j) {
      a[static_cast<std::size_t>(i + j * n)] /= largest;
    }
  }
}

}  // namespace

std::shared_ptr<const DivisorCode> find_divisors(const SystemCode& code, const ModeCode& mode) {
  return mode.causalized.needs_ranks ? nullptr : DivisorFinder(code, mode).run();
}

DivisorRunner::DivisorRunner(std::shared_ptr<const Divisors> divisors, std::span<const double> held,
                             SolutionStore& store)
    : divisors_(std::move(divisors)),
      runner_(divisors_->sequence),
      outputs_(divisors_->sequence.program().parts.back().n_outputs),
      guess_(divisors_->code->n_guess, std::numeric_limits<double>::quiet_NaN()) {
  runner_.share(store, true);
  Index largest = 0;
  for (const DivisorCode::Item& item : divisors_->code->items) {
    largest = std::max(largest, item.order);
  }
  matrix_.resize(static_cast<std::size_t>(largest * largest));
  for (std::size_t i = 0; i < held.size(); ++i) {
    runner_.set_held(i, held[i]);
  }
}

system::Evaluation DivisorRunner::run(double t, std::span<const double> x, const SequenceRunner& derivatives,
                                      std::span<double> values) {
  derivatives.copy_solutions(guess_);
  runner_.set_solutions(guess_);
  if (const system::Evaluation evaluation = runner_.run(t, x.data(), outputs_.data()); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t k = 0; k < divisors_->code->items.size(); ++k) {
    const DivisorCode::Item& item = divisors_->code->items[k];
    if (item.order == 1 && item.places.size() == 1) {
      values[k] = outputs_[item.first_output];
      continue;
    }
    const std::span<double> matrix(matrix_.data(), static_cast<std::size_t>(item.order * item.order));
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (std::size_t e = 0; e < item.places.size(); ++e) {
      matrix[static_cast<std::size_t>(item.places[e])] = outputs_[item.first_output + e];
    }
    scale_rows(matrix, item.order);
    values[k] = determinant(matrix, item.order);
  }
  return {};
}

}  // namespace saltus::program

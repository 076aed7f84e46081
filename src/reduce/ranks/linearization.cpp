#include "reduce/ranks/linearization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "linalg/dense_lu.hpp"
#include "linalg/rank_decision.hpp"
#include "reduce/consistent/state_choice.hpp"
#include "reduce/nonlinear/rank_codes.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

// Limit of work: what is linear in the derivatives needs one or two.
constexpr int kMostCorrections = 30;
// Of these in derivatives alone, three times what is usual: x is moved only where they do not suffice.
constexpr int kIterationsInDerivatives = 6;
// x is not moved by more than this part of itself and its nominal value: it would be another point.
constexpr double kSamePoint = 1e-4;
// Rows are met when what is left is this part of their terms, and a direction is one when its entry is more than this part of a unit vector.
constexpr double kMet = 1e-9;
constexpr double kMoves = 1e-8;

DenseMatrix columns_of(const DenseMatrix& matrix, std::span<const Index> which) {
  DenseMatrix part(matrix.rows(), static_cast<Index>(which.size()));
  for (Index j = 0; j < part.columns(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      part(i, j) = matrix(i, which[static_cast<std::size_t>(j)]);
    }
  }
  return part;
}

// Least squares of least norm, for as many right sides as there are columns; what lies in the kernel and beside the range.
class PseudoInverse {
 public:
  explicit PseudoInverse(const DenseMatrix& matrix)
      : n_(matrix.columns()), bases_(linalg::rank_bases(matrix)) {
    // A = range·core·cokernelᵀ with a regular core.
    const DenseMatrix core = linalg::transpose_times(bases_.range, matrix * bases_.cokernel);
    core_ = linalg::DenseLu(bases_.decision.rank);
    std::copy(core.entries().begin(), core.entries().end(), core_.matrix().begin());
    is_regular_ = bases_.decision.rank == 0 || core_.factorize().ok();
  }
  [[nodiscard]] bool is_regular() const { return is_regular_; }
  [[nodiscard]] const DenseMatrix& beside() const { return bases_.corange; }
  [[nodiscard]] const DenseMatrix& kernel() const { return bases_.kernel; }

  [[nodiscard]] DenseMatrix solve(const DenseMatrix& right) {
    if (bases_.decision.rank == 0) {
      return {n_, right.columns()};
    }
    DenseMatrix inner = linalg::transpose_times(bases_.range, right);
    for (Index j = 0; j < inner.columns(); ++j) {
      core_.solve(inner.entries().subspan(static_cast<std::size_t>(j * inner.rows()),
                                          static_cast<std::size_t>(inner.rows())));
    }
    return bases_.cokernel * inner;
  }

 private:
  Index n_;
  linalg::RankBases bases_;
  linalg::DenseLu core_{0};
  bool is_regular_ = false;
};

class Linearizer {
 public:
  explicit Linearizer(const LinearizationProblem& problem)
      : problem_(problem), array_(*problem.array), runner_(array_.make_runner()) {
    runner_->set_configuration(*problem.configuration);
    sort_slots();
  }

  Result<LinearizedDae> run() {
    result_.slots = problem_.slots;
    if (!find_derivatives()) {
      return failed("no derivatives satisfy the differentiated equations at this point");
    }
    const DenseMatrix x = columns_of(jacobian_, x_);
    const DenseMatrix u = columns_of(jacobian_, u_);
    PseudoInverse rates(columns_of(jacobian_, y_));
    if (!rates.is_regular()) {
      return failed("the differentiated equations cannot be solved for derivatives");
    }
    // What has no derivatives constrains x and u.
    const DenseMatrix g = linalg::transpose_times(rates.beside(), x);
    const DenseMatrix h = linalg::transpose_times(rates.beside(), u);
    if (std::string problem = constrain(g, h); !problem.empty()) {
      return failed(problem);
    }
    const DenseMatrix y_by_state = rates.solve(-1.0 * (x * result_.by_state));
    const DenseMatrix y_by_input = rates.solve(-1.0 * (x * result_.by_input + u));
    if (std::string problem = take_rates(y_by_state, y_by_input, rates.kernel()); !problem.empty()) {
      return failed(problem);
    }
    unscale();
    return std::move(result_);
  }

 private:
  static Result<LinearizedDae> failed(const std::string& why) {
    Diagnostics problems;
    problems.error(kNoLinearization, why);
    return Unexpected(std::move(problems));
  }

  [[nodiscard]] const std::string& name_of(Index slot) const {
    return array_.slots()[static_cast<std::size_t>(slot)].name;
  }

  void sort_slots() {
    std::map<Index, int> top;  // by variable
    for (const system::SlotInfo& slot : problem_.written->slots()) {
      top[slot.variable] = std::max(top[slot.variable], slot.order);
    }
    std::vector<std::pair<int, Index>> inputs;
    for (std::size_t i = 0; i < array_.slots().size(); ++i) {
      const system::SlotInfo& slot = array_.slots()[i];
      place_[slot.quantity()] = static_cast<Index>(i);
      scale_.push_back(slot.nominal > 0.0 ? slot.nominal : 1.0);
      const auto input = std::find(problem_.inputs.begin(), problem_.inputs.end(), slot.variable);
      if (input != problem_.inputs.end()) {
        // In the order of the inputs, then of their derivatives.
        inputs.emplace_back(slot.order * static_cast<int>(problem_.inputs.size()) +
                                static_cast<int>(input - problem_.inputs.begin()),
                            static_cast<Index>(i));
      } else if (slot.order < top[slot.variable]) {
        x_.push_back(static_cast<Index>(i));
      } else {
        y_.push_back(static_cast<Index>(i));
      }
    }
    std::sort(inputs.begin(), inputs.end());
    for (const auto& [rank, slot] : inputs) {
      u_.push_back(slot);
    }
    result_.quantities = x_;
  }

  // The Jacobian with columns in units of their slots and rows of size one; false: it has no values.
  bool evaluate_jacobian() {
    const system::RectangularPattern& pattern = array_.pattern();
    std::vector<double> entries(pattern.n_entries());
    if (!runner_->jacobian(problem_.t, result_.slots, entries).ok()) {
      return false;
    }
    jacobian_ = DenseMatrix(pattern.n_rows, pattern.n_columns);
    row_scale_.assign(static_cast<std::size_t>(pattern.n_rows), 0.0);
    for (Index j = 0; j < pattern.n_columns; ++j) {
      for (Index k = pattern.column_starts[static_cast<std::size_t>(j)];
           k < pattern.column_starts[static_cast<std::size_t>(j) + 1]; ++k) {
        const Index i = pattern.rows[static_cast<std::size_t>(k)];
        jacobian_(i, j) = entries[static_cast<std::size_t>(k)] * scale_[static_cast<std::size_t>(j)];
        double& size = row_scale_[static_cast<std::size_t>(i)];
        size = std::max(size, std::abs(jacobian_(i, j)));
      }
    }
    for (Index j = 0; j < pattern.n_columns; ++j) {
      for (Index i = 0; i < pattern.n_rows; ++i) {
        const double size = row_scale_[static_cast<std::size_t>(i)];
        jacobian_(i, j) /= size > 0.0 ? size : 1.0;
      }
    }
    return jacobian_.is_finite();
  }

  // Gauss-Newton in the derivatives alone, then in x too: a run meets hidden constraints to its own accuracy only. Leaves the Jacobian at
  // what it found.
  bool find_derivatives() {
    std::vector<double> residual(static_cast<std::size_t>(array_.n_rows()));
    for (int iteration = 0; iteration < kMostCorrections; ++iteration) {
      if (!runner_->residual(problem_.t, result_.slots, residual).ok() || !evaluate_jacobian()) {
        return false;
      }
      DenseMatrix right(array_.n_rows(), 1);
      bool is_met = true;
      for (Index i = 0; i < array_.n_rows(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        right(i, 0) = -residual[k] / (row_scale_[k] > 0.0 ? row_scale_[k] : 1.0);
        double terms = 1.0;
        for (Index j = 0; j < jacobian_.columns(); ++j) {
          const auto slot = static_cast<std::size_t>(j);
          terms += std::abs(jacobian_(i, j) * result_.slots[slot] / scale_[slot]);
        }
        is_met = is_met && std::abs(right(i, 0)) <= kMet * terms;
      }
      if (is_met && iteration > 0) {
        return std::all_of(x_.begin(), x_.end(), [this](Index slot) {
          const auto k = static_cast<std::size_t>(slot);
          return std::abs(result_.slots[k] - problem_.slots[k]) <=
                 kSamePoint * (scale_[k] + std::abs(problem_.slots[k]));
        });
      }
      std::vector<Index> moved = y_;
      if (iteration >= kIterationsInDerivatives) {
        moved.insert(moved.end(), x_.begin(), x_.end());
      }
      PseudoInverse inverse(columns_of(jacobian_, moved));
      if (!inverse.is_regular()) {
        return false;
      }
      const DenseMatrix step = inverse.solve(right);
      for (std::size_t k = 0; k < moved.size(); ++k) {
        const auto slot = static_cast<std::size_t>(moved[k]);
        result_.slots[slot] += scale_[slot] * step(static_cast<Index>(k), 0);
      }
    }
    return false;
  }

  // G·δx + H·δu = 0: coordinates, and x by them and by u. What is wrong; empty: nothing.
  std::string constrain(const DenseMatrix& g, const DenseMatrix& h) {
    const DenseMatrix directions = linalg::rank_bases(g, {.equilibrate = false, .reference = 1.0}).kernel;
    std::vector<char> is_preferred;
    const system::RectangularPattern& pattern = problem_.written->pattern();
    for (const Index slot : x_) {
      const system::SlotInfo& info = array_.slots()[static_cast<std::size_t>(slot)];
      bool is_differentiated = false;
      for (std::size_t j = 0; j < problem_.written->slots().size(); ++j) {
        const system::SlotInfo& other = problem_.written->slots()[j];
        is_differentiated =
            is_differentiated || (other.variable == info.variable && other.order > info.order &&
                                  pattern.column_starts[j + 1] > pattern.column_starts[j]);
      }
      is_preferred.push_back(is_differentiated ? 1 : 0);
    }
    result_.coordinates = choose_states(directions, is_preferred);
    const auto n = static_cast<Index>(result_.coordinates.size());
    linalg::DenseLu chosen(n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        chosen.matrix()[static_cast<std::size_t>(i + j * n)] =
            directions(result_.coordinates[static_cast<std::size_t>(i)], j);
      }
    }
    if (n != directions.columns() || (n > 0 && !chosen.factorize().ok())) {
      return "no coordinates describe the solutions near this point";
    }
    DenseMatrix inverse = DenseMatrix::identity(n);
    for (Index j = 0; j < n; ++j) {
      chosen.solve(inverse.entries().subspan(static_cast<std::size_t>(j * n), static_cast<std::size_t>(n)));
    }
    result_.by_state = directions * inverse;
    // With the coordinates held the others follow the inputs.
    std::vector<Index> others;
    for (Index i = 0; i < g.columns(); ++i) {
      if (std::find(result_.coordinates.begin(), result_.coordinates.end(), i) == result_.coordinates.end()) {
        others.push_back(i);
      }
    }
    const DenseMatrix part = columns_of(g, others);
    PseudoInverse dependent(part);
    if (!dependent.is_regular()) {
      return "the constraints cannot be solved near this point";
    }
    const DenseMatrix response = dependent.solve(-1.0 * h);
    for (Index j = 0; j < h.columns(); ++j) {
      for (Index i = 0; i < h.rows(); ++i) {
        double left = h(i, j);
        for (Index k = 0; k < part.columns(); ++k) {
          left += part(i, k) * response(k, j);
        }
        if (std::abs(left) > kMoves) {
          return fmt::format("the equations bind the input: '{}' cannot change by itself",
                             name_of(u_[static_cast<std::size_t>(j)]));
        }
      }
    }
    result_.by_input = DenseMatrix(g.columns(), h.columns());
    for (std::size_t k = 0; k < others.size(); ++k) {
      for (Index j = 0; j < h.columns(); ++j) {
        result_.by_input(others[k], j) = response(static_cast<Index>(k), j);
      }
    }
    return {};
  }

  // The rates of the coordinates are among the derivatives, or among x.
  std::string take_rates(const DenseMatrix& y_by_state, const DenseMatrix& y_by_input,
                         const DenseMatrix& kernel) {
    const auto n = static_cast<Index>(result_.coordinates.size());
    result_.a = DenseMatrix(n, n);
    result_.b = DenseMatrix(n, static_cast<Index>(u_.size()));
    for (Index i = 0; i < n; ++i) {
      const Index slot = x_[static_cast<std::size_t>(result_.coordinates[static_cast<std::size_t>(i)])];
      const system::SlotInfo& info = array_.slots()[static_cast<std::size_t>(slot)];
      const Index rate = place_.at({info.variable, info.order + 1});
      const auto in_x = std::find(x_.begin(), x_.end(), rate);
      const auto in_y = std::find(y_.begin(), y_.end(), rate);
      const bool is_state = in_x != x_.end();
      const Index row = is_state ? in_x - x_.begin() : in_y - y_.begin();
      for (Index j = 0; !is_state && j < kernel.columns(); ++j) {
        if (std::abs(kernel(row, j)) > kMoves) {
          return fmt::format("no equation determines the rate of '{}'", info.name);
        }
      }
      // From units of the rate to those of the coordinate.
      const double factor = scale_[static_cast<std::size_t>(rate)] / scale_[static_cast<std::size_t>(slot)];
      for (Index j = 0; j < n; ++j) {
        result_.a(i, j) = factor * (is_state ? result_.by_state : y_by_state)(row, j);
      }
      for (Index j = 0; j < result_.b.columns(); ++j) {
        result_.b(i, j) = factor * (is_state ? result_.by_input : y_by_input)(row, j);
      }
    }
    return {};
  }

  // From units of slots to those of the model.
  void unscale() {
    const auto scale_of = [this](Index quantity) {
      return scale_[static_cast<std::size_t>(x_[static_cast<std::size_t>(quantity)])];
    };
    const auto coordinate = [&](Index j) {
      return scale_of(result_.coordinates[static_cast<std::size_t>(j)]);
    };
    const auto input = [this](Index j) {
      return scale_[static_cast<std::size_t>(u_[static_cast<std::size_t>(j)])];
    };
    for (Index j = 0; j < result_.a.columns(); ++j) {
      for (Index i = 0; i < result_.a.rows(); ++i) {
        result_.a(i, j) *= coordinate(i) / coordinate(j);
      }
      for (Index i = 0; i < result_.by_state.rows(); ++i) {
        result_.by_state(i, j) *= scale_of(i) / coordinate(j);
      }
    }
    for (Index j = 0; j < result_.b.columns(); ++j) {
      for (Index i = 0; i < result_.b.rows(); ++i) {
        result_.b(i, j) *= coordinate(i) / input(j);
      }
      for (Index i = 0; i < result_.by_input.rows(); ++i) {
        result_.by_input(i, j) *= scale_of(i) / input(j);
      }
    }
  }

  const LinearizationProblem& problem_;
  const system::EquationSet& array_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<Index> x_;  // slots
  std::vector<Index> u_;
  std::vector<Index> y_;
  std::map<system::Quantity, Index> place_;
  std::vector<double> scale_;
  std::vector<double> row_scale_;
  DenseMatrix jacobian_;
  LinearizedDae result_;
};

}  // namespace

Result<LinearizedDae> linearize(const LinearizationProblem& problem) {
  return Linearizer(problem).run();
}

}  // namespace saltus::reduce

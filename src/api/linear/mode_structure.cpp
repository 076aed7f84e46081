#include "api/linear/mode_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "api/linear/matrix_rows.hpp"
#include "base/machine.hpp"
#include "linalg/rank_decision.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "reduce/structured/pair_structure.hpp"

namespace saltus::api {
namespace {

using linalg::DenseMatrix;
using reduce::Coefficients;
using reduce::StructureKind;

constexpr int kTimesCompared = 5;
// Derivatives that self-adjointness and the forms need: M̈ and Ë.
constexpr int kDepth = 2;

// (F, Ḟ, F̈) of one mode, by derivatives of the unknowns.
class CoefficientReader {
 public:
  CoefficientReader(std::shared_ptr<const system::EquationSet> array, int depth, int order,
                    const system::Configuration& configuration)
      : array_(std::move(array)),
        depth_(depth),
        order_(order),
        layout_(reduce::make_array_layout(*array_, depth)),
        runner_(array_->make_runner()) {
    runner_->set_configuration(configuration);
  }

  // None: they have no values at this time.
  std::optional<Coefficients> at(double t) {
    const system::RectangularPattern& pattern = array_->pattern();
    // Linear rows: their entries are the same at all slots.
    const std::vector<double> slots(array_->slots().size(), 0.0);
    std::vector<double> entries(pattern.n_entries());
    if (!runner_->jacobian(t, slots, entries).ok() ||
        !std::all_of(entries.begin(), entries.end(), [](double entry) { return std::isfinite(entry); })) {
      return std::nullopt;
    }
    const Index m = pattern.n_rows / (depth_ + 1);
    // rows[l][p] = ∂F_l/∂x⁽ᵖ⁾
    std::vector<std::vector<DenseMatrix>> rows(
        at_index(depth_ + 1),
        std::vector<DenseMatrix>(at_index(order_ + 1), DenseMatrix(m, layout_.n_variables)));
    for (Index s = 0; s < pattern.n_columns; ++s) {
      const int p = layout_.slot_order[at_index(s)];
      for (Index e = pattern.column_starts[at_index(s)];
           p <= order_ && e < pattern.column_starts[at_index(s) + 1]; ++e) {
        const Index row = pattern.rows[at_index(e)];
        rows[at_index(row / m)][at_index(p)](row % m, layout_.variable[at_index(s)]) = entries[at_index(e)];
      }
    }
    Coefficients coefficients(at_index(order_ + 1), std::vector<DenseMatrix>(at_index(depth_ + 1)));
    for (int l = 0; l <= depth_; ++l) {
      for (int p = 0; p <= order_; ++p) {
        DenseMatrix value = rows[at_index(l)][at_index(p)];
        DenseMatrix terms = value;
        double factor = 1.0;  // binomial(l, j), j = p - i
        for (int j = 1; j <= p && j <= l; ++j) {
          factor *= static_cast<double>(l - j + 1) / static_cast<double>(j);
          const DenseMatrix known = factor * coefficients[at_index(p - j)][at_index(l - j)];
          value = value - known;
          for (std::size_t k = 0; k < terms.entries().size(); ++k) {
            terms.entries()[k] = std::abs(terms.entries()[k]) + std::abs(known.entries()[k]);
          }
        }
        for (std::size_t k = 0; k < terms.entries().size(); ++k) {
          const double rounding = l > 0 ? linalg::kRoundingOfEntries * std::abs(terms.entries()[k]) : 0.0;
          if (std::abs(value.entries()[k]) <= rounding) {
            value.entries()[k] = 0.0;
          }
        }
        coefficients[at_index(p)][at_index(l)] = std::move(value);
      }
    }
    return coefficients;
  }

 private:
  std::shared_ptr<const system::EquationSet> array_;
  int depth_;
  int order_;
  reduce::ArrayLayout layout_;
  std::unique_ptr<system::EquationRunner> runner_;
};

std::vector<Matrix> list_of(const std::vector<DenseMatrix>& matrices, double factor) {
  std::vector<Matrix> list;
  for (const DenseMatrix& one : matrices) {
    list.push_back(in_rows(factor * one));
  }
  return list;
}

// Where varying coefficients are looked at again: no time that a period of theirs divides.
double later_time(double t, int k) {
  // 1 minus the golden ratio: no whole number of such steps is a period.
  constexpr double kStepOfTimes = 0.3819660112501051;
  return t + kStepOfTimes * k * std::max(1.0, std::abs(t));
}

void describe_pair(const Coefficients& in_order, ModeStructure& structure) {
  Result<StructuredValues> values = structured_pair(list_of(in_order[1], 1.0), list_of(in_order[0], -1.0),
                                                    structure.kind, {.is_rounded = !structure.is_constant});
  if (values) {
    structure.values = *std::move(values);
    structure.reason = structure.values->reason;
  } else {
    structure.reason = values.error().items()[0].message;
  }
}

}  // namespace

Result<ModeStructure> describe_structure(const system::LockedDae& locked,
                                         const system::Configuration& configuration, double t) {
  const auto written = locked.derivative_array(0);
  if (!written) {
    return Unexpected(written.error());
  }
  const system::EquationSet& equations = **written;
  const reduce::ArrayLayout layout = reduce::make_array_layout(equations, 0);
  ModeStructure structure;
  structure.order = layout.order;
  structure.unknowns.resize(at_index(layout.n_variables));
  for (std::size_t s = 0; s < layout.variable.size(); ++s) {
    if (layout.slot_order[s] == 0) {
      structure.unknowns[at_index(layout.variable[s])] = equations.slots()[s].name;
    }
  }
  const auto without = [&structure](std::string reason) {
    structure.reason = std::move(reason);
    return structure;
  };
  if (!equations.is_linear()) {
    return without("the equations are not linear");
  }
  structure.is_constant = equations.has_constant_jacobian();
  if (layout.order > 2) {
    return without(fmt::format("the equations are of order {}", layout.order));
  }
  if (equations.n_rows() != layout.n_variables) {
    return without(
        fmt::format("there are {} equations for {} unknowns", equations.n_rows(), layout.n_variables));
  }
  const int depth = structure.is_constant ? 0 : kDepth;
  const auto array = locked.derivative_array(depth);
  if (!array) {
    return Unexpected(array.error());
  }
  CoefficientReader reader(*array, depth, layout.order, configuration);
  const std::optional<Coefficients> coefficients = reader.at(t);
  if (!coefficients) {
    return without(fmt::format("at time = {:g} the coefficients or their derivatives have no values", t));
  }
  const reduce::StructureSearch found = reduce::find_structure(*coefficients);
  if (found.kind == StructureKind::none) {
    return without(found.is_complete
                       ? "no order and signs of the equations make them symmetric or self-adjoint"
                       : "the equations are neither symmetric nor self-adjoint as they stand, and "
                         "the search for an order in which they are was given up");
  }
  structure.times.push_back(t);
  for (int k = 1; !structure.is_constant && k < kTimesCompared; ++k) {
    const double time = later_time(t, k);
    const std::optional<Coefficients> later = reader.at(time);
    if (later && !reduce::has_structure(with_rows(*later, found.assignment), found.kind)) {
      return without(fmt::format("the structure at time = {:g} does not hold at time = {:g}", t, time));
    }
    if (later) {
      structure.times.push_back(time);
    }
  }
  structure.kind = found.kind == StructureKind::symmetric ? PairKind::symmetric : PairKind::self_adjoint;
  structure.equations.resize(structure.unknowns.size());
  structure.signs.resize(structure.unknowns.size());
  for (std::size_t row = 0; row < structure.unknowns.size(); ++row) {
    const std::size_t place = at_index(found.assignment.unknown[row]);
    structure.equations[place] = equations.rows()[row].text;
    structure.signs[place] = found.assignment.sign[row] < 0.0 ? -1 : 1;
  }
  if (layout.order == 1) {
    describe_pair(with_rows(*coefficients, found.assignment), structure);
  }
  return structure;
}

}  // namespace saltus::api

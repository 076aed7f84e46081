#include "reduce/ranks/characteristic_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/machine.hpp"
#include "linalg/equilibration.hpp"
#include "reduce/nonlinear/rank_codes.hpp"
#include "reduce/ranks/array_layout.hpp"
#include "reduce/ranks/array_newton.hpp"
#include "reduce/ranks/data_orders.hpp"
#include "reduce/ranks/rank_analysis.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

DenseMatrix dense_jacobian(const system::EquationSet& array, std::span<const double> entries) {
  const system::RectangularPattern& pattern = array.pattern();
  DenseMatrix matrix(pattern.n_rows, pattern.n_columns);
  for (Index j = 0; j < pattern.n_columns; ++j) {
    for (Index e = pattern.column_starts[at_index(j)]; e < pattern.column_starts[at_index(j) + 1]; ++e) {
      matrix(pattern.rows[at_index(e)], j) = entries[at_index(e)];
    }
  }
  return matrix;
}

// Begins where slots are measured in their nominal values, as powers of 2: sweeps alone do not find the unit of time of a model in microseconds.
linalg::Equilibration scale_of(const DenseMatrix& matrix, const system::EquationSet& array,
                               const ArrayLayout& layout, bool is_wanted) {
  if (!is_wanted) {
    return linalg::no_equilibration(matrix);
  }
  std::vector<double> sizes;
  for (const system::SlotInfo& slot : array.slots()) {
    sizes.push_back(std::exp2(std::round(std::log2(slot.nominal))));
  }
  const std::vector<Index> orders(layout.slot_order.begin(), layout.slot_order.end());
  const std::vector<std::vector<Index>> labels = {layout.variable, orders};
  linalg::Equilibration result = linalg::equilibrate(linalg::scale_columns(matrix, sizes), labels);
  std::transform(result.column_scale.begin(), result.column_scale.end(), sizes.begin(),
                 result.column_scale.begin(), std::multiplies<>());
  return result;
}

DenseMatrix chosen_columns(const DenseMatrix& matrix, const std::vector<Index>& columns) {
  DenseMatrix result(matrix.rows(), static_cast<Index>(columns.size()));
  auto place = result.entries().begin();
  for (const Index column : columns) {
    const std::span<const double> entries = matrix.column(column);
    place = std::copy(entries.begin(), entries.end(), place);
  }
  return result;
}

// The blocks of rank_analysis.hpp with the scales to undo. Columns of the first block are unknowns with scale `column_scale`;
// rows of `top` have scale `top_scale`.
struct ScaledBlocks {
  ArrayBlocks blocks;
  std::vector<double> column_scale;
  std::vector<double> top_scale;
};

ScaledBlocks blocks_as_written(const DenseMatrix& scaled, const linalg::Equilibration& scale,
                               const ArrayLayout& layout, Index n_equations) {
  ScaledBlocks result;
  const Index n = layout.n_variables;
  result.blocks.by_order.assign(at_index(layout.order), DenseMatrix(scaled.rows(), n));
  result.blocks.top = DenseMatrix(n_equations, n);
  result.column_scale.assign(at_index(n), 1.0);
  std::vector<Index> leading;
  for (Index s = 0; s < scaled.columns(); ++s) {
    const Index j = layout.variable[at_index(s)];
    const int order = layout.slot_order[at_index(s)];
    if (order == 0) {
      result.column_scale[at_index(j)] = scale.column_scale[at_index(s)];
    }
    if (order >= layout.order) {
      leading.push_back(s);
    }
    for (Index i = 0; i < scaled.rows(); ++i) {
      if (order < layout.order) {
        result.blocks.by_order[at_index(order)](i, j) = scaled(i, s);
      } else if (order == layout.order && i < n_equations) {
        result.blocks.top(i, j) = scaled(i, s);
      }
    }
  }
  result.blocks.leading = chosen_columns(scaled, leading);
  result.top_scale.assign(scale.row_scale.begin(), scale.row_scale.begin() + n_equations);
  normalise_rows(result.blocks.top, result.top_scale);
  return result;
}

// Rates that are states themselves make equations of their own: ẋ_k - x_(k+1) = 0, solved for in the array already.
ScaledBlocks blocks_of_states(const DenseMatrix& scaled, const linalg::Equilibration& scale,
                              const ArrayLayout& layout, Index n_equations) {
  ScaledBlocks result;
  const auto n = static_cast<Index>(layout.state.size());
  result.blocks.by_order.push_back(chosen_columns(scaled, layout.state));
  std::vector<Index> leading = layout.top;
  leading.insert(leading.end(), layout.higher.begin(), layout.higher.end());
  result.blocks.leading = chosen_columns(scaled, leading);
  result.blocks.top = DenseMatrix(n_equations + n - layout.n_variables, n);
  result.top_scale.assign(scale.row_scale.begin(), scale.row_scale.begin() + n_equations);
  result.top_scale.resize(at_index(result.blocks.top.rows()), 1.0);
  std::vector<std::uint8_t> is_state(layout.slot_order.size(), 0);
  for (const Index slot : layout.state) {
    is_state[at_index(slot)] = 1;
    result.column_scale.push_back(scale.column_scale[at_index(slot)]);
  }
  Index chain = n_equations;
  for (Index k = 0; k < n; ++k) {
    const Index rate = layout.rate[at_index(k)];
    if (is_state[at_index(rate)] != 0) {
      result.blocks.top(chain++, k) = 1.0;
      continue;
    }
    const double ratio = result.column_scale[at_index(k)] / scale.column_scale[at_index(rate)];
    for (Index i = 0; i < n_equations; ++i) {
      result.blocks.top(i, k) = scaled(i, rate) * ratio;
    }
  }
  normalise_rows(result.blocks.top, result.top_scale);
  return result;
}

// As if each unknown had the derivatives of the one of highest order: columns that do not occur are zero.
ScaledBlocks blocks_of_companion(const DenseMatrix& scaled, const linalg::Equilibration& scale,
                                 const ArrayLayout& layout, Index n_equations) {
  ScaledBlocks result;
  const Index n = layout.n_variables;
  const Index n_states = n * layout.order;
  const Index n_chains = n_states - n;
  result.blocks.by_order.emplace_back(scaled.rows(), n_states);
  result.blocks.top = DenseMatrix(n_equations + n_chains, n_states);
  result.column_scale.assign(at_index(n_states), 1.0);
  result.top_scale.assign(scale.row_scale.begin(), scale.row_scale.begin() + n_equations);
  result.top_scale.resize(at_index(result.blocks.top.rows()), 1.0);
  std::vector<Index> leading;
  std::vector<std::pair<Index, Index>> top;  // state, slot of its rate
  for (Index s = 0; s < scaled.columns(); ++s) {
    const Index order = layout.slot_order[at_index(s)];
    const Index place = layout.variable[at_index(s)] + n * order;
    if (order >= layout.order) {
      leading.push_back(s);
      if (order == layout.order) {
        top.emplace_back(place - n, s);
      }
      continue;
    }
    result.column_scale[at_index(place)] = scale.column_scale[at_index(s)];
    for (Index i = 0; i < scaled.rows(); ++i) {
      result.blocks.by_order[0](i, place) = scaled(i, s);
    }
  }
  for (const auto& [state, rate] : top) {
    const double ratio = result.column_scale[at_index(state)] / scale.column_scale[at_index(rate)];
    for (Index i = 0; i < n_equations; ++i) {
      result.blocks.top(i, state) = scaled(i, rate) * ratio;
    }
  }
  for (Index i = 0; i < n_chains; ++i) {
    result.blocks.top(n_equations + i, i) = 1.0;
  }
  result.blocks.leading = chosen_columns(scaled, leading);
  normalise_rows(result.blocks.top, result.top_scale);
  return result;
}

ScaledBlocks blocks_of(AnalysisForm form, const DenseMatrix& scaled, const linalg::Equilibration& scale,
                       const ArrayLayout& layout, Index n_equations) {
  switch (form) {
    case AnalysisForm::as_written: return blocks_as_written(scaled, scale, layout, n_equations);
    case AnalysisForm::states: return blocks_of_states(scaled, scale, layout, n_equations);
    case AnalysisForm::companion: break;
  }
  return blocks_of_companion(scaled, scale, layout, n_equations);
}

std::vector<int> data_orders(const RankAnalysis& ranks, Index n_equations) {
  std::vector<int> orders(at_index(n_equations), 0);
  raise_data_orders(with_lowest_orders(ranks.z2, ranks.z3), orders);
  for (std::size_t i = 0; i < ranks.z_middle.size(); ++i) {
    raise_data_orders(with_lowest_orders(ranks.z_middle[i], ranks.implied[i]), orders);
  }
  return orders;
}

}  // namespace

ArrayValues values_of_array(const system::EquationSet& array, const ArrayLayout& layout,
                            std::span<const double> entries, Index n_equations,
                            const AnalysisOptions& options) {
  const DenseMatrix matrix = dense_jacobian(array, entries);
  const linalg::Equilibration scale = scale_of(matrix, array, layout, options.equilibrate);
  const ScaledBlocks scaled = blocks_of(options.form, scale.apply(matrix), scale, layout, n_equations);
  linalg::RankOptions rank_options;
  rank_options.method = options.method;
  const RankAnalysis ranks = analyse_ranks(scaled.blocks, rank_options);
  ArrayValues result;
  CharacteristicValues& values = result.values;
  result.redundant = ranks.redundant;
  values.n_equations = scaled.blocks.top.rows();
  values.n_unknowns = scaled.blocks.top.columns();
  values.algebraic = ranks.algebraic;
  values.differential = ranks.differential;
  values.undetermined = values.n_unknowns - values.algebraic - values.d();
  values.z1 = scale_rows(ranks.z1, scaled.top_scale);
  values.z2 = scale_rows(ranks.z2, scale.row_scale);
  values.z3 = scale_rows(ranks.z3, scale.row_scale);
  for (const DenseMatrix& z : ranks.z_middle) {
    values.z_middle.push_back(scale_rows(z, scale.row_scale));
  }
  values.t2 = linalg::orthonormal_columns(scale_rows(ranks.t2, scaled.column_scale));
  values.free = linalg::orthonormal_columns(scale_rows(ranks.free, scaled.column_scale));
  values.data_orders = data_orders(ranks, n_equations);
  values.is_unclear = ranks.is_unclear;
  values.smallest_gap = ranks.smallest_gap;
  values.largest_dropped = ranks.largest_dropped;
  values.condition = ranks.largest_condition;
  return result;
}

namespace {

// Above this no rounding error is: a number that is dropped all the same belongs to the model. (1/rate)² of a fast equation that was added to
// others is of this size, and without it the model is another one.
constexpr double kLargestNoise = 1e-12;

// The analysis level by level; one object for one call.
class LevelSearch {
 public:
  LevelSearch(const system::LockedDae& dae, const system::Configuration& configuration, double t,
              const AnalysisOptions& options)
      : dae_(dae), configuration_(configuration), t_(t), options_(options) {}

  Result<CharacteristicValues> run(std::span<const double> x);

 private:
  // Slots that satisfy the array of this level, from those of the level before.
  std::optional<Diagnostics> find_slots(std::span<const double> x);
  [[nodiscard]] ArrayLayout layout_at(std::vector<double> slots) const;
  std::optional<Diagnostics> analyse(CharacteristicValues& values);
  [[nodiscard]] Diagnostics no_slots(const system::Evaluation& evaluation,
                                     const ArrayNewton::Miss& miss) const;

  const system::LockedDae& dae_;
  const system::Configuration& configuration_;
  double t_;
  AnalysisOptions options_;
  int level_ = 0;
  std::shared_ptr<const system::EquationSet> array_;
  ArrayLayout layout_;
  std::vector<double> slots_;
  Index redundant_before_ = 0;
  Index n_equations_ = 0;
};

Diagnostics LevelSearch::no_slots(const system::Evaluation& evaluation, const ArrayNewton::Miss& miss) const {
  const Index row = evaluation.ok() ? miss.row : evaluation.culprit;
  const bool is_known = row >= 0 && row < array_->n_rows();
  Diagnostics problems;
  problems.error(kNoConsistentDerivatives,
                 fmt::format("at time = {:g} no values of the derivatives satisfy the equations{}{}", t_,
                             level_ > 0 ? " and their derivatives" : "",
                             is_known ? fmt::format("; '{}' is missed by {:.3g}",
                                                    array_->rows()[at_index(row)].text, miss.residual)
                                      : std::string()),
                 is_known ? array_->rows()[at_index(row)].span : std::nullopt);
  return problems;
}

// States whose derivatives have coefficients zero here are algebraic. Derivatives are not known yet: what is zero with two sets of
// them counts.
ArrayLayout LevelSearch::layout_at(std::vector<double> slots) const {
  const auto runner = array_->make_runner();
  runner->set_configuration(configuration_);
  std::vector<double> entries(array_->pattern().n_entries(), 1.0);
  std::vector<double> others(entries);
  const bool is_known = runner->jacobian(t_, slots, entries).ok();
  for (std::size_t s = 0; s < slots.size(); ++s) {
    slots[s] += layout_.slot_order[s] > 0 ? array_->slots()[s].nominal : 0.0;
  }
  if (!is_known || !runner->jacobian(t_, slots, others).ok()) {
    return layout_;
  }
  std::transform(entries.begin(), entries.end(), others.begin(), entries.begin(),
                 [](double a, double b) { return std::abs(a) + std::abs(b); });
  return layout_by_numbers(layout_, *array_, level_, entries);
}

std::optional<Diagnostics> LevelSearch::find_slots(std::span<const double> x) {
  const ArrayLayout before = std::exchange(layout_, make_array_layout(*array_, level_, dae_.states()));
  if (level_ == 0) {
    SALTUS_EXPECT(x.size() == layout_.state.size(), "a value for every state");
    slots_.assign(layout_.variable.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      slots_[at_index(layout_.state[i])] = x[i];
    }
    n_equations_ = array_->n_rows();
  } else {
    slots_ = extended_slots(before, slots_, layout_);
  }
  std::vector<double> nominal;
  for (const system::SlotInfo& slot : array_->slots()) {
    nominal.push_back(slot.nominal);
  }
  const std::vector<double> start = slots_;
  std::optional<Diagnostics> problems;
  std::vector<std::vector<ArrayGroup>> attempts;
  if (const ArrayLayout by_numbers = layout_at(start);
      by_numbers.algebraic.size() != layout_.algebraic.size()) {
    attempts.push_back(newton_groups(by_numbers, StateOrder::algebraic_first, false));
  }
  attempts.push_back(newton_groups(layout_, StateOrder::algebraic_first, false));
  attempts.push_back(newton_groups(layout_, StateOrder::all_alike, false));
  for (std::vector<ArrayGroup>& groups : attempts) {
    slots_ = start;
    ArrayNewton newton(array_, std::move(groups), nominal);
    newton.set_configuration(configuration_);
    system::Evaluation evaluation = newton.decide_ranks(t_, slots_);
    if (evaluation.ok()) {
      // Where the iteration begins ranks may be other than on the solutions.
      newton.clear_ranks();
      evaluation = newton.solve(t_, slots_);
    }
    if (evaluation.ok() && (array_->is_linear() || !newton.miss().is_contradiction())) {
      return std::nullopt;
    }
    problems = no_slots(evaluation, newton.miss());
  }
  return problems;
}

std::optional<Diagnostics> LevelSearch::analyse(CharacteristicValues& values) {
  const auto runner = array_->make_runner();
  runner->set_configuration(configuration_);
  std::vector<double> entries(array_->pattern().n_entries());
  const system::Evaluation evaluation = runner->jacobian(t_, slots_, entries);
  const bool is_finite =
      std::all_of(entries.begin(), entries.end(), [](double entry) { return std::isfinite(entry); });
  if (!evaluation.ok() || !is_finite) {
    return no_slots(evaluation, {});
  }
  const bool was_unclear = values.is_unclear;
  const double smallest_gap = level_ == 0 ? std::numeric_limits<double>::infinity() : values.smallest_gap;
  ArrayValues found = values_of_array(*array_, layout_, entries, n_equations_, options_);
  values = std::move(found.values);
  values.level = level_;
  values.vanishing = found.redundant - std::exchange(redundant_before_, found.redundant);
  // Redundant rows may be added to conditions as one likes: those that are readable have none of them.
  values.z2 = echelon_columns(beside(values.z3, values.z2), found.redundant)
                  .middle_columns(found.redundant, values.algebraic);
  values.is_unclear = values.is_unclear || was_unclear;
  values.smallest_gap = std::min(values.smallest_gap, smallest_gap);
  return std::nullopt;
}

Result<CharacteristicValues> LevelSearch::run(std::span<const double> x) {
  CharacteristicValues values;
  for (level_ = 0; level_ <= options_.max_level; ++level_) {
    auto array = dae_.derivative_array(level_);
    if (!array) {
      return Unexpected(std::move(array).error());
    }
    array_ = *std::move(array);
    if (auto problems = find_slots(x)) {
      return Unexpected(*std::move(problems));
    }
    if (auto problems = analyse(values)) {
      return Unexpected(*std::move(problems));
    }
    if (values.algebraic + values.d() + values.vanishing == values.n_equations) {
      if (values.largest_dropped > kLargestNoise) {
        Diagnostics problems;
        problems.error(
            kIndexNotFound,
            fmt::format(
                "at time = {:g} a rank cannot be decided: what would count as zero is {:.1g} of the numbers "
                "beside it, and rounding errors are smaller",
                t_, values.largest_dropped),
            std::nullopt,
            "write equations of very different speed by themselves: a sum of them hides the slower one");
        return Unexpected(std::move(problems));
      }
      values.slots = slots_;
      for (const system::RowInfo& row : array_->rows()) {
        values.rows.push_back(row.text);
      }
      return values;
    }
  }
  Diagnostics problems;
  problems.error(
      kIndexNotFound,
      fmt::format("at time = {:g} the ranks do not add up after {} differentiations: {} algebraic and {} "
                  "differential conditions, {} redundant ones, of {} equations{}",
                  t_, options_.max_level, values.algebraic, values.d(), values.vanishing, values.n_equations,
                  values.is_unclear ? "; a rank was hard to decide" : ""),
      std::nullopt, "start at another point, or write the cases as modes");
  return Unexpected(std::move(problems));
}

}  // namespace

Index CharacteristicValues::degrees_of_freedom() const {
  Index sum = 0;
  for (std::size_t i = 0; i < differential.size(); ++i) {
    sum += static_cast<Index>(i + 1) * differential[i];
  }
  return sum;
}

Index CharacteristicValues::d() const {
  return std::accumulate(differential.begin(), differential.end(), Index{0});
}

bool CharacteristicValues::same_values(const CharacteristicValues& other) const {
  return level == other.level && algebraic == other.algebraic && differential == other.differential &&
         undetermined == other.undetermined && vanishing == other.vanishing;
}

std::string CharacteristicValues::text() const {
  return fmt::format("({}, {}, {}, {}, {})", level, d(), algebraic, undetermined, vanishing);
}

Result<CharacteristicValues> find_characteristic_values(const system::LockedDae& dae,
                                                        const system::Configuration& configuration, double t,
                                                        std::span<const double> x,
                                                        const AnalysisOptions& options) {
  return LevelSearch(dae, configuration, t, options).run(x);
}

}  // namespace saltus::reduce

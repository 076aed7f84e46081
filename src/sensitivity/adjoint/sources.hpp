/// What is differentiated by columns on the way back, and for whom.
///
/// Notation   gradient: by column of the Setup that was given (its parameters and start values).
/// Method     two setups beside the given one. *All*: unit changes of every state and of every discrete variable, then the given columns; a map
///            that is known by its tangents only is known as a matrix in these. *Rest*: those of the given columns that pullbacks know nothing
///            of, because they move a parameter that is zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sensitivity/field/stretch_field.hpp"
#include "system/stencil.hpp"

namespace saltus::sensitivity {

class AdjointSources {
 public:
  /// `n_states`: the largest number of states of a stretch. All outlive it.
  AdjointSources(const system::HybridSystem& system, const hybrid::Options& options,
                 std::span<const double> guess, const Setup& given, std::size_t n_states)
      : given_(given),
        same_(std::shared_ptr<const void>(), &system),
        n_states_(n_states),
        n_discrete_(system.discrete().size()),
        rest_setup_(setup_of_rest()),
        rest_{system, options, guess, rest_setup_, std::vector<double>(rest_setup_.columns.size(), 0.0)} {}
  AdjointSources(const AdjointSources&) = delete;
  AdjointSources& operator=(const AdjointSources&) = delete;

  [[nodiscard]] const Setup& given() const { return given_; }
  /// Made when it is first asked for.
  [[nodiscard]] const FieldSource& all() const { return need_all().source; }
  [[nodiscard]] const FieldSource& rest() const { return rest_; }
  /// Columns of the gradient, in the order of rest().
  [[nodiscard]] const std::vector<std::size_t>& places_of_rest() const { return places_of_rest_; }

  // Columns of all().
  [[nodiscard]] std::size_t first_discrete() const { return n_states_; }
  [[nodiscard]] std::size_t n_discrete() const { return n_discrete_; }
  [[nodiscard]] std::size_t first_given() const { return n_states_ + n_discrete_; }

  /// S of all(), for this many states.
  [[nodiscard]] std::vector<double> unit_states(std::size_t n) const {
    const std::size_t n_columns = all().n_columns();
    std::vector<double> s(n * n_columns, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      s[i * n_columns + i] = 1.0;
    }
    return s;
  }
  [[nodiscard]] std::vector<double> unit_discrete() const {
    const std::size_t n_columns = all().n_columns();
    std::vector<double> d(n_discrete_ * n_columns, 0.0);
    for (std::size_t i = 0; i < n_discrete_; ++i) {
      d[i * n_columns + first_discrete() + i] = moves(i) ? 1.0 : 0.0;
    }
    return d;
  }

  /// What sums by parameter of the flat model mean by given column.
  void add_parameters(std::span<const double> parameters, std::span<double> gradient) const {
    const std::size_t n = given_.columns.size();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      for (std::size_t k = 0; k < n && parameters[i] != 0.0; ++k) {
        gradient[k] += parameters[i] * given_.known_directions.parameters[i * n + k];
      }
    }
  }

  /// How far unit changes go where something is done again beside the run (instant_replay.hpp): by the sizes of what they change.
  void set_sizes(std::span<const double> states, std::span<const double> discrete) {
    All* const columns = &need_all();
    for (std::size_t c = 0; c < first_given(); ++c) {
      const bool is_state = c < first_discrete();
      const std::span<const double> sizes = is_state ? states : discrete;
      const std::size_t i = is_state ? c : c - first_discrete();
      if (i < sizes.size()) {
        columns->setup.columns[c].size = sizes[i];
      }
      Twins& twins = columns->setup.columns[c].twins;
      twins.clear();
      for (std::size_t s = 0;
           s < system::Stencil::offsets.size() && i < sizes.size() && (is_state || moves(i)); ++s) {
        const double step = system::Stencil::kPart * sizes[i];
        twins.push_back({system::Stencil::weights[s] / step, system::Stencil::offsets[s] * step, same_});
      }
    }
  }

 private:
  struct All {
    All(Setup of_all, const FieldSource& like)
        : setup(std::move(of_all)),
          source{like.system, like.options, like.guess, setup,
                 std::vector<double>(setup.columns.size(), 0.0)} {}

    Setup setup;
    FieldSource source;
  };
  All& need_all() const {
    if (all_ == nullptr) {
      all_ = std::make_unique<All>(setup_of_all(), rest_);
    }
    return *all_;
  }

  [[nodiscard]] Setup setup_of_all() const {
    Setup setup;
    for (std::size_t c = 0; c < n_states_ + n_discrete_; ++c) {
      Column& column = setup.columns.emplace_back();
      column.moves_equations = false;
      column.moves_clocks = false;
    }
    setup.columns.insert(setup.columns.end(), given_.columns.begin(), given_.columns.end());
    setup.directions = widened(given_.directions, setup.columns.size());
    setup.known_directions = widened(given_.known_directions, setup.columns.size());
    return setup;
  }

  // The given directions, behind others that move no parameter.
  [[nodiscard]] static system::ParameterDirections widened(const system::ParameterDirections& directions,
                                                           std::size_t n_columns) {
    const auto n = static_cast<std::size_t>(directions.n_directions);
    const std::size_t n_parameters = n == 0 ? 0 : directions.parameters.size() / n;
    system::ParameterDirections wide;
    wide.n_directions = static_cast<Index>(n_columns);
    wide.parameters.assign(n_parameters * n_columns, 0.0);
    for (std::size_t i = 0; i < n_parameters; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        wide.parameters[i * n_columns + n_columns - n + k] = directions.parameters[i * n + k];
      }
    }
    return wide;
  }

  [[nodiscard]] Setup setup_of_rest() {
    Setup setup;
    for (std::size_t k = 0; k < given_.columns.size(); ++k) {
      if (given_.columns[k].moves_zero) {
        setup.columns.push_back(given_.columns[k]);
        places_of_rest_.push_back(k);
      }
    }
    const std::size_t n = given_.columns.size();
    const std::size_t n_parameters = n == 0 ? 0 : given_.directions.parameters.size() / n;
    setup.directions.n_directions = static_cast<Index>(setup.columns.size());
    setup.directions.parameters.assign(n_parameters * setup.columns.size(), 0.0);
    setup.known_directions = setup.directions;  // these move nothing that programs know
    return setup;
  }

  // Whole numbers and truths do not.
  [[nodiscard]] bool moves(std::size_t discrete) const {
    const system::VariableInfo& info =
        same_->variables()[static_cast<std::size_t>(same_->discrete()[discrete])];
    return !info.is_boolean && !info.is_integer;
  }

  const Setup& given_;
  std::shared_ptr<const system::HybridSystem> same_;  // which the run keeps alive
  std::size_t n_states_;
  std::size_t n_discrete_;
  std::vector<std::size_t> places_of_rest_;
  Setup rest_setup_;
  FieldSource rest_;
  mutable std::unique_ptr<All> all_;
};

}  // namespace saltus::sensitivity

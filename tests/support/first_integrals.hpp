/// Linear first integrals c·x of the equations of a model, and its run.
///
/// Method: at random points near the trajectory, from the equations as written, F(t, x, ẋ) = 0: the combinations w with
/// w·F(t, x, 0) = 0 and w·(F(t, x, ẋ) - F(t, x, 0)) = c·ẋ with one c, at every point, on both sides of every relation and in every
/// structure of the mode.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "linalg/rank_decision.hpp"
#include "support/hybrid_run.hpp"
#include "support/text_system.hpp"
#include "system/rounds.hpp"
#include "system/written_coefficients.hpp"

namespace saltus::test {

using linalg::DenseMatrix;

/// Of the runs.
inline constexpr double kIntegralTolerance = 1e-8;
/// A coefficient of c that is less, in units of the largest, is rounding.
inline constexpr double kNoCoefficient = 1e-7;
/// Decompositions of more equations would take longer than the runs.
inline constexpr Index kMostEquations = 200;

/// Vectors c by variable, in units of the sizes of the variables: orthonormal columns that span them.
using Integrals = DenseMatrix;

inline Integrals meet(const Integrals& a, const Integrals& b) {
  const DenseMatrix outside_a = linalg::rank_bases(a, {.equilibrate = false}).corange;
  const DenseMatrix outside_b = linalg::rank_bases(b, {.equilibrate = false}).corange;
  return linalg::rank_bases(beside(outside_a, outside_b), {.equilibrate = false}).corange;
}

/// Those without the variables that are marked.
inline Integrals without(const Integrals& all, const std::vector<bool>& is_marked) {
  DenseMatrix marked(all.rows(), 0);
  for (std::size_t v = 0; v < is_marked.size(); ++v) {
    if (is_marked[v]) {
      DenseMatrix unit(all.rows(), 1);
      unit(static_cast<Index>(v), 0) = 1.0;
      marked = beside(marked, unit);
    }
  }
  return marked.columns() == 0 ? all : meet(all, linalg::rank_bases(marked).corange);
}

/// Points of one structure: what w must be orthogonal to, and ∂F/∂ẋ at the first.
class StructurePoints {
 public:
  StructurePoints(std::shared_ptr<const system::LockedDae> locked, std::span<const double> sizes)
      : locked_(std::move(locked)), written_(system::written_coefficients(*locked_)), sizes_(sizes) {
    if (written_ == nullptr) {
      return;
    }
    const std::vector<system::SlotInfo>& slots = written_->equations->slots();
    const system::RectangularPattern& pattern = written_->equations->pattern();
    std::map<Index, std::size_t> highest;
    for (std::size_t j = 0; j < slots.size(); ++j) {
      if (pattern.column_starts[j] < pattern.column_starts[j + 1]) {
        const auto place = highest.emplace(slots[j].variable, j).first;
        place->second = slots[j].order > slots[place->second].order ? j : place->second;
      }
    }
    is_rate_.assign(slots.size(), false);
    for (const auto& [variable, slot] : highest) {
      is_rate_[slot] = slots[slot].order > 0;
    }
    runner_ = written_->equations->make_runner();
  }

  [[nodiscard]] bool is_usable() const {
    return written_ != nullptr && written_->equations->n_rows() <= kMostEquations;
  }
  [[nodiscard]] bool has_enough() const {
    return is_usable() && std::ssize(columns_) >= 4 * written_->equations->n_rows() + 20;
  }

  void add(const system::Configuration& configuration, double t, const std::vector<double>& values,
           std::mt19937& random) {
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    // Half of the points are near the trajectory; the others show terms that are small there.
    const bool is_wide = random() % 2 == 0;
    const std::vector<system::SlotInfo>& slots = written_->equations->slots();
    std::vector<double> at(slots.size());
    std::vector<double> rates(slots.size(), 0.0);
    for (std::size_t j = 0; j < slots.size(); ++j) {
      const auto v = static_cast<std::size_t>(slots[j].variable);
      const double value = slots[j].order == 0 && !std::isnan(values[v]) ? values[v] : 0.0;
      const double range =
          is_wide ? std::max(sizes_[v], slots[j].nominal) : 0.3 * std::abs(value) + 0.03 * sizes_[v];
      at[j] = is_rate_[j] ? 0.0 : value + range * unit(random);
      rates[j] = is_rate_[j] ? sizes_[v] * unit(random) : 0.0;
    }
    runner_->set_configuration(configuration);
    const auto n = static_cast<std::size_t>(written_->equations->n_rows());
    std::vector<double> still(n);
    std::vector<double> moving(n);
    std::vector<double> entries(written_->equations->pattern().n_entries());
    if (!runner_->residual(t, at, still).ok() || !runner_->jacobian(t, at, entries).ok()) {
      return;
    }
    for (std::size_t j = 0; j < slots.size(); ++j) {
      at[j] += rates[j];
    }
    if (!runner_->residual(t, at, moving).ok()) {
      return;
    }
    if (columns_.empty()) {
      entries_ = entries;
    }
    columns_.push_back(still);
    for (std::size_t i = 0; i < n; ++i) {
      moving[i] -= still[i];
    }
    for_each_rate(
        [&](std::size_t slot, std::size_t row, double entry) { moving[row] -= entry * rates[slot]; });
    columns_.push_back(std::move(moving));
  }

  /// c of all w.
  [[nodiscard]] Integrals integrals() const {
    const Index n = written_->equations->n_rows();
    const std::vector<system::SlotInfo>& slots = written_->equations->slots();
    DenseMatrix rates(n, std::ssize(sizes_));  // ∂F/∂ẋ by variable, in units of sizes
    DenseMatrix others(n, std::ssize(slots));  // … of derivatives that are no variables of the trajectory
    for_each_rate([&](std::size_t slot, std::size_t row, double entry) {
      const Index v = slots[slot].variable;
      const double scaled = entry * sizes_[static_cast<std::size_t>(v)];
      if (slots[slot].order == 1) {
        rates(static_cast<Index>(row), v) += scaled;
      } else {
        others(static_cast<Index>(row), static_cast<Index>(slot)) += scaled;
      }
    });
    DenseMatrix points(n, std::ssize(columns_));
    for (Index k = 0; k < points.columns(); ++k) {
      for (Index i = 0; i < n; ++i) {
        points(i, k) = columns_[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
      }
    }
    DenseMatrix all = beside(points, others);
    std::vector<double> scale(static_cast<std::size_t>(n), 0.0);  // a row in units of its terms
    for (const DenseMatrix* matrix : {&all, &rates}) {
      for (Index k = 0; k < matrix->columns(); ++k) {
        for (Index i = 0; i < n; ++i) {
          double& size = scale[static_cast<std::size_t>(i)];
          size = std::max(size, std::abs((*matrix)(i, k)));
        }
      }
    }
    for (DenseMatrix* matrix : {&all, &rates}) {
      for (Index k = 0; k < matrix->columns(); ++k) {
        for (Index i = 0; i < n; ++i) {
          const double size = scale[static_cast<std::size_t>(i)];
          (*matrix)(i, k) /= size > 0.0 ? size : 1.0;
        }
      }
    }
    const DenseMatrix w =
        linalg::rank_bases(all, {.method = linalg::RankMethod::pivoted_qr, .equilibrate = false}).corange;
    return linalg::rank_bases(transpose_times(rates, w), {.equilibrate = false, .reference = 1.0}).range;
  }

 private:
  template <class Visit>
  void for_each_rate(Visit visit) const {
    const system::RectangularPattern& pattern = written_->equations->pattern();
    for (std::size_t j = 0; j < is_rate_.size(); ++j) {
      for (Index e = pattern.column_starts[j]; is_rate_[j] && e < pattern.column_starts[j + 1]; ++e) {
        visit(j, static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)]),
              entries_[static_cast<std::size_t>(e)]);
      }
    }
  }

  std::shared_ptr<const system::LockedDae> locked_;
  std::shared_ptr<const system::WrittenCoefficients> written_;
  std::span<const double> sizes_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<bool> is_rate_;  // by slot: the highest derivative of a variable
  std::vector<double> entries_;
  std::vector<std::vector<double>> columns_;
};

/// A model, its run, and what each of its modes keeps.
class IntegralsOfModel {
 public:
  explicit IntegralsOfModel(const std::string& text, bool has_modes)
      : run_(run_of(text, has_modes)),
        system_(program::test::build_text(text, has_modes ? lang::Dialect::saltus : lang::Dialect::modelica)
                    .value()) {
    const std::size_t n = run_.result.variables.size();
    sizes_.assign(n, 0.0);
    for (const RowRecord& row : run_.rows) {
      for (std::size_t v = 0; v < n; ++v) {
        sizes_[v] = std::isnan(row.values[v]) ? sizes_[v] : std::max(sizes_[v], std::abs(row.values[v]));
      }
    }
    for (std::size_t v = 0; v < n; ++v) {
      sizes_[v] = sizes_[v] > 0.0 ? sizes_[v] : run_.result.variables[v].nominal;
    }
    for (std::size_t m = 0; m < system_->modes().size(); ++m) {
      find_integrals(m);
    }
  }

  [[nodiscard]] const HybridRun& run() const { return run_; }
  /// Modes that imply something.
  [[nodiscard]] const std::map<std::string, Integrals>& integrals() const { return integrals_; }
  /// Modes with too many equations, or with too few points where all of them have a value.
  [[nodiscard]] const std::vector<std::string>& skipped() const { return skipped_; }
  /// By variable: a body gives it a value.
  [[nodiscard]] const std::vector<bool>& given() const { return is_given_; }

  /// The worst of c·(b - a), in units of the sizes.
  [[nodiscard]] double difference(const Integrals& integrals, const RowRecord& a, const RowRecord& b) const {
    double worst = 0.0;
    for (Index k = 0; k < integrals.columns(); ++k) {
      double sum = 0.0;
      for (std::size_t v = 0; v < sizes_.size(); ++v) {
        const double c = integrals(static_cast<Index>(v), k);
        sum += std::abs(c) > kNoCoefficient ? c * (b.values[v] - a.values[v]) / sizes_[v] : 0.0;
      }
      worst = !(std::abs(sum) <= worst) ? std::abs(sum) : worst;
    }
    return worst;
  }

  /// As formulas, by elimination.
  [[nodiscard]] std::vector<std::string> texts(const Integrals& integrals) const {
    DenseMatrix rows = integrals.transposed();
    std::vector<std::string> found;
    for (Index k = 0; k < rows.rows(); ++k) {
      Index pivot = 0;
      for (Index v = 0; v < rows.columns(); ++v) {
        pivot = std::abs(rows(k, v)) > std::abs(rows(k, pivot)) ? v : pivot;
      }
      for (Index other = 0; other < rows.rows(); ++other) {
        const double factor = rows(other, pivot) / rows(k, pivot);
        for (Index v = 0; other != k && v < rows.columns(); ++v) {
          rows(other, v) -= factor * rows(k, v);
        }
      }
    }
    for (Index k = 0; k < rows.rows(); ++k) {
      double unit = 0.0;
      double largest = 0.0;
      for (Index v = 0; v < rows.columns(); ++v) {
        largest = std::max(largest, std::abs(rows(k, v)));
      }
      std::string text;
      for (Index v = 0; v < rows.columns(); ++v) {
        if (std::abs(rows(k, v)) > kNoCoefficient * largest) {
          const double factor = rows(k, v) / sizes_[static_cast<std::size_t>(v)];
          unit = unit == 0.0 ? factor : unit;
          char number[40];
          std::snprintf(number, sizeof number, "%.6g*", factor / unit);
          text += (text.empty() ? "" : " + ") + std::string(number) +
                  run_.result.variables[static_cast<std::size_t>(v)].name;
        }
      }
      found.push_back(text);
    }
    return found;
  }

 private:
  static HybridRun run_of(const std::string& text, bool has_modes) {
    const auto model = Model::from_text(has_modes ? "test.saltus" : "test.mo", text);
    Collector collector;
    SimulationOptions options = options_of({{"tolerance", number(kIntegralTolerance)}});
    options.sink = &collector;
    HybridRun run;
    run.result = simulate(model.value(), options).value();
    run.events = collector.take_events();
    run.rows = collector.take_rows();
    return run;
  }

  /// Over all structures that random sides show beside the discrete values of the rows.
  void find_integrals(std::size_t mode) {
    std::vector<const RowRecord*> rows;
    for (const RowRecord& row : run_.rows) {
      if (row.mode == system_->modes()[mode].name) {
        rows.push_back(&row);
      }
    }
    if (rows.empty()) {
      return;
    }
    is_given_.resize(sizes_.size(), false);
    std::mt19937 random(static_cast<unsigned>(mode + 1));
    std::map<Index, StructurePoints> structures;
    constexpr std::size_t kPoints = 3000;
    for (std::size_t k = 0; k < kPoints; ++k) {
      const RowRecord& row = *rows[random() % rows.size()];
      const system::Configuration configuration = some_configuration(mode, row, random);
      const system::StructureId id = system_->structure_of(configuration);
      auto place = structures.find(id.number);
      if (place == structures.end()) {
        auto locked = system_->lock(id);
        if (!locked) {
          continue;  // a combination of sides without a system is never entered
        }
        note_given(id);
        place = structures.try_emplace(id.number, *locked, sizes_).first;
      }
      if (place->second.is_usable() && !place->second.has_enough()) {
        place->second.add(configuration, row.time, row.values, random);
      }
    }
    std::optional<Integrals> all;
    for (const auto& [number, structure] : structures) {
      if (!structure.has_enough()) {
        skipped_.push_back(system_->modes()[mode].name);
        return;
      }
      all = all ? meet(*all, structure.integrals()) : structure.integrals();
    }
    if (all && all->columns() > 0) {
      integrals_.emplace(system_->modes()[mode].name, *all);
    }
  }

  [[nodiscard]] system::Configuration some_configuration(std::size_t mode, const RowRecord& row,
                                                         std::mt19937& random) const {
    system::Configuration configuration;
    configuration.mode = ModeId(mode);
    for (const system::GuardInfo& guard : system_->guards()) {
      const bool is_relation = guard.kind == system::GuardInfo::Kind::relation;
      configuration.latched.push_back(is_relation ? (random() % 2 == 0 ? 1.0 : -1.0)
                                                  : static_cast<double>(random() % 3));
    }
    for (const Index variable : system_->discrete()) {
      configuration.discrete.push_back(row.values[static_cast<std::size_t>(variable)]);
    }
    return configuration;
  }

  void note_given(const system::StructureId& id) {
    const auto rounds = system_->rounds(id);
    const auto jumps = rounds && *rounds ? (*rounds)->jump_equations() : nullptr;
    if (jumps == nullptr) {
      return;
    }
    const auto note = [&](Index slot) {
      is_given_[static_cast<std::size_t>(
          jumps->equations->slots()[static_cast<std::size_t>(slot)].variable)] = true;
    };
    for (const system::JumpEquations::Jumping& jumping : jumps->jumping) {
      note(jumping.slot);
    }
    for (const system::JumpEquations::Row& row : jumps->rows) {
      if (row.state >= 0) {
        note(row.state);
      }
    }
  }

  HybridRun run_;
  std::shared_ptr<const system::HybridSystem> system_;
  std::vector<double> sizes_;
  std::map<std::string, Integrals> integrals_;
  std::vector<std::string> skipped_;
  std::vector<bool> is_given_;
};

}  // namespace saltus::test

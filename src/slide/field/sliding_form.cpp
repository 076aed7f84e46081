#include "slide/field/sliding_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/archive.hpp"
#include "reduce/nonlinear/probes.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

class SlidingRunner final : public system::EquationRunner {
 public:
  SlidingRunner(const SlidingForm& form, system::Evaluator& evaluator,
                std::unique_ptr<system::Evaluator> owned = nullptr)
      : form_(form),
        owned_(std::move(owned)),
        evaluator_(evaluator),
        inner_(*evaluator.residual_runner()),
        slots_(form.n_inner() + form.n_states()),
        values_(form.n_inner()),
        moved_values_(form.n_inner()),
        entries_(form.inner().pattern().n_entries()),
        rates_(evaluator, form.slots(), form.n_states()) {}

  void set_configuration(const system::Configuration& configuration) override {
    evaluator_.set_configuration(configuration);
  }
  void set_latched(Index guard, double value) override { evaluator_.set_latched(guard, value); }

  Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    take(slots);
    if (const Evaluation evaluation = inner_.residual(t, slots_, values.first(form_.n_inner()));
        !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t k = 0; k < form_.surfaces().size(); ++k) {
      if (!rates_.value(form_.surfaces()[k].row, t, states(), slopes(), values[form_.n_inner() + k])) {
        return not_finite(k);
      }
    }
    return {};
  }

  Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    take(slots);
    if (const Evaluation evaluation = inner_.jacobian(t, slots_, entries_); !evaluation.ok()) {
      return evaluation;
    }
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      entries[static_cast<std::size_t>(form_.inner_places()[e])] = entries_[e];
    }
    for (std::size_t k = 0; k < form_.surfaces().size(); ++k) {
      if (!rates_.fill(form_.surfaces()[k].row, t, states(), slopes(), entries)) {
        return not_finite(k);
      }
    }
    return fill_weights(t, slots, entries);
  }

  void fields(Archive& a) override {
    // Not saved: owned_.
    if (owned_ != nullptr) {
      a.refuse("an evaluator of its own is not saved");
    }
    a(slots_, values_, moved_values_, entries_, rates_);
  }

 private:
  [[nodiscard]] std::span<const double> states() const {
    return std::span<const double>(slots_).first(form_.n_states());
  }
  [[nodiscard]] std::span<const double> slopes() const {
    return std::span<const double>(slots_).subspan(form_.n_inner());
  }
  [[nodiscard]] Evaluation not_finite(std::size_t surface) const {
    return {Evaluation::Status::not_finite, static_cast<Index>(form_.n_inner() + surface)};
  }

  // Slots and weights of the mode's equations.
  void take(std::span<const double> slots) {
    const std::size_t n_surfaces = form_.surfaces().size();
    const auto rest = std::copy_n(slots.begin(), form_.n_inner(), slots_.begin());
    std::copy(slots.begin() + static_cast<std::ptrdiff_t>(form_.n_inner() + n_surfaces), slots.end(), rest);
    for (std::size_t k = 0; k < n_surfaces; ++k) {
      inner_.set_latched(form_.surfaces()[k].row.guard, slots[form_.n_inner() + k]);
    }
  }

  // ∂r/∂s: a residual for each group.
  Evaluation fill_weights(double t, std::span<const double> slots, std::span<double> entries) {
    if (const Evaluation evaluation = inner_.residual(t, slots_, values_); !evaluation.ok()) {
      return evaluation;
    }
    const std::span<const double> weights = slots.subspan(form_.n_inner(), form_.surfaces().size());
    for (const std::vector<std::size_t>& group : form_.groups()) {
      bool is_known = move_weights(group, weights, t, 1.0);
      // Half the range away there may be no value.
      const double part = is_known ? 1.0 : reduce::kWeightDifference;
      is_known = is_known || move_weights(group, weights, t, part);
      for (const std::size_t k : group) {
        const SlidingForm::Surface& surface = form_.surfaces()[k];
        inner_.set_latched(surface.row.guard, weights[k]);
        const double step = moved_weight(surface, weights[k], part) - weights[k];
        for (std::size_t i = 0; i < surface.rows.size(); ++i) {
          const auto row = static_cast<std::size_t>(surface.rows[i]);
          entries[static_cast<std::size_t>(surface.weight_place) + i] =
              (moved_values_[row] - values_[row]) / step;
        }
      }
      if (!is_known) {
        return not_finite(group.front());
      }
    }
    return {};
  }
  [[nodiscard]] static double moved_weight(const SlidingForm::Surface& surface, double weight, double part) {
    return weight + std::copysign(surface.is_affine ? part : reduce::kWeightDifference, -weight);
  }
  [[nodiscard]] bool move_weights(const std::vector<std::size_t>& group, std::span<const double> weights,
                                  double t, double part) {
    for (const std::size_t k : group) {
      inner_.set_latched(form_.surfaces()[k].row.guard, moved_weight(form_.surfaces()[k], weights[k], part));
    }
    return inner_.residual(t, slots_, moved_values_).ok();
  }

  const SlidingForm& form_;
  std::unique_ptr<system::Evaluator> owned_;
  system::Evaluator& evaluator_;
  system::EquationRunner& inner_;
  std::vector<double> slots_;  // of the mode's equations
  std::vector<double> values_;
  std::vector<double> moved_values_;
  std::vector<double> entries_;
  SurfaceRates rates_;
};

}  // namespace

std::shared_ptr<const SlidingForm> SlidingForm::make(std::shared_ptr<const system::LockedDae> locked,
                                                     const system::Evaluator& evaluator,
                                                     std::span<const Index> surfaces,
                                                     std::span<const system::GuardInfo> guards) {
  std::shared_ptr<const system::EquationSet> inner = locked->residual_form();
  if (inner == nullptr) {
    return nullptr;
  }
  std::vector<Surface> list;
  for (const Index guard : surfaces) {
    const system::GuardInfo& info = guards[static_cast<std::size_t>(guard)];
    std::optional<SurfaceRow> row = surface_row(evaluator, info, guard);
    if (!row) {
      return nullptr;
    }
    Surface& surface = list.emplace_back();
    surface.row = *std::move(row);
    surface.is_affine = info.is_affine_in_weight;
    surface.rows = inner->rows_over(guard);
  }
  return std::shared_ptr<const SlidingForm>(
      new SlidingForm(std::move(locked), std::move(inner), std::move(list)));
}

SlidingForm::SlidingForm(std::shared_ptr<const system::LockedDae> locked,
                         std::shared_ptr<const system::EquationSet> inner, std::vector<Surface> surfaces)
    : locked_(std::move(locked)), inner_(std::move(inner)), surfaces_(std::move(surfaces)) {
  list_slots();
  build_pattern();
  group_surfaces();
}

void SlidingForm::list_slots() {
  const auto y_end = inner_->slots().begin() + inner_->n_rows();
  slots_.assign(inner_->slots().begin(), y_end);
  for (const Surface& surface : surfaces_) {
    slots_.push_back({.name = "the weight on " + surface.row.text + " = 0"});
  }
  slots_.insert(slots_.end(), y_end, inner_->slots().end());
}

const std::vector<system::RowInfo>& SlidingForm::rows() const {
  std::call_once(rows_described_, [this] {
    rows_ = inner_->rows();
    for (const Surface& surface : surfaces_) {
      rows_.push_back({.text = "der(" + surface.row.text + ") = 0"});
    }
  });
  return rows_;
}

// Columns of the mode, those of x and ẋ with the rows of the surfaces at their ends; the weights between y and ẏ.
void SlidingForm::build_pattern() {
  const system::RectangularPattern& inner = inner_->pattern();
  const Index n_inner = inner.n_rows;
  std::vector<std::vector<std::size_t>> readers(n_states());
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    for (const Index state : surfaces_[k].row.states) {
      readers[static_cast<std::size_t>(state)].push_back(k);
    }
  }
  pattern_ = {n_inner + static_cast<Index>(surfaces_.size()),
              inner.n_columns + static_cast<Index>(surfaces_.size()),
              {0},
              {}};
  const auto place = [this] { return static_cast<Index>(pattern_.rows.size()); };
  const auto copy_column = [&](Index column) {
    const auto j = static_cast<std::size_t>(column);
    for (Index e = inner.column_starts[j]; e < inner.column_starts[j + 1]; ++e) {
      inner_places_.push_back(place());
      pattern_.rows.push_back(inner.rows[static_cast<std::size_t>(e)]);
    }
  };
  const auto add_surface = [&](std::size_t k, std::vector<Index>& places) {
    places.push_back(place());
    pattern_.rows.push_back(n_inner + static_cast<Index>(k));
  };
  for (Index column = 0; column < n_inner; ++column) {
    copy_column(column);
    if (static_cast<std::size_t>(column) < n_states()) {
      for (const std::size_t k : readers[static_cast<std::size_t>(column)]) {
        if (!surfaces_[k].row.is_linear) {
          add_surface(k, surfaces_[k].row.at_state);
        }
      }
    }
    pattern_.column_starts.push_back(place());
  }
  for (Surface& surface : surfaces_) {
    surface.weight_place = place();
    pattern_.rows.insert(pattern_.rows.end(), surface.rows.begin(), surface.rows.end());
    pattern_.column_starts.push_back(place());
  }
  for (std::size_t state = 0; state < n_states(); ++state) {
    copy_column(n_inner + static_cast<Index>(state));
    for (const std::size_t k : readers[state]) {
      add_surface(k, surfaces_[k].row.at_rate);
    }
    pattern_.column_starts.push_back(place());
  }
}

void SlidingForm::group_surfaces() {
  std::vector<std::vector<std::uint8_t>> taken;  // by group, by row
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    const std::vector<Index>& rows = surfaces_[k].rows;
    std::size_t group = 0;
    while (group < taken.size() && std::any_of(rows.begin(), rows.end(), [&](Index row) {
             return taken[group][static_cast<std::size_t>(row)] != 0;
           })) {
      ++group;
    }
    if (group == taken.size()) {
      taken.emplace_back(n_inner(), std::uint8_t{0});
      groups_.emplace_back();
    }
    groups_[group].push_back(k);
    for (const Index row : rows) {
      taken[group][static_cast<std::size_t>(row)] = 1;
    }
  }
}

bool SlidingForm::is_of(std::span<const Index> surfaces) const {
  return std::equal(surfaces_.begin(), surfaces_.end(), surfaces.begin(), surfaces.end(),
                    [](const Surface& surface, Index guard) { return surface.row.guard == guard; });
}

std::vector<Index> SlidingForm::rows_over(Index guard) const {
  std::vector<Index> rows = inner_->rows_over(guard);
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    rows.push_back(static_cast<Index>(n_inner() + k));
  }
  return rows;
}

std::unique_ptr<system::EquationRunner> SlidingForm::make_runner() const {
  std::unique_ptr<system::Evaluator> evaluator = locked_->make_evaluator();
  system::Evaluator& reference = *evaluator;
  return std::make_unique<SlidingRunner>(*this, reference, std::move(evaluator));
}

std::unique_ptr<system::EquationRunner> SlidingForm::make_runner(system::Evaluator& evaluator) const {
  return std::make_unique<SlidingRunner>(*this, evaluator);
}

}  // namespace saltus::slide

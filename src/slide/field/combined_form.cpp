#include "slide/field/combined_form.hpp"

#include <algorithm>
#include <utility>

#include "base/archive.hpp"

namespace saltus::slide {
namespace {

using system::Evaluation;

class CombinedRunner final : public system::EquationRunner {
 public:
  using Owned = std::array<std::unique_ptr<system::Evaluator>, 2>;

  CombinedRunner(const CombinedForm& form, system::Evaluator& plus, system::Evaluator& minus, Owned owned)
      : form_(form),
        owned_(std::move(owned)),
        evaluators_{&plus, &minus},
        runners_{plus.residual_runner(), minus.residual_runner()},
        rates_(plus, form.slots(), form.n_states()) {
    for (std::size_t i = 0; i < 2; ++i) {
      slots_[i].resize(form.sides()[i].n_rows() + form.n_states());
      entries_[i].resize(form.sides()[i].equations->pattern().n_entries());
    }
  }

  void set_configuration(const system::Configuration& configuration) override {
    for (system::Evaluator* const evaluator : evaluators_) {
      evaluator->set_configuration(configuration);
    }
  }
  void set_latched(Index guard, double value) override {
    for (system::Evaluator* const evaluator : evaluators_) {
      evaluator->set_latched(guard, value);
    }
  }

  Evaluation residual(double t, std::span<const double> slots, std::span<double> values) override {
    for (std::size_t i = 0; i < 2; ++i) {
      const CombinedForm::Side& side = form_.sides()[i];
      take(i, slots);
      if (const Evaluation evaluation =
              runners_[i]->residual(t, slots_[i], values.subspan(side.first_row, side.n_rows()));
          !evaluation.ok()) {
        return of_side(side, evaluation);
      }
    }
    const double share = share_of(slots);
    const std::span<const double> xdot = slots.subspan(form_.n_y());
    for (std::size_t j = 0; j < form_.n_states(); ++j) {
      const double plus = slots[form_.sides()[0].first_slope + j];
      const double minus = slots[form_.sides()[1].first_slope + j];
      values[form_.first_combined() + j] = xdot[j] - minus - share * (plus - minus);
    }
    return rates_.value(form_.surface(), t, slots.first(form_.n_states()), xdot, values[form_.n_y() - 1])
               ? Evaluation{}
               : not_finite();
  }

  Evaluation jacobian(double t, std::span<const double> slots, std::span<double> entries) override {
    const double share = share_of(slots);
    for (std::size_t i = 0; i < 2; ++i) {
      const CombinedForm::Side& side = form_.sides()[i];
      take(i, slots);
      if (const Evaluation evaluation = runners_[i]->jacobian(t, slots_[i], entries_[i]); !evaluation.ok()) {
        return of_side(side, evaluation);
      }
      for (std::size_t e = 0; e < entries_[i].size(); ++e) {
        entries[static_cast<std::size_t>(side.places[e])] = entries_[i][e];
      }
      for (const Index place : side.share_places) {
        entries[static_cast<std::size_t>(place)] = i == 0 ? -share : share - 1.0;
      }
    }
    for (std::size_t j = 0; j < form_.n_states(); ++j) {
      const double plus = slots[form_.sides()[0].first_slope + j];
      const double minus = slots[form_.sides()[1].first_slope + j];
      entries[static_cast<std::size_t>(form_.weight_place()) + j] = -0.5 * (plus - minus);
      entries[static_cast<std::size_t>(form_.rate_places()[j])] = 1.0;
    }
    return rates_.fill(form_.surface(), t, slots.first(form_.n_states()), slots.subspan(form_.n_y()), entries)
               ? Evaluation{}
               : not_finite();
  }

  void fields(Archive& a) override {
    // Not saved: owned_, evaluators_, runners_.
    if (owned_[0] != nullptr) {
      a.refuse("an evaluator of its own is not saved");
    }
    a(slots_, entries_, rates_);
  }

 private:
  [[nodiscard]] double share_of(std::span<const double> slots) const {
    return 0.5 * (1.0 + slots[form_.n_y() - 1]);
  }
  [[nodiscard]] Evaluation not_finite() const {
    return {Evaluation::Status::not_finite, static_cast<Index>(form_.n_y() - 1)};
  }
  [[nodiscard]] static Evaluation of_side(const CombinedForm::Side& side, Evaluation evaluation) {
    evaluation.culprit += static_cast<Index>(side.first_row);
    return evaluation;
  }

  // (x, z, p) of one side; where both belong to one evaluator it is locked there for the next evaluation.
  void take(std::size_t i, std::span<const double> slots) {
    const CombinedForm::Side& side = form_.sides()[i];
    const std::size_t n = form_.n_states();
    auto next = std::copy_n(slots.begin(), n, slots_[i].begin());
    next = std::copy_n(slots.begin() + static_cast<std::ptrdiff_t>(side.first_algebraic), side.n_rows() - n,
                       next);
    std::copy_n(slots.begin() + static_cast<std::ptrdiff_t>(side.first_slope), n, next);
    if (form_.locks_sides()) {
      runners_[i]->set_latched(form_.surface().guard, side.side);
    }
  }

  const CombinedForm& form_;
  Owned owned_;
  std::array<system::Evaluator*, 2> evaluators_;
  std::array<system::EquationRunner*, 2> runners_;
  std::array<std::vector<double>, 2> slots_;
  std::array<std::vector<double>, 2> entries_;
  SurfaceRates rates_;
};

}  // namespace

std::shared_ptr<const CombinedForm> CombinedForm::make(const Modes& modes, const system::Evaluator& evaluator,
                                                       const system::GuardInfo& info, Index guard,
                                                       double level) {
  std::optional<SurfaceRow> surface = surface_row(evaluator, info, guard);
  if (!surface || modes[0]->residual_form() == nullptr || modes[1]->residual_form() == nullptr) {
    return nullptr;
  }
  return std::shared_ptr<const CombinedForm>(new CombinedForm(modes, *std::move(surface), level));
}

CombinedForm::CombinedForm(const Modes& modes, SurfaceRow surface, double level)
    : modes_(modes), n_states_(modes[0]->states().size()), surface_(std::move(surface)), level_(level) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    Side& side = sides_[i];
    side.equations = modes[i]->residual_form();
    side.side = i == 0 ? 1.0 : -1.0;
    side.first_row = row;
    side.first_algebraic = n_states_ + row;
    row += side.n_rows();
    side.first_slope = row;
  }
  list_slots();
  build_pattern();
}

void CombinedForm::list_slots() {
  const std::vector<system::SlotInfo>& plus = sides_[0].equations->slots();
  const auto n = static_cast<std::ptrdiff_t>(n_states_);
  slots_.assign(plus.begin(), plus.begin() + n);
  for (const Side& side : sides_) {
    slots_.insert(slots_.end(), side.equations->slots().begin() + n, side.equations->slots().end());
  }
  slots_.push_back({.name = "the weight on " + surface_.text});
  slots_.insert(slots_.end(), plus.end() - n, plus.end());
}

const std::vector<system::RowInfo>& CombinedForm::rows() const {
  std::call_once(rows_described_, [this] {
    for (const Side& side : sides_) {
      rows_.insert(rows_.end(), side.equations->rows().begin(), side.equations->rows().end());
    }
    for (std::size_t i = 0; i < n_states_; ++i) {
      const std::string& name = slots_[n_y() + i].name;
      rows_.push_back({.text = name + " = the combination of both sides"});
    }
    rows_.push_back({.text = "der(" + surface_.text + ") = 0"});
  });
  return rows_;
}

void CombinedForm::add_column(const Side& side, std::size_t column, std::vector<Index>& places) {
  const system::RectangularPattern& inner = side.equations->pattern();
  for (Index e = inner.column_starts[column]; e < inner.column_starts[column + 1]; ++e) {
    places[static_cast<std::size_t>(e)] = static_cast<Index>(pattern_.rows.size());
    pattern_.rows.push_back(static_cast<Index>(side.first_row) + inner.rows[static_cast<std::size_t>(e)]);
  }
}

void CombinedForm::build_pattern() {
  const std::size_t n_rows = sides_[1].first_row + sides_[1].n_rows() + n_states_ + 1;
  pattern_ = {static_cast<Index>(n_rows), static_cast<Index>(n_rows + n_states_), {0}, {}};
  const auto rate_row = static_cast<Index>(n_rows - 1);
  const auto add = [this](Index row) {
    pattern_.rows.push_back(row);
    return static_cast<Index>(pattern_.rows.size()) - 1;
  };
  const auto combined = [this](std::size_t state) { return static_cast<Index>(first_combined() + state); };
  const auto end_column = [this] {
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  };
  std::vector<std::uint8_t> is_read(n_states_, 0);
  for (const Index state : surface_.states) {
    is_read[static_cast<std::size_t>(state)] = 1;
  }
  for (Side& side : sides_) {
    side.places.resize(side.equations->pattern().n_entries());
  }
  for (std::size_t state = 0; state < n_states_; ++state) {
    for (Side& side : sides_) {
      add_column(side, state, side.places);
    }
    if (is_read[state] != 0 && !surface_.is_linear) {
      surface_.at_state.push_back(add(rate_row));
    }
    end_column();
  }
  for (Side& side : sides_) {
    for (std::size_t column = n_states_; column < side.n_rows() + n_states_; ++column) {
      add_column(side, column, side.places);
      if (column >= side.n_rows()) {
        side.share_places.push_back(add(combined(column - side.n_rows())));
      }
      end_column();
    }
  }
  weight_place_ = static_cast<Index>(pattern_.rows.size());
  for (std::size_t state = 0; state < n_states_; ++state) {
    add(combined(state));
  }
  end_column();
  for (std::size_t state = 0; state < n_states_; ++state) {
    rate_places_.push_back(add(combined(state)));
    if (is_read[state] != 0) {
      surface_.at_rate.push_back(add(rate_row));
    }
    end_column();
  }
}

std::unique_ptr<system::EquationRunner> CombinedForm::make_runner() const {
  CombinedRunner::Owned owned = {modes_[0]->make_evaluator(), modes_[1]->make_evaluator()};
  system::Evaluator& plus = *owned[0];
  system::Evaluator& minus = *owned[1];
  return std::make_unique<CombinedRunner>(*this, plus, minus, std::move(owned));
}

std::unique_ptr<system::EquationRunner> CombinedForm::make_runner(system::Evaluator& plus,
                                                                  system::Evaluator& minus) const {
  return std::make_unique<CombinedRunner>(*this, plus, minus, CombinedRunner::Owned{});
}

}  // namespace saltus::slide

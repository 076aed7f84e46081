#include "settle/enter/integrated_jump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/short_list.hpp"
#include "reduce/consistent/linear_rows.hpp"
#include "reduce/nonlinear/consistency.hpp"

namespace saltus::settle {
namespace {

// Each pass but the last takes an impulse away or moves a position; a law that needs more is refused, and the least change counts.
constexpr int kMostLawPasses = 8;
// Positions: states below those whose derivative is the highest (graded_transfer.hpp).
constexpr int kLastGradeOfPositions = -2;

using Places = std::unordered_map<system::Quantity, std::size_t, system::QuantityHash>;

Places places_of(std::span<const system::Quantity> quantities) {
  Places places;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    places.emplace(quantities[i], i);
  }
  return places;
}

}  // namespace

bool IntegratedJump::joins_different(const ModeData& target) {
  const Engine& left = *state_.at.mode().engine;
  if (target.engine == &left) {
    return false;
  }
  const std::vector<system::StateInfo>& states = target.locked->states();
  if (std::all_of(states.begin(), states.end(),
                  [](const system::StateInfo& info) { return info.aliases.empty(); })) {
    return false;
  }
  const Places places = places_of(left.quantities());
  const std::span<const double> x = state_.at.x();
  for (const system::StateInfo& info : states) {
    double value = std::numeric_limits<double>::quiet_NaN();
    const auto differs = [&](const system::Quantity& quantity, double sign) {
      const auto place = places.find(quantity);
      if (place == places.end()) {
        return false;
      }
      const double other = sign * x[place->second];
      const bool is_other = !std::isnan(value) && reduce::has_moved(value, other, info.nominal);
      value = other;
      return is_other;
    };
    bool is_different = differs(info.quantity, 1.0);
    for (const system::StateInfo::Alias& alias : info.aliases) {
      is_different = differs(alias.quantity, alias.sign) || is_different;
    }
    if (is_different) {
      return true;
    }
  }
  return false;
}

void IntegratedJump::begin() {
  passes_ = 0;
  is_accepted_ = false;
  is_determined_ = false;
  law_.reset();
  coefficients_.reset();
  impulses_.clear();
}

double IntegratedJump::before(const system::Quantity& quantity) const {
  return quantity.order == 0 ? state_.values[static_cast<std::size_t>(quantity.variable)]
                             : std::numeric_limits<double>::quiet_NaN();
}

// Which state each differential variable is, and what it was.
bool IntegratedJump::find_written(const ModeData& target) {
  coefficients_ = system::written_coefficients(*target.locked);
  if (coefficients_ == nullptr) {
    return false;
  }
  law_.emplace(coefficients_);
  const Engine& left = *state_.at.mode().engine;
  const Places left_places = places_of(left.quantities());
  quantities_ = target.engine->quantities();
  std::unordered_map<system::Quantity, std::pair<std::size_t, double>, system::QuantityHash> state_of;
  const std::vector<system::StateInfo>& states = target.locked->states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    state_of.emplace(target.engine->quantities()[i], std::pair(i, 1.0));
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      state_of.emplace(alias.quantity, std::pair(i, alias.sign));
    }
  }
  const std::vector<system::SlotInfo>& slots = coefficients_->equations->slots();
  slots_.assign(slots.size(), 0.0);
  jumps_.assign(slots.size(), 0);
  written_.clear();
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const auto place = left_places.find(slots[j].quantity());
    const double value =
        place != left_places.end() ? state_.at.x()[place->second] : before(slots[j].quantity());
    slots_[j] = std::isnan(value) ? 0.0 : value;
    if (!law_->is_below(j)) {
      continue;
    }
    const auto state = state_of.find(slots[j].quantity());
    if (state == state_of.end()) {
      return false;
    }
    written_.push_back({j, state->second.first, state->second.second, value});
  }
  return true;
}

bool IntegratedJump::pose(const ModeData& target, const system::Configuration& configuration, double t,
                          std::span<const double> x_entry) {
  if (passes_++ == 0) {
    moved_to_.assign(x_entry.size(), std::numeric_limits<double>::quiet_NaN());
    configuration_ = configuration;
    t_ = t;
    if (!find_written(target)) {
      return false;
    }
    for (Written& written : written_) {
      if (std::isnan(written.before)) {
        written.before = written.sign * x_entry[written.state];
        slots_[written.slot] = std::isnan(written.before) ? 0.0 : written.before;
      }
    }
  }
  return passes_ <= kMostLawPasses && law_->pose(configuration_, t_, slots_, jumps_) &&
         take_rows(target, x_entry);
}

bool IntegratedJump::take_rows(const ModeData& target, std::span<const double> x_entry) {
  const Engine& engine = *target.engine;
  std::vector<const Written*> written_of(slots_.size(), nullptr);
  for (const Written& written : written_) {
    written_of[written.slot] = &written;
  }
  std::vector<double> given(x_entry.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<reduce::LinearRow> rows;
  for (const reduce::SparseRow& conserved : law_->conserved()) {
    reduce::LinearRow row;
    reduce::SparseRow sizes;
    double size = 0.0;
    for (const auto& [slot, factor] : conserved) {
      const Written& written = *written_of[static_cast<std::size_t>(slot)];
      const auto state = static_cast<Index>(written.state);
      row.terms[state] += written.sign * factor;
      sizes[state] += std::abs(factor);
      row.right += factor * written.before;
      size += std::abs(factor) * std::max(std::abs(written.before), engine.nominal()[written.state]);
    }
    if (std::isnan(row.right)) {
      continue;  // something had no value before
    }
    std::erase_if(row.terms, [&](const auto& term) {
      return std::abs(term.second) <= reduce::kRoundedAway * sizes[term.first];
    });
    if (row.terms.empty()) {
      if (std::abs(row.right) > reduce::kMoved * size) {
        return false;
      }
    } else if (row.terms.size() == 1) {
      const auto i = static_cast<std::size_t>(row.terms.begin()->first);
      const double value = row.right / row.terms.begin()->second;
      if (!std::isnan(given[i]) && reduce::has_moved(given[i], value, engine.nominal()[i])) {
        return false;
      }
      given[i] = value;
    } else {
      double largest = 0.0;
      for (const auto& [state, factor] : row.terms) {
        largest = std::max(largest, std::abs(factor) * engine.nominal()[static_cast<std::size_t>(state)]);
      }
      for (auto& term : row.terms) {
        term.second /= largest;
      }
      row.right /= largest;
      row.info.text = "the equations integrated over the instant";
      rows.push_back(std::move(row));
    }
  }
  x_held_.assign(x_entry.begin(), x_entry.end());
  may_jump_.assign(x_entry.size(), 1);
  std::vector<system::SlotInfo> slots;
  for (std::size_t i = 0; i < x_entry.size(); ++i) {
    slots.push_back({engine.names()[i], engine.quantities()[i].variable, engine.quantities()[i].order,
                     engine.nominal()[i]});
    if (!std::isnan(given[i])) {
      may_jump_[i] = 0;
      const double value = std::isnan(moved_to_[i]) ? given[i] : moved_to_[i];
      x_held_[i] = reduce::has_moved(x_entry[i], value, engine.nominal()[i]) ? value : x_entry[i];
    }
  }
  rows_.clear();
  for (const reduce::LinearRow& row : rows) {
    rows_.push_back(row.terms);
  }
  auto equations = std::make_shared<system::JumpEquations>();
  equations->equations = reduce::make_linear_rows(std::move(slots), rows);
  equations->rows.resize(rows.size());
  equations_ = std::move(equations);
  return true;
}

IntegratedJump::Verdict IntegratedJump::judge(const ModeData& target, const system::EquationSet* constraints,
                                              std::span<const double> slots, std::span<const double> x,
                                              std::span<const int> grade) {
  const std::vector<double>& nominal = target.engine->nominal();
  bool asks_again = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (may_jump_[i] != 0 || !reduce::has_moved(x_held_[i], x[i], nominal[i])) {
      continue;
    }
    if (grade.empty() || grade[i] > kLastGradeOfPositions) {
      return Verdict::refused;
    }
    moved_to_[i] = x[i];
    asks_again = true;
  }
  const std::vector<std::uint8_t> bounded = law_->bounded();
  std::vector<std::uint8_t> has_moved(x.size(), 0);
  for (const Written& written : written_) {
    const double after = written.sign * x[written.state];
    const bool is_moved = reduce::has_moved(written.before, after, nominal[written.state]);
    if (is_moved && !std::isnan(moved_to_[written.state])) {
      slots_[written.slot] = after;
    } else if (is_moved) {
      jumps_[written.slot] = 1;
      has_moved[written.state] = may_jump_[written.state];
    }
  }
  if (!asks_again && !law_->pose(configuration_, t_, slots_, jumps_)) {
    return Verdict::refused;
  }
  if (asks_again || bounded != law_->bounded()) {
    return Verdict::again;
  }
  is_accepted_ = true;
  is_determined_ = !has_open(constraints, slots, has_moved) &&
                   std::all_of(moved_to_.begin(), moved_to_.end(), [](double to) { return std::isnan(to); });
  find_impulses(x);
  return Verdict::accepted;
}

// Whether constraints and rows leave a choice for something that has moved: the states that are held being known.
bool IntegratedJump::has_open(const system::EquationSet* constraints, std::span<const double> slots,
                              std::span<const std::uint8_t> has_moved) const {
  std::vector<reduce::SparseRow> rows = rows_;
  std::vector<std::uint8_t> is_unknown(may_jump_.begin(), may_jump_.end());
  if (constraints != nullptr) {
    const system::RectangularPattern& pattern = constraints->pattern();
    std::vector<double> entries(pattern.n_entries());
    const auto runner = constraints->make_runner();
    runner->set_configuration(configuration_);
    if (!runner->jacobian(t_, slots.first(static_cast<std::size_t>(pattern.n_columns)), entries).ok()) {
      return true;
    }
    const Places states = places_of(quantities_);
    const std::size_t first = rows.size();
    rows.resize(first + static_cast<std::size_t>(pattern.n_rows));
    for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.n_columns); ++j) {
      const auto state = states.find(constraints->slots()[j].quantity());
      const auto column = static_cast<Index>(state != states.end() ? state->second : is_unknown.size());
      if (state == states.end()) {
        is_unknown.push_back(1);
      }
      for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
        const auto place = static_cast<std::size_t>(e);
        if (entries[place] != 0.0) {
          rows[first + static_cast<std::size_t>(pattern.rows[place])].emplace(column, entries[place]);
        }
      }
    }
  }
  std::vector<double> values(is_unknown.size(), 0.0);
  reduce::SparseElimination(std::move(rows), std::move(is_unknown)).solve(values);
  for (std::size_t i = 0; i < has_moved.size(); ++i) {
    if (has_moved[i] != 0 && std::isnan(values[i])) {
      return true;
    }
  }
  return false;
}

void IntegratedJump::find_impulses(std::span<const double> x) {
  std::vector<double> jumps(slots_.size(), 0.0);
  for (const Written& written : written_) {
    jumps[written.slot] = jumps_[written.slot] != 0 ? written.sign * x[written.state] - written.before : 0.0;
  }
  const std::vector<double> sizes = law_->impulses(jumps);
  double largest = 0.0;
  for (const double size : sizes) {
    largest = std::isnan(size) ? largest : std::max(largest, std::abs(size));
  }
  impulses_.clear();
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    if (!std::isnan(sizes[j]) && std::abs(sizes[j]) > reduce::kMoved * largest) {
      impulses_.push_back({coefficients_->equations->slots()[j].name, sizes[j]});
    }
  }
}

std::string IntegratedJump::text() const {
  ShortList list;
  for (const Impulse& impulse : impulses_) {
    list.add(fmt::format("impulse {} = {:.6g}", impulse.name, impulse.size));
  }
  const std::string_view rule = "by the equations integrated over the instant";
  return list.size() == 0 ? std::string(rule) : fmt::format("{} ({})", rule, list.text());
}

bool IntegratedJump::follows(const system::Quantity& quantity) const {
  return is_accepted_ && is_determined_ &&
         std::any_of(written_.begin(), written_.end(), [&](const Written& written) {
           return coefficients_->equations->slots()[written.slot].quantity() == quantity;
         });
}

}  // namespace saltus::settle

#include "settle/enter/integrated_jump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/short_list.hpp"
#include "reduce/consistent/law_positions.hpp"
#include "reduce/consistent/linear_rows.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "settle/enter/orders_as_written.hpp"

namespace saltus::settle {
namespace {

// Each pass but the last takes an impulse away or moves positions; a law that needs more is refused, and the least change counts.
constexpr int kMostLawPasses = 8;

using PlaceOfQuantity = std::unordered_map<system::Quantity, std::size_t, system::QuantityHash>;

PlaceOfQuantity places_of(std::span<const system::Quantity> quantities) {
  PlaceOfQuantity places;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    places.emplace(quantities[i], i);
  }
  return places;
}

}  // namespace

std::vector<std::uint8_t> IntegratedJump::joined(const ModeData& target) const {
  const Engine& left = *state_.at.mode().engine;
  if (target.engine == &left && target.structure == state_.at.mode().structure) {
    return {};
  }
  const std::vector<system::StateInfo>& states = target.locked->states();
  if (std::all_of(states.begin(), states.end(),
                  [](const system::StateInfo& info) { return info.aliases.empty(); })) {
    return {};
  }
  const PlaceOfQuantity places = places_of(left.quantities());
  const OrdersAsWritten orders(*target.locked);
  const std::span<const double> x = state_.at.x();
  std::vector<std::uint8_t> flags;
  for (std::size_t i = 0; i < states.size(); ++i) {
    double value = std::numeric_limits<double>::quiet_NaN();
    const auto differs = [&](const system::Quantity& quantity, double sign) {
      const auto place = places.find(quantity);
      if (place == places.end() && !orders.is_integrated(quantity)) {
        return false;
      }
      const double other = sign * (place != places.end() ? x[place->second] : before(quantity));
      if (std::isnan(other)) {
        return false;
      }
      const bool is_other = !std::isnan(value) && reduce::has_moved(value, other, states[i].nominal);
      value = other;
      return is_other;
    };
    bool is_different = differs(states[i].quantity, 1.0);
    for (const system::StateInfo::Alias& alias : states[i].aliases) {
      is_different = differs(alias.quantity, alias.sign) || is_different;
    }
    if (is_different) {
      flags.resize(states.size(), 0);
      flags[i] = 1;
    }
  }
  return flags;
}

void IntegratedJump::begin() {
  passes_ = 0;
  moves_positions_ = false;
  has_moved_positions_ = false;
  is_accepted_ = false;
  is_determined_ = false;
  open_.clear();
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
  const PlaceOfQuantity left_places = places_of(left.quantities());
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
    written_.push_back({j, state->second.first, state->second.second, value, value});
  }
  return true;
}

bool IntegratedJump::pose(const ModeData& target, const system::Configuration& configuration, double t,
                          std::span<const double> x_entry) {
  if (passes_++ == 0) {
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
      written.moved = written.before;
    }
  }
  if (passes_ > kMostLawPasses || !law_->pose(configuration_, t_, slots_, jumps_)) {
    return false;
  }
  // The coefficients of the law are those at the new positions.
  if (moves_positions_ &&
      !(move_positions(target) && law_->pose(configuration_, t_, slots_, jumps_) && move_positions(target))) {
    return false;
  }
  take_rows(target, x_entry);
  return true;
}

void IntegratedJump::take_rows(const ModeData& target, std::span<const double> x_entry) {
  const Engine& engine = *target.engine;
  is_contradictory_ = false;
  std::vector<const Written*> written_of(slots_.size(), nullptr);
  for (const Written& written : written_) {
    written_of[written.slot] = &written;
  }
  std::vector<double> given(x_entry.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<reduce::LinearRow> rows;
  for (std::size_t k = 0; k < law_->conserved().size(); ++k) {
    reduce::LinearRow row;
    reduce::SparseRow sizes;
    double size = 0.0;
    for (const auto& [slot, factor] : law_->conserved()[k]) {
      const Written& written = *written_of[static_cast<std::size_t>(slot)];
      const auto state = static_cast<Index>(written.state);
      row.terms[state] += written.sign * factor;
      sizes[state] += std::abs(factor);
      row.right += factor * written.moved;
      size += std::abs(factor) * std::max(std::abs(written.moved), engine.nominal()[written.state]);
    }
    if (std::isnan(row.right) || (moves_positions_ && is_dropped_[k] != 0)) {
      continue;  // something had no value before, or the constraints say it
    }
    std::erase_if(row.terms, [&](const auto& term) {
      return std::abs(term.second) <= reduce::kRoundedAway * sizes[term.first];
    });
    if (row.terms.empty()) {
      is_contradictory_ = is_contradictory_ || std::abs(row.right) > reduce::kMoved * size;
    } else if (row.terms.size() == 1) {
      const auto i = static_cast<std::size_t>(row.terms.begin()->first);
      const double value = row.right / row.terms.begin()->second;
      is_contradictory_ = is_contradictory_ ||
                          (!std::isnan(given[i]) && reduce::has_moved(given[i], value, engine.nominal()[i]));
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
  for (const Written& written : written_) {
    if (written.moved != written.before) {
      x_held_[written.state] = written.sign * written.moved;
    }
  }
  may_jump_.assign(x_entry.size(), 1);
  std::vector<system::SlotInfo> slots;
  for (std::size_t i = 0; i < x_entry.size(); ++i) {
    slots.push_back({engine.names()[i], engine.quantities()[i].variable, engine.quantities()[i].order,
                     engine.nominal()[i]});
    if (!std::isnan(given[i])) {
      may_jump_[i] = 0;
      x_held_[i] = reduce::has_moved(x_entry[i], given[i], engine.nominal()[i]) ? given[i] : x_entry[i];
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
}

IntegratedJump::Verdict IntegratedJump::judge(const ModeData& target, const Consistent& found,
                                              const Consistent& least) {
  const std::vector<double>& nominal = target.engine->nominal();
  for (std::size_t i = 0; i < found.x.size(); ++i) {
    if (may_jump_[i] == 0 && reduce::has_moved(x_held_[i], found.x[i], nominal[i])) {
      return move(target, least);
    }
  }
  if (moves_positions_) {
    const std::vector<Written> last = written_;
    if (!look_at(target, found) || !move_positions(target)) {
      return Verdict::refused;
    }
    for (std::size_t k = 0; k < written_.size(); ++k) {
      if (reduce::has_moved(last[k].moved, written_[k].moved, nominal[written_[k].state])) {
        return Verdict::again;
      }
    }
  }
  const std::vector<std::uint8_t> bounded = law_->bounded();
  const std::vector<std::uint8_t> left_out = law_->left_out();
  std::vector<std::uint8_t> has_moved(found.x.size(), 0);
  for (const Written& written : written_) {
    if (reduce::has_moved(written.moved, written.sign * found.x[written.state], nominal[written.state])) {
      jumps_[written.slot] = 1;
      has_moved[written.state] = may_jump_[written.state];
    }
  }
  if (!law_->pose(configuration_, t_, slots_, jumps_)) {
    return Verdict::refused;
  }
  if (bounded != law_->bounded() || left_out != law_->left_out()) {
    return Verdict::again;
  }
  is_accepted_ = true;
  has_moved_positions_ = std::any_of(written_.begin(), written_.end(), [](const Written& written) {
    return !std::isnan(written.before) && written.moved != written.before;
  });
  is_determined_ = !has_moved_positions_ && !has_open(target, found, has_moved);
  find_impulses(found.x);
  return Verdict::accepted;
}

IntegratedJump::Verdict IntegratedJump::move(const ModeData& target, const Consistent& least) {
  if (moves_positions_ || !look_at(target, least)) {
    return Verdict::refused;
  }
  moves_positions_ = true;
  return Verdict::again;
}

// The constraints at a point, in units of the nominal values: over the states, and other slots after them.
bool IntegratedJump::linearise(const ModeData& target, const Consistent& at,
                               std::vector<reduce::SparseRow>& rows, std::size_t& n_columns) const {
  const std::vector<double>& nominal = target.engine->nominal();
  n_columns = nominal.size();
  if (at.constraints == nullptr) {
    return true;
  }
  const system::RectangularPattern& pattern = at.constraints->pattern();
  const auto n_slots = static_cast<std::size_t>(pattern.n_columns);
  std::vector<double> entries(pattern.n_entries());
  const auto runner = at.constraints->make_runner();
  runner->set_configuration(configuration_);
  if (at.slots.size() < n_slots || !runner->jacobian(t_, at.slots.first(n_slots), entries).ok()) {
    return false;
  }
  const PlaceOfQuantity states = places_of(quantities_);
  const std::size_t first = rows.size();
  rows.resize(first + static_cast<std::size_t>(pattern.n_rows));
  for (std::size_t j = 0; j < n_slots; ++j) {
    const auto state = states.find(at.constraints->slots()[j].quantity());
    const std::size_t column = state != states.end() ? state->second : n_columns++;
    const double unit = state != states.end() ? nominal[column] : at.constraints->slots()[j].nominal;
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const auto place = static_cast<std::size_t>(e);
      if (entries[place] != 0.0) {
        rows[first + static_cast<std::size_t>(pattern.rows[place])].emplace(static_cast<Index>(column),
                                                                            unit * entries[place]);
      }
    }
  }
  return true;
}

bool IntegratedJump::look_at(const ModeData& target, const Consistent& at) {
  x_at_.assign(at.x.begin(), at.x.end());
  constraints_.clear();
  return linearise(target, at, constraints_, n_constrained_);
}

// What the law keeps and the constraints at x_at_ determine goes there, by least change.
bool IntegratedJump::move_positions(const ModeData& target) {
  const std::vector<double>& nominal = target.engine->nominal();
  const auto shift = static_cast<Index>(written_.size());
  std::vector<Index> column_of(slots_.size(), -1);
  std::vector<reduce::SparseRow> constraints;
  std::vector<double> from;
  std::vector<double> to;
  for (const Written& written : written_) {
    const auto column = static_cast<Index>(from.size());
    column_of[written.slot] = column;
    to.push_back(written.sign * x_at_[written.state] / nominal[written.state]);
    from.push_back(std::isnan(written.before) ? to.back() : written.before / nominal[written.state]);
    constraints.push_back({{column, 1.0}, {shift + static_cast<Index>(written.state), -written.sign}});
  }
  for (const reduce::SparseRow& row : constraints_) {
    constraints.emplace_back();
    for (const auto& [column, value] : row) {
      constraints.back().emplace(shift + column, value);
    }
  }
  std::vector<reduce::SparseRow> law;
  std::vector<std::size_t> number;
  for (std::size_t k = 0; k < law_->conserved().size(); ++k) {
    reduce::SparseRow row;
    bool is_known = true;
    for (const auto& [slot, factor] : law_->conserved()[k]) {
      const Index column = column_of[static_cast<std::size_t>(slot)];
      const Written& written = written_[static_cast<std::size_t>(column)];
      is_known = is_known && !std::isnan(written.before);
      row.emplace(column, factor * nominal[written.state]);
    }
    if (is_known) {
      law.push_back(std::move(row));
      number.push_back(k);
    }
  }
  const reduce::LawPositions positions =
      reduce::find_law_positions(law, constraints, written_.size() + n_constrained_);
  const std::vector<double> moved = reduce::move_positions(positions.rows, from, to);
  if (moved.empty() && !from.empty()) {
    return false;
  }
  is_dropped_.assign(law_->conserved().size(), 0);
  for (std::size_t k = 0; k < number.size(); ++k) {
    is_dropped_[number[k]] = positions.is_dropped[k];
  }
  for (std::size_t k = 0; k < written_.size(); ++k) {
    Written& written = written_[k];
    const double value = moved[k] * nominal[written.state];
    written.moved = reduce::has_moved(written.before, value, nominal[written.state]) ? value : written.before;
    if (!std::isnan(written.before)) {
      slots_[written.slot] = written.moved;
    } else {
      written.moved = written.before;
    }
  }
  return true;
}

// Whether constraints and rows leave a choice for something that has moved: the states that are held being known.
bool IntegratedJump::has_open(const ModeData& target, const Consistent& found,
                              std::span<const std::uint8_t> has_moved) const {
  std::vector<reduce::SparseRow> rows = rows_;
  for (reduce::SparseRow& row : rows) {
    for (auto& term : row) {
      term.second *= target.engine->nominal()[static_cast<std::size_t>(term.first)];
    }
  }
  std::size_t n_columns = 0;
  if (!linearise(target, found, rows, n_columns)) {
    return true;
  }
  std::vector<std::uint8_t> is_unknown(may_jump_.begin(), may_jump_.end());
  is_unknown.resize(n_columns, 1);
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
    jumps[written.slot] = jumps_[written.slot] != 0 ? written.sign * x[written.state] - written.moved : 0.0;
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
  open_.clear();
  const std::vector<std::uint8_t> is_open = law_->open(jumps);
  for (std::size_t j = 0; j < is_open.size(); ++j) {
    if (is_open[j] != 0) {
      open_.push_back(coefficients_->equations->slots()[j].name);
    }
  }
}

std::string IntegratedJump::open_text() const {
  ShortList list;
  for (const std::string& name : open_) {
    list.add(name);
  }
  return list.text();
}

std::string IntegratedJump::text() const {
  ShortList list;
  for (const Impulse& impulse : impulses_) {
    list.add(fmt::format("impulse {} = {:.6g}", impulse.name, impulse.size));
  }
  std::string text = has_moved_positions_ ? "by least change of positions, then " : "";
  text += "by the equations integrated over the instant";
  text += list.size() == 0 ? "" : fmt::format(" ({})", list.text());
  text += open_.empty()
              ? ""
              : fmt::format(", but for {}, whose integral depends on the way in between", open_text());
  return is_determined_ || has_moved_positions_ ? text : text + ", what they leave open by least change";
}

bool IntegratedJump::follows(const system::Quantity& quantity) const {
  return is_accepted_ && is_determined_ &&
         std::any_of(written_.begin(), written_.end(), [&](const Written& written) {
           return coefficients_->equations->slots()[written.slot].quantity() == quantity;
         });
}

}  // namespace saltus::settle

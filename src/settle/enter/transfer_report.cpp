#include "settle/enter/transfer_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_set>

#include "base/short_list.hpp"
#include "reduce/consistent/transfer_case.hpp"
#include "reduce/nonlinear/consistency.hpp"

namespace saltus::settle {
namespace {

constexpr std::size_t kMostCausesNamed = 3;
// Instead of the variable that a state is.
constexpr Index kIsDerivative = -1;
constexpr Index kAlgebraic = -2;

// For people: what an iteration left of zero is zero.
double without_rounding(double value) {
  return std::abs(value) < 1e-12 ? 0.0 : value;
}

// Of a mode as a first-order system; none: not known yet.
std::optional<reduce::ComponentCounts> counts_of(const ModeData& mode, const system::HybridSystem& system) {
  if (mode.locked->reduction() == system::Reduction::ranks) {
    const reduce::CharacteristicValues* values = mode.by_ranks == nullptr ? nullptr : mode.by_ranks->values();
    return values == nullptr ? std::nullopt
                             : std::optional<reduce::ComponentCounts>(
                                   {values->d(), values->algebraic, values->undetermined});
  }
  const auto constraints = mode.locked->constraints();
  const Index n_constraints = constraints == nullptr ? 0 : constraints->n_rows();
  const Index d = static_cast<Index>(mode.locked->states().size()) - n_constraints;
  Index n = 0;
  for (std::size_t v = 0; v < system.variables().size(); ++v) {
    const bool exists = mode.info->has_variable.empty() || mode.info->has_variable[v] != 0;
    n += !system.variables()[v].is_discrete && exists ? 1 : 0;
  }
  for (const system::StateInfo& state : mode.locked->states()) {
    n += state.quantity.order > 0 ? 1 : 0;
  }
  return reduce::ComponentCounts{d, std::max<Index>(n - d, 0), 0};
}

}  // namespace

void TransferReport::add(std::string_view name, double from, double to, double nominal, bool by_body) {
  const double part = std::abs(to - from) / std::max(std::abs(from), nominal);
  if (part > reduce::kMoved) {
    items_.push_back({name, from, to, part, by_body});
  }
}

void TransferReport::look(const ModeData& target, const std::vector<double>& x_entry,
                          const Transfer& transfer) {
  begin();
  const Engine& engine = *target.engine;
  impulse_order_ = transfer.impulse_order();
  follows_law_ =
      transfer.law().is_accepted() && transfer.law().is_determined() && transfer.law().open().empty();
  law_text_ = transfer.law().is_accepted() ? transfer.law().text() : "";
  if (&engine == state_.at.mode().engine && !transfer.has_solved() && transfer.changes().empty()) {
    for (std::size_t i = 0; i < x_entry.size(); ++i) {
      add(engine.names()[i], x_entry[i], target.solution.x[i], engine.nominal()[i], true);
    }
  } else if (&engine == state_.at.mode().engine) {
    for (const StateChange& change : transfer.changes()) {
      const auto i = static_cast<std::size_t>(change.state);
      add(engine.names()[i], change.from, change.to, engine.nominal()[i], change.by_body);
    }
  } else {
    look_at_entered(target, x_entry, transfer);
    look_at_lost(target);
  }
  if (&target != &state_.at.mode()) {
    const auto before = counts_of(state_.at.mode(), state_.system());
    const auto after = counts_of(target, state_.system());
    transfer_case_ = before && after ? reduce::transfer_case(*before, *after).number : 0;
  }
}

// Values before are those of the variables: x_entry may have found one value for several of them.
void TransferReport::look_at_entered(const ModeData& target, const std::vector<double>& x_entry,
                                     const Transfer& transfer) {
  const Engine& engine = *target.engine;
  const std::vector<Index>& variables = lost(target).of_states;
  std::vector<std::uint8_t> by_equations(x_entry.size(), 0);
  for (const StateChange& change : transfer.changes()) {
    by_equations[static_cast<std::size_t>(change.state)] = change.by_body ? 0 : 1;
  }
  for (std::size_t i = 0; i < x_entry.size(); ++i) {
    const double before = variables[i] == kIsDerivative || variables[i] == kAlgebraic
                              ? x_entry[i]
                              : state_.values[static_cast<std::size_t>(variables[i])];
    const double after = target.solution.x[i];
    const bool has_jumped = std::abs(after - x_entry[i]) > reduce::kMoved * std::abs(x_entry[i]);
    if (variables[i] != kAlgebraic && !std::isnan(before)) {
      add(engine.names()[i], before, after, engine.nominal()[i], has_jumped && by_equations[i] == 0);
    }
  }
}

void TransferReport::look_at_lost(const ModeData& target) {
  const bool by_body =
      std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.by_body; });
  const Lost& gone = lost(target);
  for (std::size_t k = 0; k < gone.variables.size(); ++k) {
    const auto variable = static_cast<std::size_t>(gone.variables[k]);
    const std::size_t before = items_.size();
    add(gone.names[k], state_.values[variable], target.solution.values[variable], gone.nominal[k], by_body);
    impulse_order_ = items_.size() > before && !by_body ? std::max(impulse_order_, 0) : impulse_order_;
  }
}

const TransferReport::Lost& TransferReport::lost(const ModeData& target) {
  const Engine& from = *state_.at.mode().engine;
  const Engine& to = *target.engine;
  const auto known = std::find_if(lost_.begin(), lost_.end(),
                                  [&](const Lost& lost) { return lost.from == &from && lost.to == &to; });
  if (known != lost_.end()) {
    return *known;
  }
  const std::unordered_set<system::Quantity, system::QuantityHash> kept(to.quantities().begin(),
                                                                        to.quantities().end());
  Lost lost{&from, &to, {}, {}, {}, {}};
  const std::vector<std::uint8_t> algebraic = Transfer::algebraic_states(target);
  for (std::size_t i = 0; i < to.quantities().size(); ++i) {
    const bool is_algebraic = !algebraic.empty() && algebraic[i] != 0;
    lost.of_states.push_back(is_algebraic                    ? kAlgebraic
                             : to.quantities()[i].order != 0 ? kIsDerivative
                                                             : to.quantities()[i].variable);
  }
  const std::vector<std::uint8_t> was_algebraic = Transfer::algebraic_states(state_.at.mode());
  for (std::size_t i = 0; i < from.quantities().size(); ++i) {
    const system::Quantity& quantity = from.quantities()[i];
    const bool is_given = !was_algebraic.empty() && was_algebraic[i] != 0;
    if (!is_given && quantity.order == 0 && !kept.contains(quantity)) {
      lost.variables.push_back(quantity.variable);
      lost.names.emplace_back(from.names()[i]);
      lost.nominal.push_back(from.nominal()[i]);
    }
  }
  return lost_.emplace_back(std::move(lost));
}

bool TransferReport::is_reinitialised() const {
  return std::any_of(items_.begin(), items_.end(), [](const Item& item) { return !item.by_body; });
}

TransferKind TransferReport::kind() const {
  const bool by_body =
      std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.by_body; });
  const bool by_equations = is_reinitialised();
  return by_body && by_equations ? TransferKind::by_both
         : by_body               ? TransferKind::by_jump_equations
         : by_equations          ? TransferKind::by_reinitialisation
                                 : TransferKind::smooth;
}

// The largest first.
std::string TransferReport::list(bool by_body) const {
  std::vector<const Item*> items;
  for (const Item& item : items_) {
    if (item.by_body == by_body) {
      items.push_back(&item);
    }
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item* a, const Item* b) { return a->part > b->part; });
  ShortList list(kMostCausesNamed);
  for (const Item* item : items) {
    list.add(fmt::format("{} from {:.6g} to {:.6g}", item->name, without_rounding(item->from),
                         without_rounding(item->to)));
  }
  return list.text();
}

std::string TransferReport::reinitialised_text() const {
  std::string text = "reinitialised " + list(false);
  text += impulse_order_ < 0 ? "" : fmt::format(" (impulse of order {})", impulse_order_);
  return law_text_.empty() ? text : text + " " + law_text_;
}

std::string TransferReport::text() const {
  std::string text = "smooth";
  switch (kind()) {
    case TransferKind::none:
    case TransferKind::smooth: break;
    case TransferKind::by_jump_equations: text = "not smooth: set " + list(true); break;
    case TransferKind::by_reinitialisation: text = "not smooth: " + reinitialised_text(); break;
    case TransferKind::by_both: text = "not smooth: set " + list(true) + ", " + reinitialised_text(); break;
  }
  return transfer_case_ > 1 ? text + fmt::format("; case {}", transfer_case_) : text;
}

}  // namespace saltus::settle

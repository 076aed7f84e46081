#include "settle/enter/rank_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reduce/ranks/characteristic_values.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {

bool RankEntry::note(const ModeData& target, const system::Evaluation& evaluation) {
  if (evaluation.ok()) {
    return false;
  }
  const bool is_singular = evaluation.status == system::Evaluation::Status::singular_block;
  if (is_singular) {
    why_ = target.evaluator->describe(evaluation, state_.at.time());
  }
  // Sides may still be those of the mode before: iterations that came to nothing leave no trace.
  target.evaluator->restore_solutions();
  return is_singular;
}

bool RankEntry::is_singular(ModeData& target, const system::Configuration& configuration,
                            std::span<const double> x) {
  if (target.by_ranks != nullptr) {
    return false;
  }
  x_.assign(x.begin(), x.end());
  std::replace_if(
      x_.begin(), x_.end(), [](double value) { return std::isnan(value); }, 0.0);
  rates_.resize(x_.size());
  target.evaluator->set_configuration(configuration);
  return note(target, target.evaluator->rhs(state_.at.time(), x_, rates_));
}

bool RankEntry::has_singular_values(ModeData& target, std::span<const double> x) {
  values_.resize(state_.values.size());
  return target.by_ranks == nullptr && note(target, target.evaluator->outputs(state_.at.time(), x, values_));
}

ModeData* RankEntry::by_ranks_instead(const ModeData& target) {
  if (target.by_ranks != nullptr || state_.system().variables().size() > reduce::kMostUnknownsForRanks) {
    return nullptr;
  }
  const auto found = state_.modes.mode(by_ranks(target.structure));
  return found && (*found)->by_ranks != nullptr ? *found : nullptr;
}

void RankEntry::take(const ModeData& structural) {
  state_.modes.use_ranks(structural.structure);
  // The first analysis was made at values from before the entry.
  if (const auto ranked = state_.modes.mode(structural.structure)) {
    (*ranked)->by_ranks->analyse_again();
  }
  const bool has_modes = state_.system().modes().size() > 1;
  state_.warn(
      kGoesOnByRanks,
      fmt::format(
          "the structure of the equations{} does not show their index at t = {:.9g}: {}; they are entered "
          "with numerical ranks",
          has_modes ? " of mode '" + structural.info->name + "'" : "", state_.at.time(), why_));
}

}  // namespace saltus::settle

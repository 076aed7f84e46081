// States that bodies do not mention, and that the integrated equations do not move (docs/semantics.md 5.8).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/rank_decision.hpp"
#include "reduce/nonlinear/consistency.hpp"
#include "settle/enter/integrated_jump.hpp"

namespace saltus::settle {
namespace {

// By how much what is given moves, in nominal values: sizes without a pattern, so that nothing cancels.
double trial_jump(std::size_t state) {
  return 1.0 + std::fmod(0.6180339887498949 * static_cast<double>(state + 1), 1.0);
}

}  // namespace

std::vector<std::uint8_t> IntegratedJump::find_kept(const ModeData& target,
                                                    const system::Configuration& configuration, double t,
                                                    const Consistent& at,
                                                    std::span<const std::uint8_t> is_given) {
  begin();
  configuration_ = configuration;
  t_ = t;
  if (!find_written(target)) {
    return {};
  }
  const std::vector<double>& nominal = target.engine->nominal();
  std::vector<std::uint8_t> given_slots(slots_.size(), 0);
  std::vector<const Written*> written_of(slots_.size(), nullptr);
  for (const Written& written : written_) {
    given_slots[written.slot] = is_given[written.state];
    written_of[written.slot] = &written;
    slots_[written.slot] = written.sign * at.x[written.state];
  }
  if (!law_->pose(configuration_, t_, slots_, given_slots, given_slots)) {
    return {};
  }
  std::vector<reduce::SparseRow> rows;
  for (const reduce::SparseRow& conserved : law_->conserved()) {
    rows.emplace_back();
    for (const auto& [slot, factor] : conserved) {
      const Written& written = *written_of[static_cast<std::size_t>(slot)];
      rows.back()[static_cast<Index>(written.state)] += written.sign * factor * nominal[written.state];
    }
  }
  std::size_t n_columns = 0;
  if (!linearise(target, at, rows, n_columns)) {
    return {};
  }
  std::vector<std::uint8_t> is_unknown(n_columns, 1);
  std::vector<double> jumps(n_columns, 0.0);
  for (std::size_t i = 0; i < is_given.size(); ++i) {
    is_unknown[i] = is_given[i] != 0 ? 0 : 1;
    jumps[i] = is_given[i] != 0 ? trial_jump(i) : 0.0;
  }
  const reduce::SparseElimination elimination(std::move(rows), std::move(is_unknown), linalg::kRankTolerance);
  // What is given contradicts the law: a position that takes others with it.
  for (const reduce::SparseRow& row : elimination.kept()) {
    double sum = 0.0;
    double size = 0.0;
    for (const auto& [column, value] : row) {
      const double term = value * jumps[static_cast<std::size_t>(column)];
      sum += term;
      size = std::max(size, std::abs(term));
    }
    if (std::abs(sum) > reduce::kMoved * size) {
      return {};
    }
  }
  elimination.solve(jumps);
  const auto stays = [&](std::size_t i) { return is_given[i] == 0 && std::abs(jumps[i]) <= reduce::kMoved; };
  std::vector<std::uint8_t> moves(slots_.size(), 0);
  for (const Written& written : written_) {
    moves[written.slot] = stays(written.state) ? 0 : 1;
  }
  const std::vector<std::uint8_t> have_moving_rates = law_->have_moving_rates(moves);
  std::vector<std::uint8_t> is_kept(is_given.size(), 0);
  for (const Written& written : written_) {
    is_kept[written.state] =
        stays(written.state) && have_moving_rates[written.slot] != 0 ? 1 : is_kept[written.state];
  }
  return is_kept;
}

}  // namespace saltus::settle

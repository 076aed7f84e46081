#include "sensitivity/instant/instant_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace saltus::sensitivity {
namespace {

using settle::Factor;
using system::Evaluation;

// A change of states by less than this many tolerances, or this part of them, moves nothing: projections and entries leave so much.
constexpr double kTolerancesOfRest = 10.0;

constexpr const char* kNotFoundBeside = "the values after the instant cannot be found beside it";

void replace_nan(std::vector<double>& values) {
  std::replace_if(
      values.begin(), values.end(), [](double value) { return std::isnan(value); }, 0.0);
}

}  // namespace

bool stays(const settle::MoveStep& step, const system::StructureId& structure) {
  if (step.structure != structure) {
    return false;
  }
  if (step.round) {
    return !step.round->by_transfer;
  }
  const Factor::Kind kind = step.factor.kind;
  return kind == Factor::Kind::onto_root || kind == Factor::Kind::projection ||
         kind == Factor::Kind::own_side;
}

bool InstantVariation::fail(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

bool InstantVariation::pass(StretchField& before, const InstantPoint& point,
                            const settle::InstantMove& move) {
  problem_.clear();
  structure_ = move.structure;
  discrete_.assign(point.discrete.begin(), point.discrete.end());
  values_.clear();
  reinits_.clear();
  const std::size_t n = source_.n_columns();
  has_cause_ = !move.crossings.empty() || !move.clocks.empty();
  EventTime time = find_event_time(source_, before, point, move);
  sigma_ = std::move(time.sigma);
  parting_.clear();
  together_.reset();
  undefined_.clear();
  why_undefined_.clear();
  without_time_.clear();
  unknown_time_ = std::move(time.problem);
  if (!unknown_time_.empty()) {
    // Where nothing changes but sides, S goes through if the rates do: whoever knows them asks.
    x_.assign(point.s.begin(), point.s.end());
    return changes_nothing_else(move) || fail(unknown_time_);
  }
  x_.resize(point.s.size());
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      x_[i * n + k] = point.s[i * n + k] + (sigma_[k] == 0.0 ? 0.0 : point.rates[i] * sigma_[k]);
    }
  }
  if (!time.unknown.empty()) {
    add_undefined(time.unknown, time.unknown_problem);
    rest_undefined();
    if (changes_nothing_else(move)) {
      // As above, by column.
      restore(point, time.unknown);
      without_time_ = std::exchange(undefined_, {});
      unknown_time_of_columns_ = std::exchange(why_undefined_, {});
    }
  }
  parting_ = std::move(time.parting);
  if (!parting_.empty() && take_together(before, point, move, time.parts)) {
    return true;
  }
  const bool is_exact = std::all_of(move.steps.begin(), move.steps.end(),
                                    [this](const settle::MoveStep& step) { return has_tangents(step); });
  if (!is_exact) {
    return replay(before, point, move);
  }
  return std::all_of(move.steps.begin(), move.steps.end(), [&](const settle::MoveStep& step) {
    return !step.round || apply_round(before, point, step);
  });
}

// Guards that part: followed one after the other where that can be done. Else only columns for which they do not part go on.
bool InstantVariation::take_together(StretchField& before, const InstantPoint& point,
                                     const settle::InstantMove& move, const std::vector<bool>& parts) {
  if (changes_only_sides(move)) {
    together_ = cross_together(source_, before, move.after, parting_, point);
    x_ = together_->s;
    std::vector<bool> undefined = together_->is_defined;
    undefined.flip();
    add_undefined(undefined, order_problem(source_, parting_));
    return true;
  }
  add_undefined(parts, order_problem(source_, parting_));
  rest_undefined();
  return false;
}

// No factor but those that choose sides or take rounding away.
bool InstantVariation::changes_nothing_else(const settle::InstantMove& move) {
  return std::all_of(move.steps.begin(), move.steps.end(),
                     [this](const settle::MoveStep& step) { return !step.round && has_tangents(step); });
}

// S⁻ of some columns.
void InstantVariation::restore(const InstantPoint& point, const std::vector<bool>& which) {
  for (std::size_t e = 0; e < x_.size(); ++e) {
    x_[e] = which[e % which.size()] ? point.s[e] : x_[e];
  }
}

void InstantVariation::add_undefined(const std::vector<bool>& which, const std::string& why) {
  undefined_.resize(which.size(), false);
  std::transform(which.begin(), which.end(), undefined_.begin(), undefined_.begin(), std::logical_or<>());
  // One of several reasons is told.
  why_undefined_ = why_undefined_.empty() ? why : why_undefined_;
}

// What is undefined does not move on.
void InstantVariation::rest_undefined() {
  for (std::size_t k = 0; k < undefined_.size(); ++k) {
    for (std::size_t e = k; e < x_.size() && undefined_[k]; e += undefined_.size()) {
      x_[e] = 0.0;
    }
    sigma_[k] = undefined_[k] ? 0.0 : sigma_[k];
  }
}

// No state, no discrete value; what rounds do between crossings is not known.
bool InstantVariation::changes_only_sides(const settle::InstantMove& move) const {
  return !move.slides_after && move.after.mode == move.configuration.mode &&
         move.after.discrete == move.configuration.discrete &&
         std::all_of(move.steps.begin(), move.steps.end(), [&](const settle::MoveStep& step) {
           const bool is_identity =
               !step.round || (step.round->keeps_states && !step.round->by_transfer &&
                               std::none_of(step.round->fired.begin(), step.round->fired.end(),
                                            [](std::uint8_t fires) { return fires != 0; }));
           return is_identity && step.structure == move.structure && step.factor.kind != Factor::Kind::rest &&
                  is_near(step.x, move.x);
         });
}

bool InstantVariation::is_near(std::span<const double> a, std::span<const double> b) const {
  const double rtol = source_.options.tolerances.rtol;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double size = std::max({std::abs(a[i]), std::abs(b[i]), 1.0});
    if (!(std::abs(a[i] - b[i]) <= kTolerancesOfRest * rtol * size)) {
      return false;
    }
  }
  return true;
}

// Whether tangents say what the factor does, or it does nothing.
bool InstantVariation::has_tangents(const settle::MoveStep& step) {
  return stays(step, structure_) && (!step.round || rounds_.offers(structure_));
}

// Of all variables at the left limit, along the motion of the instant.
bool InstantVariation::need_values(StretchField& before, const InstantPoint& point) {
  if (!values_.empty()) {
    return true;
  }
  values_.resize(source_.system.variables().size() * source_.n_columns());
  if (!before.tangents().outputs(point.t, point.x, {sigma_, x_, discrete_}, values_).ok()) {
    return fail("variables have no derivatives before the instant");
  }
  replace_nan(values_);
  return true;
}

bool InstantVariation::apply_round(StretchField& before, const InstantPoint& point,
                                   const settle::MoveStep& step) {
  if (!need_values(before, point)) {
    return false;
  }
  const settle::RoundRecord& record = *step.round;
  system::RoundTangentsFound found;
  const system::RoundSeeds seeds{
      sigma_, values_, x_,
      record.reinits.empty() ? std::span<const double>() : std::span<const double>(reinits_)};
  if (!rounds_.solve(step.structure, point.t, record, seeds, found).ok()) {
    return fail("the round has no derivative");
  }
  if (!record.keeps_states) {
    x_ = std::move(found.x);
  }
  values_ = std::move(found.values);
  replace_nan(values_);
  discrete_ = std::move(found.discrete);
  reinits_ = std::move(found.reinits);
  return true;
}

// What is solved with constraints, or of another structure, is done again beside the run.
bool InstantVariation::replay(StretchField& before, const InstantPoint& point,
                              const settle::InstantMove& move) {
  for (const settle::MoveStep& step : move.steps) {
    const Factor::Kind kind = step.factor.kind;
    if (kind == Factor::Kind::middle_of_band || kind == Factor::Kind::rest || kind == Factor::Kind::ranks ||
        kind == Factor::Kind::impact) {
      return fail(fmt::format("the solution is {}", settle::text_of(kind)));
    }
  }
  if (!need_values(before, point)) {
    return false;
  }
  system::RoundTangentsFound found;
  std::vector<bool> undefined = undefined_;
  if (!replay_.differentiate(move, {sigma_, x_, values_, discrete_, !before.facts().surfaces.empty()}, found,
                             undefined)) {
    return fail(kNotFoundBeside);
  }
  if (std::find(undefined.begin(), undefined.end(), true) != undefined.end()) {
    add_undefined(undefined, kNotFoundBeside);
  }
  x_ = std::move(found.x);
  values_ = std::move(found.values);
  replace_nan(values_);
  discrete_ = std::move(found.discrete);
  structure_ = move.steps.back().structure;
  return true;
}

}  // namespace saltus::sensitivity

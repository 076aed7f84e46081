#include "api/results/mode_timeline.hpp"

#include <algorithm>

#include "reduce/ranks/characteristic_values.hpp"
#include "slide/field/sliding_field.hpp"

namespace saltus::api {
namespace {

// Unknowns of the mode that are given by equations without derivatives.
std::int64_t count_algebraic(const system::HybridSystem& system, const hybrid::Stretch& stretch) {
  const std::vector<std::uint8_t>& exists = system.modes()[stretch.configuration->mode.index()].has_variable;
  std::int64_t n = 0;
  for (std::size_t v = 0; v < system.variables().size(); ++v) {
    n += !system.variables()[v].is_discrete && (exists.empty() || exists[v] != 0) ? 1 : 0;
  }
  for (const system::StateInfo& state : stretch.locked->states()) {
    n -= state.name.rfind("der(", 0) == 0 ? 0 : 1;
  }
  return n;
}

}  // namespace

void ModeTimeline::begin(const hybrid::Stretch& stretch) {
  if (!spans_.empty() && spans_.back().mode == stretch.mode) {
    return;
  }
  if (!spans_.empty()) {
    spans_.back().to = stretch.from;
  }
  ModeSpan span;
  span.from = stretch.from;
  span.mode = stretch.mode;
  count(stretch, span);
  count_surfaces(stretch, span);
  spans_.push_back(std::move(span));
}

// The equations while sliding have a weight and a row g = 0 more for each surface. Where the hidden ġ = 0 determines the weight, g = 0
// takes one of the differential components; this is of index 2 and therefore of strangeness index 1. Where g itself depends on the weight
// (an algebraic slide) it determines it, and nothing is hidden.
void ModeTimeline::count_surfaces(const hybrid::Stretch& stretch, ModeSpan& span) {
  const auto* const field = dynamic_cast<const slide::SlidingField*>(stretch.evaluator);
  for (std::size_t k = 0; k < stretch.surfaces.size(); ++k) {
    if (field != nullptr && field->is_algebraic(k)) {
      span.a += 1;
      continue;
    }
    span.index = std::max<std::int64_t>(span.index, 1);
    span.d -= 1;
    span.a += 2;
  }
}

// Without constraints by counting; with constraints or by ranks from the analysis of the instance, once somebody asks for it, or, of systems of
// functions, from the run. Where that is not to be had (a system too large for ranks), constraints are counted, and the index is left at 0.
void ModeTimeline::count(const hybrid::Stretch& stretch, ModeSpan& span) {
  const auto constraints = stretch.locked->constraints();
  const bool is_plain =
      constraints == nullptr && stretch.locked->reduction() == system::Reduction::structural;
  const std::int64_t n_constraints = constraints == nullptr ? 0 : constraints->n_rows();
  span.d = static_cast<std::int64_t>(stretch.locked->states().size()) - n_constraints;
  span.a = count_algebraic(*instance_.system, stretch) + n_constraints;
  if (instance_.analysis == nullptr && stretch.values != nullptr) {
    span.index = stretch.values->level;
    span.d = stretch.values->d();
    span.a = stretch.values->algebraic;
    return;
  }
  if (!is_plain && instance_.analysis != nullptr && instance_.variables.size() <= kMostUnknownsForRanks) {
    open_.push_back({.span = spans_.size(),
                     .mode = stretch.configuration->mode.index(),
                     .t = stretch.from,
                     .d = span.d,
                     .a = span.a});
  }
}

ModeList ModeTimeline::finish(double t_end) {
  if (!spans_.empty()) {
    spans_.back().to = t_end;
  }
  const bool is_open = !open_.empty();
  return ModeList(std::make_shared<const ModeSpans>(std::move(spans_), std::move(open_),
                                                    is_open ? std::optional(instance_) : std::nullopt));
}

}  // namespace saltus::api

#include "api/mode_timeline.hpp"

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
  const auto n_surfaces = static_cast<std::int64_t>(stretch.surfaces.size());
  ModeSpan span;
  span.from = stretch.from;
  span.mode = stretch.mode;
  // Sliding: g = 0 and the hidden ġ = 0 determine one state and one weight for each surface, which is of index 2 and
  // therefore of strangeness index 1.
  span.index = n_surfaces > 0 ? 1 : 0;
  span.d = static_cast<std::int64_t>(stretch.locked->states().size()) - n_surfaces;
  span.a = count_algebraic(system_, stretch) + 2 * n_surfaces;
  spans_.push_back(std::move(span));
}

std::vector<ModeSpan> ModeTimeline::finish(double t_end) {
  if (!spans_.empty()) {
    spans_.back().to = t_end;
  }
  return std::move(spans_);
}

}  // namespace saltus::api

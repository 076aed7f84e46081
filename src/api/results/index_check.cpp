#include "api/results/index_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "api/options/index_options.hpp"
#include "program/compiled_system.hpp"
#include "reduce/ranks/characteristic_values.hpp"

namespace saltus::api {
namespace {

std::string text_of(const ExpectedIndex& values) {
  return fmt::format("({}, {}, {}, {}, {})", values.index, values.d, values.a, values.u, values.v);
}

std::optional<std::string> compare(const ExpectedIndex& stated, const ExpectedIndex& actual, double t,
                                   const std::string& doubt) {
  if (actual.index == stated.index && actual.d == stated.d && actual.a == stated.a && actual.u == stated.u &&
      actual.v == stated.v) {
    return std::nullopt;
  }
  return fmt::format(
      "the characteristic values (index, d, a, u, v) of mode '{}' are {} at t = {:.9g}, but are stated as "
      "{}{}",
      actual.mode, text_of(actual), t, text_of(stated), doubt);
}

}  // namespace

bool IndexCheck::wants(const hybrid::Stretch& stretch) const {
  const bool is_new = !last_ || !(*last_ == stretch.structure) || stretch.has_new_ranks;
  const bool is_sliding = !stretch.surfaces.empty();
  return !expected_.empty() && is_new && !is_sliding &&
         expected_in(expected_, instance_.system->modes()[stretch.configuration->mode.index()].name) !=
             nullptr;
}

// Where every unknown is a state, and those derivatives that the run has among its states.
std::vector<double> IndexCheck::point_of(const hybrid::Stretch& stretch, const system::LockedDae& locked,
                                         std::span<const double> values) const {
  std::unordered_map<std::string_view, double> known;
  for (std::size_t i = 0; i < stretch.x.size(); ++i) {
    known.emplace(stretch.locked->states()[i].name, stretch.x[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    known.emplace(instance_.system->variables()[i].name, values[i]);
  }
  std::vector<double> x;
  for (const system::StateInfo& state : locked.states()) {
    const auto found = known.find(state.name);
    x.push_back(found != known.end() && std::isfinite(found->second) ? found->second : 0.0);
  }
  return x;
}

std::optional<std::string> IndexCheck::begin(const hybrid::Stretch& stretch, std::span<const double> values) {
  last_ = stretch.structure;
  const ModeId mode = stretch.configuration->mode;
  const std::string& name = instance_.system->modes()[mode.index()].name;
  const ExpectedIndex& stated = *expected_in(expected_, name);
  const auto undecided = [&](const Diagnostics& problems) {
    return fmt::format(
        "the characteristic values (index, d, a, u, v) of mode '{}' are stated as {}, but cannot be decided "
        "at "
        "t = {:.9g}: {}",
        name, text_of(stated), stretch.from, problems.items()[0].message);
  };
  if (instance_.compiled == nullptr) {
    arrays_ = instance_.system;  // residuals of functions are by ranks already
  }
  if (arrays_ == nullptr) {
    program::BuildOptions by_ranks;
    for (std::size_t i = 0; i < instance_.system->modes().size(); ++i) {
      by_ranks.by_ranks.emplace_back(i);
    }
    auto arrays = instance_.compiled->system(instance_.overrides, by_ranks);
    if (!arrays) {
      return undecided(arrays.error());
    }
    arrays_ = *std::move(arrays);
  }
  const auto locked = arrays_->lock(mode);
  if (!locked) {
    return undecided(locked.error());
  }
  if ((*locked)->reduction() == system::Reduction::structural) {
    // A right-hand side: what it is needs no ranks.
    return compare(stated, {name, 0, static_cast<std::int64_t>((*locked)->states().size()), 0, 0, 0},
                   stretch.from, {});
  }
  const auto found = reduce::find_characteristic_values(**locked, *stretch.configuration, stretch.from,
                                                        point_of(stretch, **locked, values));
  if (!found) {
    return undecided(found.error());
  }
  const ExpectedIndex actual{name,
                             found->level,
                             found->degrees_of_freedom(),
                             found->algebraic,
                             found->undetermined,
                             found->vanishing};
  return compare(stated, actual, stretch.from,
                 found->is_unclear
                     ? fmt::format(" (a rank was decided by a gap of {:.1e} only)", found->smallest_gap)
                     : std::string());
}

}  // namespace saltus::api

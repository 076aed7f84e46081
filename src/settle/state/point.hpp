/// Where a solution stands, as a value: what is tried is tried on a copy, and what is not taken leaves no trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "settle/state/mode_cache.hpp"
#include "slide/field/rest_field.hpp"
#include "system/configuration.hpp"
#include "trajectory/compensated_time.hpp"

namespace saltus::settle {

/// How a guard is held at zero.
enum class SlideKind : std::uint8_t {
  none,
  by_motion,  ///< its derivative is kept at zero (docs/semantics.md 7)
  by_value,   ///< its own value is (slide/decide/algebraic_sides.hpp)
};

/// What is slid on.
struct Slide {
  std::vector<Index> surfaces;   ///< guards, ascending
  std::vector<SlideKind> kinds;  ///< by guard
  ModeData* partner = nullptr;   ///< the other mode while sliding between two
  double level = 0.0;  ///< of the guard, while sliding between two modes in the middle of a band (9.4)

  void add(Index guard, SlideKind kind) {
    kinds[static_cast<std::size_t>(guard)] = kind;
    const auto place = std::lower_bound(surfaces.begin(), surfaces.end(), guard);
    if (place == surfaces.end() || *place != guard) {
      surfaces.insert(place, guard);
    }
  }
  void remove(Index guard) {
    kinds[static_cast<std::size_t>(guard)] = SlideKind::none;
    std::erase(surfaces, guard);
  }
  void clear() {
    for (const Index surface : surfaces) {
      kinds[static_cast<std::size_t>(surface)] = SlideKind::none;
    }
    surfaces.clear();
    partner = nullptr;
    level = 0.0;
  }

  void fields(Archive& a) {
    a(kinds, level);
    a.index(surfaces, kinds.size());
    a.pointer(partner);
  }
};

struct Point {
  trajectory::CompensatedTime t;
  system::Configuration configuration;  ///< the authority (docs/semantics.md 1.3)
  ModeData* mode = nullptr;             ///< the structure whose equations hold
  std::vector<double> x;                ///< its states
  Slide slide;
  std::vector<slide::Contact> rests;  ///< guards whose events have accumulated and that are held

  void fields(Archive& a) {
    a(t, configuration);
    a.pointer(mode);
    a.list(x);
    a(slide, rests);
    if (!a.is_loading() || !a.ok()) {
      return;
    }
    const auto n_guards = static_cast<Index>(slide.kinds.size());
    const auto is_wrong = [n_guards](const slide::Contact& contact) {
      return contact.guard < 0 || contact.guard >= n_guards;
    };
    if (mode == nullptr || x.size() != mode->locked->states().size() ||
        configuration.latched.size() != slide.kinds.size() ||
        std::any_of(rests.begin(), rests.end(), is_wrong)) {
      a.refuse("the point of a run does not fit");
    }
  }
};

}  // namespace saltus::settle

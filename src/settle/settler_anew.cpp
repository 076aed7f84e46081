// A point whose sides nothing has led to: the start, states that an impact or another structure has moved.
#include <fmt/format.h>

#include <algorithm>

#include "settle/settler.hpp"

namespace saltus::settle {

// Gaps of contacts that are zero and close: velocities jump, and what was decided before is decided anew.
Impacts::Answer Settler::meet() {
  return impacts_.meet([this] { return has_left_limit_ || begin_record_late(); },
                       [this] { sliding_.stop_sliding(); },
                       [this] {
                         structures_.note_change();
                         if (!survey_.note_residuals() || !state_.evaluate_outputs()) {
                           return false;
                         }
                         record_.begin_segment();  // sides are decided after it
                         impacts_.log(log_);
                         record_.row();
                         return true;
                       });
}

// A point whose sides nothing has led to: the start, or states that another structure has moved. Guards have the truth of their values,
// those at zero are decided, structures and states follow, rounds run until nothing changes.
bool Settler::settle_anew(const Occasion& occasion) {
  for (std::int64_t turn = 0; turn <= state_.options().max_rounds; ++turn) {
    if (!decide_anew(turn == 0 ? occasion : Occasion{})) {
      return false;
    }
    const Impacts::Answer answer = meet();
    if (answer != Impacts::Answer::some) {
      return answer == Impacts::Answer::none && record_.report_news();
    }
  }
  impacts_.end_at_limit();
  return false;
}

bool Settler::decide_anew(const Occasion& occasion) {
  if (!look_anew() || !structures_.decide_zero_guards() || !structures_.follow() || !sliding_.install() ||
      !sides_.forget_changes_without_effect() || (occasion.is_start && !take_start_between_sides())) {
    return false;
  }
  const bool asks_rounds =
      occasion.is_start || occasion.is_outside ? state_.system().has_rounds() : needs_rounds(occasion.clocks);
  return !asks_rounds || (survey_.note_residuals() && rounds_.settle(occasion) &&
                          (rounds_.accumulating().empty() || begin_rest()));
}

// Sides at the values that they themselves give: one that is off zero only beside another's old side has never been there. Where they do
// not come to an end they are those of the values as they were found, and left to the decision.
bool Settler::look_anew() {
  const GuardSurvey::Before before{state_.at.configuration().latched, state_.roots, {}, false};
  std::vector<double> latched = before.latched;
  if (!survey_.look()) {
    return false;
  }
  std::size_t n_passes = 0;
  while (latched != state_.at.configuration().latched && rounds_.has_its_structure()) {
    latched = state_.at.configuration().latched;
    if (++n_passes > latched.size()) {
      state_.roots = before.roots;
      for (std::size_t i = 0; i < latched.size(); ++i) {
        state_.at.set_latched(static_cast<Index>(i), before.latched[i]);
      }
      return survey_.look();
    }
    if (!survey_.look(&before)) {
      return false;
    }
  }
  return true;
}

// What was recorded before sliding began has the side that the guess gave, which the values contradict.
bool Settler::take_start_between_sides() {
  const std::vector<Index>& surfaces = state_.at.surfaces();
  const bool is_between = std::any_of(surfaces.begin(), surfaces.end(), [this](Index guard) {
    return state_.at.slide_kind(guard) == SlideKind::by_value;
  });
  return !is_between || record_.begin_between_sides();
}

}  // namespace saltus::settle

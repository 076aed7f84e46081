// What a run remembers (base/archive.hpp): its modes, their engines, where it stands.
#include <algorithm>
#include <string>

#include "integrate/method_registry.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {
namespace {

// Methods are known by their names.
void method_field(Archive& a, const integrate::Method*& method) {
  std::string name(method == nullptr ? "" : method->name);
  a(name);
  if (a.is_loading()) {
    method = integrate::find_method(name);
    if (method == nullptr && !name.empty()) {
      a.refuse("there is no such method");
    }
  }
}

// As many as there may be: an id of each mode, in each of its structures, and by ranks.
constexpr std::uint64_t kMostModes = 1'000'000;

std::uint64_t counted(Archive& a, std::size_t now) {
  std::uint64_t n = now;
  a(n);
  if (n > kMostModes) {
    a.refuse("numbers of modes do not fit");
  }
  return a.ok() ? n : 0;
}

}  // namespace

void Engine::drive_fields(Archive& a) {
  const std::uint64_t n_drives = counted(a, drives_.size());
  for (std::uint64_t k = 0; k < n_drives && a.ok(); ++k) {
    const bool is_there = k < drives_.size();
    const integrate::Method* method = is_there ? drives_[k]->method : nullptr;
    integrate::OrderChoice orders = is_there ? drives_[k]->orders : integrate::OrderChoice{};
    double largest_step = is_there ? drives_[k]->largest_step : 0.0;
    const integrate::Method* const method_here = method;
    const integrate::OrderChoice orders_here = orders;
    method_field(a, method);
    a(orders.max_order, orders.fixed_order, largest_step);
    if (!a.is_loading() || !a.ok()) {
      continue;
    }
    if (is_there && (method != method_here || !(orders == orders_here))) {
      a.refuse("methods of a run do not fit");
    } else if (!is_there && method != nullptr) {
      // The evaluator is a place holder: rejoin(), or a restart, gives the right one.
      drives_.push_back(std::make_unique<Drive>(options_, *method, orders, largest_step, nullptr,
                                                *first_evaluator_, tolerances_));
    }
  }
  for (const auto& drive : drives_) {
    a(*drive);
  }
}

void Engine::mode_fields(Archive& a) {
  const std::uint64_t n_modes = counted(a, modes_.size());
  if (a.is_loading() && a.ok()) {
    modes_.resize(n_modes);
  }
  for (std::size_t k = 0; k < modes_.size() && a.ok(); ++k) {
    std::unique_ptr<ModeChoice>& choice = modes_[k];
    bool is_there = choice != nullptr;
    a(is_there);
    if (a.is_loading()) {
      choice = is_there ? std::make_unique<ModeChoice>() : nullptr;
    }
    if (choice == nullptr) {
      continue;
    }
    std::uint64_t place = 0;
    while (place < drives_.size() && drives_[place].get() != choice->drive) {
      ++place;
    }
    a(choice->id, place, choice->stiffness);
    method_field(a, choice->other_method);
    if (place >= drives_.size()) {
      a.refuse("methods of a run do not fit");
      return;
    }
    choice->drive = drives_[place].get();
  }
  // What mode_ was before is gone where another run is loaded.
  std::uint64_t now = a.is_loading() || mode_ == nullptr ? modes_.size() : mode_->id.index();
  a(now);
  if (!a.ok() || now >= modes_.size() || modes_[now] == nullptr) {
    a.refuse("methods of a run do not fit");
    return;
  }
  mode_ = modes_[now].get();
}

void Engine::fields(Archive& a) {
  // Not saved: names_, quantities_, nominal_, tolerances_, first_evaluator_.
  drive_fields(a);
  mode_fields(a);
  a(search_, decider_);
}

// Modes are entered anew in the order in which they were, by their structures.
void ModeCache::mode_fields(Archive& a) {
  const std::uint64_t n_modes = counted(a, modes_.size());
  for (std::uint64_t k = 0; k < n_modes && a.ok(); ++k) {
    system::StructureId structure = k < modes_.size() ? modes_[k]->structure : system::StructureId{};
    bool slides = k < modes_.size() && modes_[k]->sliding != nullptr;
    system_.structure_fields(a, structure);
    a(slides);
    if (!a.is_loading() || !a.ok()) {
      continue;
    }
    const auto entered = mode(structure);
    if (!entered || modes_.size() != k + 1) {
      a.refuse("a mode cannot be entered again");
      return;
    }
    if (slides) {
      (void)sliding_in(**entered);
    }
  }
  std::uint64_t n_ranked = counted(a, ranked_.size());
  ranked_.resize(n_ranked);
  for (system::StructureId& structure : ranked_) {
    system_.structure_fields(a, structure);
  }
}

void ModeCache::pair_fields(Archive& a) {
  const std::uint64_t n_pairs = counted(a, pairs_.size());
  for (std::uint64_t k = 0; k < n_pairs && a.ok(); ++k) {
    auto* plus = const_cast<ModeData*>(k < pairs_.size() ? pairs_[k].plus : nullptr);
    auto* minus = const_cast<ModeData*>(k < pairs_.size() ? pairs_[k].minus : nullptr);
    a.pointer(plus);
    a.pointer(minus);
    if (plus == nullptr || minus == nullptr) {
      a.refuse("pairs of modes do not fit");
      return;
    }
    PairField& pair = between(*plus, *minus);
    if (pair.mapped) {
      a.know<system::Evaluator>(*pair.mapped);
    }
    if (pair.field) {
      a.know<system::Evaluator>(*pair.field);
    }
  }
}

// What refers to others comes before them, where it asks them while it is loaded: fields of slides before the evaluators of modes.
void ModeCache::fields(Archive& a) {
  mode_fields(a);
  for (const auto& mode : modes_) {
    a.know(*mode);
    a.know(*mode->locked);
    a.know<system::Evaluator>(*mode->evaluator);
    if (mode->sliding) {
      a.know<system::Evaluator>(*mode->sliding);
    }
  }
  pair_fields(a);
  if (!a.ok()) {
    return;
  }
  for (const auto& mode : modes_) {
    a(mode->sliding);
  }
  for (const Pair& pair : pairs_) {
    a(pair.field->mapped, pair.field->field);
  }
  for (const auto& mode : modes_) {
    // Not saved: of its structure id, structure, info, locked, by_ranks, engine, guards, searched, smooth_kinks.
    a(mode->evaluator, mode->has_run, mode->rounds, mode->conditions, mode->solution);
    if (mode->evaluator->has_runner()) {
      a.know(mode->locked->residual_form());
    }
  }
  for (const auto& engine : engines_) {
    a.know(*engine);
    a(*engine);
  }
}

void RunState::fields(Archive& a) {
  // Not saved: guards_, direction_, time_scale_; how it ended has_ended_; what is made for a moment mode_text_, gradient_, moved_.
  if (!instant.draft.is_empty()) {
    a.refuse("an instant is not over");
  }
  a(modes, at, roots, instant.changes, instant.left_limit, instant.left_limit_mode,
    instant.is_left_limit_told, instant.leaves_band);
  a(values, refusal.guard, refusal.reason, segment, counters, is_step_searched, has_warned_of_jump_,
    is_touched_);
  const auto n_guards = static_cast<Index>(guards_.size());
  for (const LatchChange& change : instant.changes) {
    if (change.guard < 0 || change.guard >= n_guards) {
      a.refuse("changes of sides do not fit");
    }
  }
  if (refusal.guard < -1 || refusal.guard >= n_guards) {
    a.refuse("changes of sides do not fit");
  }
  std::uint64_t n_changes = counted(a, outcome.method_changes.size());
  outcome.method_changes.resize(n_changes);
  for (MethodChange& change : outcome.method_changes) {
    const integrate::Method* from = integrate::find_method(change.from);
    const integrate::Method* to = integrate::find_method(change.to);
    method_field(a, from);
    method_field(a, to);
    a(change.t, change.mode, change.reason, change.h_lambda);
    change.from = from == nullptr ? "" : from->name;
    change.to = to == nullptr ? "" : to->name;
  }
  a(outcome.method_uses, outcome.sizes, outcome.explanation);
}

}  // namespace saltus::settle

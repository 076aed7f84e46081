#include "sensitivity/adjoint/go_back.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "sensitivity/adjoint/backward_flow.hpp"
#include "sensitivity/adjoint/instant_pullback.hpp"
#include "sensitivity/instant/stretch_start.hpp"
#include "sensitivity/instant/touches.hpp"

namespace saltus::sensitivity {

class WayBack::Path {
  struct BackwardStretch {
    BackwardStretch(const AdjointSources& sources, StretchFacts facts) : field(sources, std::move(facts)) {
      if (field.failure().empty()) {
        flow = std::make_unique<BackwardFlow>(field);
      }
    }

    AdjointField field;
    std::unique_ptr<BackwardFlow> flow;  // null where the field has a failure
  };

 public:
  Path(const system::HybridSystem& system, const hybrid::Options& options, std::span<const double> guess,
       const Setup& setup, std::size_t n_states, const AdjointQuestion& question)
      : setup_(setup),
        question_(question),
        sources_(system, options, guess, setup, n_states),
        touches_(sources_.rest()),
        instants_(sources_),
        fast_instants_(sources_, [this](const TapeStretch& kept) -> AdjointField* {
          BackwardStretch& stretch = stretch_of(kept);
          return stretch.field.failure().empty() ? &stretch.field : nullptr;
        }) {
    sums_.discrete.assign(system.discrete().size(), 0.0);
    sums_.gradient.assign(setup.columns.size(), 0.0);
  }

  bool pass(const Tape& piece) {
    const std::vector<TapeStretch>& stretches = piece.stretches();
    if (stretches.empty() || !piece.is_whole()) {
      return fail(0.0, "the run cannot be followed backwards");
    }
    // Fields that are held belong to stretches of a piece.
    drop_held();
    bool goes_on = has_begun_ || begin_at_end(piece);
    has_begun_ = true;
    for (std::size_t s = stretches.size(); s-- > 0 && goes_on;) {
      goes_on = pass_stretch(stretches[s]) && pass_instant(piece, s);
    }
    drop_held();
    return goes_on;
  }

  AdjointAnswer finish() {
    if (!answer_.problem.empty()) {
      return std::move(answer_);
    }
    collect();
    answer_.gradient = sums_.gradient;
    const std::size_t n = setup_.columns.size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < sums_.x.size(); ++i) {
        answer_.gradient[k] += sums_.x[i] == 0.0 ? 0.0 : sums_.x[i] * setup_.x[i * n + k];
      }
      for (std::size_t i = 0; i < sums_.discrete.size(); ++i) {
        answer_.gradient[k] +=
            sums_.discrete[i] == 0.0 ? 0.0 : sums_.discrete[i] * setup_.discrete[i * n + k];
      }
      if (!setup_.columns[k].undefined.empty()) {
        answer_.gradient[k] = std::nan("");
      }
    }
    return std::move(answer_);
  }

 private:
  bool fail(double t, std::string problem) {
    answer_.t = t;
    answer_.problem = std::move(problem);
    return false;
  }

  [[nodiscard]] const InstantWeights& weights_of(const TapeInstant& instant) const {
    static const InstantWeights kNothing;
    static const InstantWeights kCounted{{}, {}, 0.0, true};
    if (instant.number == 0 || question_.instants.empty()) {
      return kNothing;
    }
    const auto found = question_.instants.find(instant.number);
    return found != question_.instants.end()                     ? found->second
           : instant.number < question_.instants.rbegin()->first ? kCounted
                                                                 : kNothing;
  }

  // λ of the last values.
  bool begin_at_end(const Tape& piece) {
    const TapeStretch& last = piece.stretches().back();
    if (piece.last_instant()) {
      const TapeInstant& instant = *piece.last_instant();
      const bool is_passed = instants_.pass_last(last, instant, question_.final_values, weights_of(instant),
                                                 last.last_step, sums_);
      return is_passed || fail(instant.move.t, instants_.problem());
    }
    sums_.x.assign(last.x.size(), 0.0);
    if (question_.final_values.empty()) {
      return true;
    }
    BackwardStretch& stretch = stretch_of(last);
    if (!stretch.field.failure().empty()) {
      return fail(last.from, stretch.field.failure());
    }
    Pulled pulled;
    if (!stretch.field.pull_outputs(last.t_end, last.x_end, question_.final_values, pulled).ok()) {
      return fail(last.t_end, "the last values have no derivatives");
    }
    if (const std::string problem = event_at_end(stretch.field, last, pulled); !problem.empty()) {
      return fail(last.t_end, problem);
    }
    sums_.x = pulled.x;
    stretch.field.keep(AdjointField::Of::outputs, 1.0, pulled, sums_);
    return true;
  }

  // A guard whose sides matter is so close to its surface at the stop that parameters decide whether it crosses before it. Empty: there is none.
  std::string event_at_end(AdjointField& end, const TapeStretch& last, const Pulled& pulled) {
    const FieldSource& source = sources_.rest();
    StretchField& field = end.field();
    const hybrid::Options& options = source.options;
    const InstantPoint point{last.t_end, last.x_end, {}, {}, {}, std::abs(last.last_step)};
    const double time = options.tolerances.rtol * std::abs(options.stop - options.start);
    for (const GuardPlace& place : guard_places(source, field, last.t_end, last.x_end, {})) {
      const GuardRate rate = rate_of_guard(source, field, place.guard, point);
      const double reach = kTolerancesOfReach * std::max(rate.change, time * std::abs(rate.value));
      if (place.distance > reach) {
        continue;
      }
      if (!rate.grazes && touch_surface(source, field, place, point).matters) {
        return "an event lies at the end of the run";
      }
      if (!have_other_values(end, last, place, pulled)) {
        continue;
      }
      if (!rate.grazes) {
        return choice_problem(place.guard);
      }
      resting_.push_back(place.guard);
    }
    return "";
  }

  [[nodiscard]] std::string choice_problem(Index guard) const {
    return "a choice in the last values changes at '" + condition_of(sources_.rest(), guard) + "'";
  }

  // A guard that rests at zero since it has crossed does so for all parameters. One that the start, or a round, has put there may be moved from it.
  bool passes_rest(const TapeInstant& instant) {
    const settle::InstantMove& move = instant.move;
    for (const settle::InstantMove::Crossing& crossing : move.crossings) {
      std::erase(resting_, crossing.guard);
    }
    const bool sets_states =
        std::any_of(move.steps.begin(), move.steps.end(),
                    [](const settle::MoveStep& step) { return step.round && !step.round->keeps_states; });
    return resting_.empty() || !(move.is_start || sets_states) ||
           fail(move.t, choice_problem(resting_.front()));
  }

  // Beyond the guard what is asked for at the end is another number, or moves otherwise.
  bool have_other_values(AdjointField& end, const TapeStretch& last, const GuardPlace& place,
                         const Pulled& here) {
    StretchField& field = end.field();
    const auto sum_at = [&](const system::Configuration& configuration) {
      field.set_configuration(configuration);
      std::vector<double> values(question_.final_values.size());
      double sum = 0.0;
      if (!field.evaluator().outputs(last.t_end, last.x_end, values).ok()) {
        return std::nan("");
      }
      for (std::size_t v = 0; v < values.size(); ++v) {
        sum += question_.final_values[v] == 0.0 ? 0.0 : question_.final_values[v] * values[v];
      }
      return sum;
    };
    const std::vector<system::Configuration> others = other_sides(sources_.rest(), field, place);
    const bool are_other = std::any_of(others.begin(), others.end(), [&](const auto& configuration) {
      const double own_sum = sum_at(field.facts().configuration);
      const double other_sum = sum_at(configuration);
      Pulled there;
      const double distance = kTolerancesOfReach * rtol() * std::max(std::abs(own_sum), 1.0);
      return !(std::abs(own_sum - other_sum) <= distance) ||
             !end.pull_outputs(last.t_end, last.x_end, question_.final_values, there).ok() ||
             !agree(here.x, there.x) || !agree(here.discrete, there.discrete) ||
             !agree(here.gradient, there.gradient) || !agree(here.share, there.share);
    });
    field.set_configuration(field.facts().configuration);
    return are_other;
  }

  [[nodiscard]] double rtol() const { return sources_.rest().options.tolerances.rtol; }

  // Up to the accuracy of derivatives, in the size of the largest.
  [[nodiscard]] bool agree(std::span<const double> one, std::span<const double> other) const {
    double size = 0.0;
    double distance = one.size() == other.size() ? 0.0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
      size = std::max({size, std::abs(one[i]), std::abs(other[i])});
      distance = std::max(distance, std::abs(one[i] - other[i]));
    }
    return distance <= agreement(rtol()) * size;
  }

  // Held on surfaces a field belongs to one stretch; else to all stretches of its structure.
  BackwardStretch& stretch_of(const TapeStretch& kept) {
    if (!kept.facts.surfaces.empty()) {
      if (held_for_ != &kept) {
        drop_held();
        held_ = std::make_unique<BackwardStretch>(sources_, kept.facts);
        held_for_ = &kept;
      }
      return *held_;
    }
    const auto known = std::find_if(plain_.begin(), plain_.end(), [&](const auto& plain) {
      return plain->field.failure().empty() && plain->field.field().facts().structure == kept.facts.structure;
    });
    if (known != plain_.end()) {
      (*known)->field.take(kept.facts);
      return **known;
    }
    return *plain_.emplace_back(std::make_unique<BackwardStretch>(sources_, kept.facts));
  }

  bool pass_stretch(const TapeStretch& kept) {
    if (kept.is_at_rest) {
      return fail(kept.from, "the solution rests where events accumulate");
    }
    if (sums_.x.size() != kept.x.size()) {
      return fail(kept.from, "the states are others than before");
    }
    BackwardStretch& stretch = stretch_of(kept);
    if (!stretch.field.failure().empty()) {
      return fail(kept.from, stretch.field.failure());
    }
    if (!passes_touches(stretch.field.field(), kept)) {
      return false;
    }
    stretch.flow->begin();
    for (std::size_t i = kept.steps.size(); i-- > 0;) {
      stretch.field.field().set_time_size(std::abs(kept.steps[i].h));
      if (!stretch.flow->pass(kept.steps[i], sums_).ok()) {
        return fail(kept.steps[i].start.value(),
                    "the equations have no derivatives on the step that begins there");
      }
    }
    if (kept.has_new_ranks) {
      // Before it the ranks were others, and so is the field.
      collect();
      plain_.clear();
    }
    return true;
  }

  // Where a guard whose sides matter comes so close to its surface that the run does not tell whether it crosses, parameters decide.
  bool passes_touches(StretchField& field, const TapeStretch& kept) {
    touches_.begin(field);
    std::vector<double> x(field.n_states());
    for (const TapeStep& step : kept.steps) {
      for (const Touch& touch : touches_.find(field, step.view())) {
        step.view().evaluate((touch.t - step.start.value()) / step.h, x);
        const SurfaceTouched touched =
            touch_surface(sources_.rest(), field, touch.place, {touch.t, x, {}, {}, {}, std::abs(step.h)});
        if (touch.is_within_error() && touched.matters) {
          return fail(touch.t, touched.problem);
        }
      }
    }
    return true;
  }

  bool pass_instant(const Tape& piece, std::size_t s) {
    const TapeStretch& after = piece.stretches()[s];
    const TapeStretch* const before = s == 0 ? nullptr : &piece.stretches()[s - 1];
    if (!after.instant) {
      return true;
    }
    const TapeInstant& instant = *after.instant;
    const InstantWeights& weights = weights_of(instant);
    if (!passes_rest(instant)) {
      return false;
    }
    if (before == nullptr) {
      return instants_.pass_start(instant, after, weights, sums_) ||
             fail(instant.move.t, instants_.problem());
    }
    return fast_instants_.pass(*before, instant, after, weights, before->last_step, sums_) ||
           instants_.pass(*before, instant, after, weights, before->last_step, sums_) ||
           fail(instant.move.t, instants_.problem());
  }

  void drop_held() {
    if (held_ != nullptr) {
      held_->field.collect(sums_.gradient);
      held_ = nullptr;
      held_for_ = nullptr;
    }
  }

  void collect() {
    fast_instants_.collect(sums_.gradient);
    for (const auto& plain : plain_) {
      plain->field.collect(sums_.gradient);
    }
    if (held_ != nullptr) {
      held_->field.collect(sums_.gradient);
    }
  }

  const Setup& setup_;
  const AdjointQuestion& question_;
  AdjointSources sources_;
  TouchSearch touches_;
  InstantColumns instants_;
  InstantPullback fast_instants_;  // of those that offer it
  AdjointSums sums_;
  std::vector<std::unique_ptr<BackwardStretch>> plain_;  // by structure
  std::unique_ptr<BackwardStretch> held_;                // of a stretch on surfaces
  const TapeStretch* held_for_ = nullptr;
  std::vector<Index> resting_;  // guards at the end whose sides what is asked for tells apart
  bool has_begun_ = false;
  AdjointAnswer answer_;
};

WayBack::WayBack(const system::HybridSystem& system, const hybrid::Options& options,
                 std::span<const double> guess, const Setup& setup, std::size_t n_states,
                 const AdjointQuestion& question)
    : path_(std::make_unique<Path>(system, options, guess, setup, n_states, question)) {}

WayBack::~WayBack() = default;

bool WayBack::pass(const Tape& piece) {
  return path_->pass(piece);
}

AdjointAnswer WayBack::finish() {
  return path_->finish();
}

}  // namespace saltus::sensitivity

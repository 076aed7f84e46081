/// Problem      the earliest instant in a step at which a watched guard leaves its side: θ* in [0, 1] with g(x(θ*)) = level
/// Method       1. Proof that nothing happens, for g ± e_g: from ranges of the states that need no extension (step_ranges.hpp),
///                 by affine guards over them and by interval enclosures that are kept from step to step
///                 (affine_exclusion.hpp, curved_exclusion.hpp). Most steps end here. Then on the extension that costs
///                 nothing, by Bernstein coefficients of affine guards and by enclosures of guards and their rates
///                 (step_enclosure.hpp); guards over variables that equations give implicitly by bounds along the curve
///                 (GuardFunctions::bound_guard, implicit_exclusion.hpp); values at points where there is nothing else
///                 (opaque_exclusion.hpp).
///              2. For the others the extension of the method's order, and on it the first sign change, isolated by
///                 Bernstein subdivision [MRR05], by intervals with the mean value form [Moo66], or, where the guard can only
///                 be evaluated, by resolved interpolation (passage.hpp).
///              3. The root to the last bit of θ, or of guards that hold nothing (Watch::is_coarse) to Detection::event_tolerance, by Chandrupatla's bracketing method [Cha97]; where the states have constraints,
///                 of the guard at the state projected onto them, which is the state that the event will have.
/// Notation     θ local time; s side; ν noise; e_g = Σ |∂g/∂x_i| e_i, e_i = κ (atol_i + rtol |x_i|)
/// Contract     "Leaves its side": s·(g - level) falls below -ν. θ* is then the unbiased sign change before it. A touch that
///              stays within ν is no event, nor is a guard that is zero all along. A root within ν of the end of the step on
///              the way across is found at θ = 1 exactly; one that is not yet on its way belongs to the next step. All
///              watches whose roots are one instant with the first, or close to it while they are zero within ν there, are
///              reported together, in the order of their roots.
///              No excursion beyond the integration tolerance is missed (docs/math/event_location.md says for which
///              guards, and what is promised of opaque ones). guard_watches() says in how many steps each guard was watched how.
///              Nothing allocates after watch() has seen its largest number of watches.
/// Choices      The answer is always that of the full extension: e_g only bounds its distance from the free one.
///              Deflation of a root at the start ends by itself with the first step that starts elsewhere.
///              A guard that leaves its surface may at first be smaller than the error of the trajectory, which may put it on the other
///              side: one or more of its derivatives are zero, or the state that the event left is off a solution to which
///              it returns at once. So until it is further away than the error test allows (Departure, over steps and restarts), a root
///              counts only if the guard has been clear of its surface before by more than the errors that the method
///              estimates, or goes on to more than the error test allows.
///              Within one instant nothing is resolved: a guard with an infinite slope (√d at d = 0) that is on its side at points has not left it.
/// Fails when   enclosures stay undecided within the work limit: `refine`, the caller takes a smaller step. A guard or an
///              extra stage that cannot be evaluated: `failed`.
/// Cost         per step: about 50 operations for each state that occurs in guards, 5 for each term of an affine guard of
///              several terms, 4 for each state of a curved one; the free extension when this is not enough, two evaluations
///              of the right-hand side when a guard may fire.
/// Checked by   tests/unit/locate/
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "integrate/step/open_step.hpp"
#include "locate/affine_exclusion.hpp"
#include "locate/curved_exclusion.hpp"
#include "locate/detection.hpp"
#include "locate/guard_curve.hpp"
#include "locate/implicit_exclusion.hpp"
#include "locate/opaque_exclusion.hpp"
#include "locate/passage.hpp"
#include "locate/step_enclosure.hpp"
#include "locate/step_ranges.hpp"
#include "locate/trusted_box.hpp"
#include "locate/watch.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/segment.hpp"

namespace saltus::locate {

/// How far beyond the end of a step a root may be looked for when a locked side cannot be evaluated beyond its surface
/// (D4, [CMR16]): the extension extrapolates.
inline constexpr double kExtrapolationLimit = 1.3;

/// A watch that crosses, and where.
struct Crossing {
  Index watch = -1;  ///< index into the watches given to watch()
  double theta = 0.0;
};

struct [[nodiscard]] SearchResult {
  enum class Kind : std::uint8_t {
    none,    ///< nothing happens in the step
    found,   ///< the crossings, all of one instant
    refine,  ///< not decided: take a step of `theta` times this size and look again
    failed,  ///< `evaluation` says why
  };
  Kind kind = Kind::none;
  double theta = 0.0;         ///< found: of the first crossing
  bool extrapolated = false;  ///< θ > 1
  /// Ordered by θ, then by watch; valid until the next search.
  std::span<const Crossing> crossings = {};
  system::Evaluation evaluation = {};

  [[nodiscard]] bool found() const { return kind == Kind::found; }
};

struct SearchCounters {
  std::int64_t guard_evaluations = 0;  ///< values of single guards
  std::int64_t enclosures = 0;         ///< of single guards over boxes
  std::int64_t full_extensions = 0;    ///< steps for which the free extension did not suffice
  std::int64_t root_iterations = 0;    ///< of the bracketing method
  std::int64_t newton_iterations = 0;  ///< of shifted locations
  std::int64_t overtaken = 0;  ///< located roots before which another guard had one ([Com01] 5.2.2, case II)
  std::int64_t without_root =
      0;  ///< guards that could not be excluded and had no root in the step (case III)

  void fields(Archive& a) {
    a(guard_evaluations, enclosures, full_extensions, root_iterations, newton_iterations, overtaken,
      without_root);
  }
};

class EventSearch {
 public:
  EventSearch(Index n_states, Detection detection);

  /// What to look for from now on, in the present configuration of the evaluator (which outlives the searches). Call again
  /// whenever the configuration or a side has changed.
  void watch(system::ProjectedGuards& evaluator, std::span<const Watch> watches);
  [[nodiscard]] std::span<const Watch> watches() const { return watches_; }
  /// Where values at points are all there is, nine of them stand for no more time than this.
  void set_longest_sampled_piece(double time) { longest_sampled_piece_ = time; }
  [[nodiscard]] double longest_sampled_piece() const { return longest_sampled_piece_; }

  /// The first event of an open step. `time_scale`: see time_tolerance(). `reach`: 1, or up to
  /// kExtrapolationLimit for one-sided location; then a guard that comes to zero within its noise at the end of the step
  /// without crossing is found there too, because its side may end there.
  /// After loading (base/archive.hpp): the evaluator with which this was saved.
  void rejoin(system::ProjectedGuards& evaluator) { evaluator_ = &evaluator; }
  SearchResult first_event(integrate::DenseStep& step, double time_scale, double reach = 1.0);

  /// The step that was searched last is kept up to θ: takes down how far watches have got that are leaving their surface.
  void step_kept(double theta);
  [[nodiscard]] bool has_leaving() const { return n_leaving_ > 0; }

  /// Region of concurrency (C28): right after a found event, the events up to `time` after it that can happen together
  /// with it. The answer's θ is the latest root at which all guards that have crossed before are still within
  /// `amplitude` of zero; its crossings are those up to there.
  SearchResult concurrent(const SearchResult& first, double time, double amplitude);

  /// Shifted location of [Com01] (5.4), (5.5): from a root θ the place where g is past (bilateral) or before
  /// (unilateral) its level by ε_g = ε_d + ε_m/2, to ε_d, by Newton's method. Stays within [0, reach of the search].
  double shifted(Index watch, double theta, double epsilon_d, bool past);

  /// The extension that the last search ended on; the full one after `found`. Valid until the next attempt or restart. Made
  /// when it is asked for where the search needed none.
  [[nodiscard]] const trajectory::SegmentView& segment() const {
    make_segment();
    return segment_;
  }
  /// The last search has made the full extension of a step whose rows would come from the other.
  [[nodiscard]] bool has_taken_full_extension() const { return has_taken_full_; }
  [[nodiscard]] const SearchCounters& counters() const { return counters_; }
  /// By guard, as far as the guards that were ever watched.
  [[nodiscard]] const std::vector<GuardWatch>& guard_watches() {
    count_watches();
    return guard_watches_;
  }

  void fields(Archive& a);

 private:
  // What is known while the candidates are gone through.
  struct Isolation {
    double first = std::numeric_limits<double>::infinity();      // the earliest root
    double undecided = std::numeric_limits<double>::infinity();  // where the first undecided stretch begins
    system::Evaluation failure = {};
  };

  [[nodiscard]] bool deflates(std::size_t index) const {
    return at_origin_ && watches_[index].starts_at_root;
  }
  // The free extension, unless there is one.
  void make_segment() const;
  [[nodiscard]] GuardCurve curve(std::size_t index);
  // What a guard is known by in the step that was searched last.
  struct GuardErrors {
    double allowed = 0.0;    // what the error test allows it to be off
    double estimated = 0.0;  // what the method estimates of this step
    double roundings = 0.0;  // what the roundings of the states on an extension do to it
    // Across the constraints it is so steep that it means something only where they are met.
    bool reads_constraints = false;
    std::int64_t search = -1;  // by which this was found
  };
  // Whether states of the extension satisfy the constraints of the system only after a projection.
  [[nodiscard]] bool projects() const {
    return evaluator_->projection() != system::Projection::none && detection_.rule == Detection::Rule::bound;
  }
  [[nodiscard]] static double noise(const GuardCurve& curve, double end);
  void exclude(const integrate::OpenStep& step);
  [[nodiscard]] bool excluded_by_ranges(const integrate::OpenStep& step);
  [[nodiscard]] bool excluded_by_enclosure(std::size_t index);
  [[nodiscard]] bool excluded_by_rate(std::size_t index, const Interval& rate);
  void widen_by_projection();
  void count_watches();
  void note_sampled(std::size_t index);
  [[nodiscard]] int sampled_pieces() const;
  Passage passage(std::size_t index, double end, double least_noise = 0.0);
  [[nodiscard]] bool goes_through();
  [[nodiscard]] bool is_leaving(std::size_t index) const {
    return deflates(index) || watches_[index].departure.is_leaving;
  }
  [[nodiscard]] bool has_not_departed(std::size_t index, double theta);
  [[nodiscard]] bool is_held_by_equations(std::size_t index, double end);
  [[nodiscard]] double clear_root(std::size_t index, double theta, double end, double slack,
                                  Isolation& isolation);
  [[nodiscard]] const GuardErrors& errors(std::size_t index);
  void find_errors(std::size_t index, GuardErrors& errors);
  [[nodiscard]] double estimated_error(std::span<const double> slopes) const;
  Passage sampled_signs(const CurveTask& task) const;
  void consider(Index candidate, double slack, double end, Isolation& isolation);
  SearchResult isolate(double slack);
  double root(std::size_t index, const Passage& passage, double slack);
  double affine_root(std::size_t index, const Passage& passage);
  double root_on_constraints(std::size_t index, double theta);
  [[nodiscard]] bool is_located_as_affine(std::size_t index);
  // Of brackets of its roots, in θ; 0: to the last bit.
  [[nodiscard]] double coarse_width(std::size_t index) const;
  [[nodiscard]] bool is_zero_at(std::size_t index, double theta);
  SearchResult group(double slack);
  SearchResult arrived_at_wall();

  Index n_states_;
  Detection detection_;
  system::ProjectedGuards* evaluator_ = nullptr;
  std::vector<Watch> watches_;
  std::vector<system::GuardShape> shapes_;     // by watch
  std::vector<std::uint32_t> affine_entries_;  // by watch: where it stands in affine_
  StepRanges ranges_;
  TrustedBox box_;
  AffineExclusion affine_;
  CurvedExclusion curved_;
  ImplicitExclusion implicit_;
  OpaqueExclusion opaque_;
  StepEnclosure enclosure_;
  PassageFinder finder_;

  int n_leaving_ = 0;

  bool has_origin_ = false;
  bool at_origin_ = false;  // the step starts where the watches began
  trajectory::CompensatedTime origin_;
  integrate::DenseStep* step_ = nullptr;  // of the last search
  mutable trajectory::SegmentView segment_;
  mutable bool has_segment_ = false;
  bool has_taken_full_ = false;
  double reach_ = 1.0;
  bool is_instant_ = false;   // the step is
  double resolution_ = 0.0;   // of interpolants, relative
  AffineCurve affine_curve_;  // of the passage found last
  std::vector<double> x_;
  std::vector<double> gradient_;
  std::vector<GuardErrors> errors_;  // by watch
  std::int64_t n_searches_ = 0;
  std::vector<Index> curved_candidates_;
  std::vector<Index> candidates_;
  std::vector<Index> failed_;
  std::vector<Index> retry_;
  std::vector<Crossing> crossings_;
  std::vector<double> displacement_;  // by projection in the middle of the step
  double longest_sampled_piece_ = std::numeric_limits<double>::infinity();
  std::int64_t n_steps_ = 0;                // since watch()
  std::vector<std::int64_t> n_sampled_;     // of these, by watch
  std::vector<std::int64_t> last_sampled_;  // the last of them
  bool is_sampled_ = false;                 // the guard that is looked at
  std::vector<GuardWatch> guard_watches_;
  SearchCounters counters_;
  system::Evaluation evaluation_;
};

}  // namespace saltus::locate

/// Impacts: gaps of contact(gap, force, e) that are zero and close (docs/semantics.md 7.11).
///
/// Problem      The forces of all contacts whose gaps are zero act together, with friction forces that follow from them, for no time. With
///              B_k(s) what the force of contact k does to ẋ while all of them are open, the impulses P give
///                x⁺ = x⁻ + Σ_k P_k·B_k(s),    0 ≤ P_k ⟂ ġ_k⁺ + e_k·ġ_k⁻ ≥ 0                  (Newton's law for all contacts together, [Mor88], [PG96])
///              and the weights s of conditions and directions (sign(v), direction(v)) that B depends on are those of x⁺:
///              v⁺ > 0 where s = 1, v⁺ < 0 where s = -1, v⁺ = 0 where |s| < 1; v⁺ along s where |s| = 1 for a direction
/// Method       B from two evaluations of ẋ with forces 0 and p (flat/contacts.hpp). The problem is one on half-lines, intervals and balls
///              (slide/decide/ball_problem.hpp), bilinear in P and s: linearised and solved again (nonlinear/box_newton.hpp)
/// Notation     g_k the gap, ġ its rate; P in units of |ġ⁻|/A_kk, A_kk = ∂ġ_k/∂P_k
///              By Poisson's law ([PG96] 8) there are two such problems. Compression: γ_c = ġ⁻ + …, 0 ≤ P_c ⟂ γ_c ≥ 0; expansion from there: P_e
///              = e·P_c + P, 0 ≤ P ⟂ ġ⁺ ≥ 0; each with the weights of the velocities at its end.
/// Contract     find() changes nothing. take() moves the point to x⁺, in the structure in which all these contacts are open; which of them
///              close is decided after it.
/// Choices      Friction impulses oppose the velocity *after* the impact. A rebound that changes every state by less than an error of one tolerance, or
///              whose height or time is rounding, is none: e counts as 0, and a contact that impulses of others would throw no further is held.
///              So bouncing ends, of several contacts together too, with an error within the tolerance.
/// Fails when   no impulses are found, or a contact presses itself together (A_kk ≤ 0, Painlevé's case): `impact_not_decided`; the effect of a force
///              depends on itself or on velocities that it changes: `impact_not_decided`
/// Checked by   tests/events/contact_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "settle/check/guard_survey.hpp"
#include "settle/enter/event_log.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/state/run_state.hpp"
#include "slide/decide/ball_problem.hpp"

namespace saltus::settle {

class Impacts {
 public:
  Impacts(RunState& state, GuardSurvey& survey);

  enum class Answer : std::uint8_t { none, some, ended };
  /// At the present point.
  [[nodiscard]] Answer find();
  /// After some were found.
  void take();
  /// The contacts that had an impulse.
  void log(EventLog& log) const;
  /// Impacts until no gap closes: a gap that was opening may close after one. `begin` is called before each, `record` after it; false of
  /// either: the run ended. `stop_sliding` forgets what was decided before.
  /// some: there was one.
  template <class Begin, class StopSliding, class Record>
  [[nodiscard]] Answer meet(const Begin& begin, const StopSliding& stop_sliding, const Record& record);
  /// Ends the run: impacts of one instant do not come to an end.
  void end_at_limit();

 private:
  struct Meeting {
    Index gap = -1;
    double rate = 0.0;  // before
    double rate_after = 0.0;
    double restitution = 0.0;  // as it counts
    bool is_held = false;  // impulses of others throw it, but not as far as can be seen: it keeps its contact
    double impulse = 0.0;
    double force = 1.0;       // with which the response is asked
    double lift = 0.0;        // A_kk, with the sides before
    bool is_pressed = false;  // … beyond rounding below zero
    double unit = 1.0;        // of the impulse
  };
  // What is solved for at a time: all of an impact by Newton's law, compression or expansion by Poisson's.
  struct Phase {
    std::vector<double> from;  // states at its begin
    std::vector<double>
        given;  // impulses that act in any case, by meeting; below zero: what may hold a contact
    std::vector<double> rates;  // of gaps at its end, at least
  };
  struct Law;  // nonlinear/box_newton.hpp

  [[nodiscard]] bool gather();
  [[nodiscard]] bool open();
  [[nodiscard]] bool find_rates();
  [[nodiscard]] bool find_units();
  [[nodiscard]] bool find_weights();
  [[nodiscard]] bool solve();
  [[nodiscard]] bool solve_phases();
  [[nodiscard]] bool solve_phase();
  [[nodiscard]] bool is_independent();
  [[nodiscard]] bool leave_out_rebounds();
  [[nodiscard]] static double rebound_of(const Meeting& meeting);
  [[nodiscard]] bool is_no_rebound(std::size_t k);
  [[nodiscard]] double least_impulse(const Meeting& meeting) const;
  [[nodiscard]] bool moves(const Meeting& meeting);
  [[nodiscard]] bool closes(const Meeting& meeting);
  [[nodiscard]] bool opens(const Meeting& meeting);
  [[nodiscard]] bool is_any_pressed();
  void rest_what_sticks();
  bool fail_pressed(const Meeting& meeting);
  [[nodiscard]] bool differs(std::span<const double> a, std::span<const double> b) const;
  template <class HasEffect>
  void take_direction(Index norm, const HasEffect& has_effect);
  [[nodiscard]] bool rate_of(Index gap, std::span<const double> x, double& rate, double* noise = nullptr);
  [[nodiscard]] bool respond(std::span<const double> x);
  void take_rounding_away(std::span<double> response) const;
  void give_weights(std::span<const double> unknowns);
  [[nodiscard]] bool evaluate_law(std::span<const double> unknowns);
  [[nodiscard]] bool evaluate_quantities(std::span<const double> x);
  bool fail(const system::Evaluation& evaluation);
  bool fail(const std::string& message);
  [[nodiscard]] const std::string& name_of(const Meeting& meeting) const;
  [[nodiscard]] std::string names() const;
  [[nodiscard]] std::size_t n_unknowns() const { return meetings_.size() + weights_.size(); }
  [[nodiscard]] std::span<double> response(std::size_t k) {
    return std::span<double>(responses_).subspan(k * x_.size(), x_.size());
  }

  RunState& state_;
  GuardSurvey& survey_;
  ModeEntry entry_;
  Transfer transfer_;
  std::vector<Index> gaps_;  // of the system
  std::vector<Meeting> meetings_;
  // Where all of them are open.
  ModeData* open_ = nullptr;
  system::Configuration configuration_;
  std::vector<std::uint8_t> follows_;  // states by ranks that are algebraic; empty: not by ranks
  std::vector<double> x_;
  // What the response depends on: sides of conditions, elements of directions.
  std::vector<Index> weights_;
  std::vector<Index> norms_;  // of these
  std::vector<slide::BallProblem::Set> sets_;
  slide::BallProblem problem_;
  Phase phase_;
  // Unknowns: impulses in their units, then weights.
  std::vector<double> unknowns_;
  std::vector<double> start_;
  std::vector<double> answer_;
  std::vector<double> forces_;
  std::vector<double> matrix_;
  std::vector<double> vector_;
  std::vector<double> responses_;  // B, by meeting
  std::vector<double> still_;      // ẋ without forces
  std::vector<double> x_after_;
  std::vector<double> values_;
  std::vector<double> noises_;  // of values_
  std::vector<double> work_;
};

template <class Begin, class StopSliding, class Record>
Impacts::Answer Impacts::meet(const Begin& begin, const StopSliding& stop_sliding, const Record& record) {
  for (std::int64_t n_impacts = 0;; ++n_impacts) {
    const Answer answer = find();
    if (answer != Answer::some) {
      return answer == Answer::none && n_impacts > 0 ? Answer::some : answer;
    }
    if (n_impacts == state_.options().max_rounds) {
      end_at_limit();
      return Answer::ended;
    }
    if (!begin()) {
      return Answer::ended;
    }
    stop_sliding();
    take();
    if (!record()) {
      return Answer::ended;
    }
  }
}

}  // namespace saltus::settle

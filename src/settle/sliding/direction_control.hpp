/// direction(v): a vector that comes to zero, is held there, and leaves.
///
/// Problem      direction(v) = v/|v|, and at v = 0 any vector of the unit ball: v stays at zero while one of them keeps it there (Coulomb
///              friction in the plane: a disc, no box), and leaves along another one where none does
/// Method       v counts as zero within its reach (state/direction_reach.hpp). There the rates of its elements, and those of the other guards
///              that are zero, are affine in the components w and the weights: the problem of slide/decide/ball_problem.hpp
///              says whether |w| ≤ 1 holds v, and if not in which direction d it leaves: v̇ = c·d, c > 0. Held, the elements of v are surfaces
///              that are slid on, with w as their weights and one exit, 1 - |w| (slide/field/sliding_field.hpp). Where
///              v comes within its reach its direction is kept until it arrives, r/(-ṙ) later with r = |v|; where v leaves zero the direction d is kept
///              until it is beyond its reach: v + B·d with a large B takes the place of v in direction(v). So the equations are smooth through zero and
///              not stiff beside it (v/|v| has slopes 1/r). Over so short a way a direction does not turn by what v would show.
/// Notation     norm: the guard |v|; components: those of its elements, whose latched numbers are w, or B·d (system::direction_state)
/// Contract     decide() puts what it finds into the configuration: a norm is held, or near, and its components are slid on, or not.
/// Choices      rates of the first order alone: a relation that is zero together with v and that nothing moves keeps its side.
/// Fails when   no weights are found, or a relation would slide and may not: `no_sliding_solution`
/// Checked by   tests/events/direction_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "settle/state/run_state.hpp"
#include "slide/decide/ball_problem.hpp"
#include "slide/decide/decision.hpp"

namespace saltus::settle {

class DirectionControl {
 public:
  explicit DirectionControl(RunState& state) : state_(state) {}

  /// Whether elements of vectors are among these guards.
  [[nodiscard]] bool concerns(std::span<const Index> guards) const;
  /// Guards that are zero: elements of vectors, whole vectors of them, and relations. `before`: their sides. `is_leaving` by guard of
  /// `zero`: the exit of its vector has led here. Null: it is decided.
  [[nodiscard]] std::optional<Failure> decide(const slide::DecisionPoint& point, std::span<const Index> zero,
                                              std::span<const double> before,
                                              std::span<const double> leaving);
  /// The components of vectors that are held become what holds them at the present point, with the field that has led there.
  void take_weights();
  /// What was decided of relations.
  [[nodiscard]] const slide::Decision& relations() const { return relations_; }
  /// When a vector arrives at zero that is on its way there (kArriving).
  [[nodiscard]] double arrival_of(Index norm) const;
  /// Whether a vector that is near zero is held there, with all that is slid on now.
  [[nodiscard]] bool would_hold(const slide::DecisionPoint& point, Index norm);
  /// A vector is held no more, and nothing is known of where it goes.
  void release(Index norm);
  /// The reaches of all vectors at the present point.
  void renew_reaches();

 private:
  struct Vector {
    Index norm = -1;
    std::size_t first = 0;  // of its places in the problem
    std::size_t size = 0;
    bool is_leaving = false;
  };
  void gather(std::span<const Index> zero, std::span<const double> before, std::span<const double> leaving);
  [[nodiscard]] system::Evaluation evaluate(const slide::DecisionPoint& point);
  [[nodiscard]] system::Evaluation linearize(const slide::DecisionPoint& point);
  [[nodiscard]] std::optional<Failure> solve(const slide::DecisionPoint& point);
  [[nodiscard]] system::Evaluation take_vector(const slide::DecisionPoint& point, const Vector& vector);
  [[nodiscard]] system::Evaluation find_arrival(const slide::DecisionPoint& point, const Vector& vector,
                                                bool& is_found);
  void leave(Index norm, std::span<const double> direction);
  [[nodiscard]] bool is_held(const Vector& vector) const;

  RunState& state_;
  std::vector<Vector> vectors_;
  std::vector<Index> guards_;                  // of the problem: elements of vectors, then relations
  std::vector<double> before_;                 // of relations, by guard of the problem
  std::vector<slide::BallProblem::Set> sets_;  // of those that are free
  std::vector<std::size_t> free_;              // places in guards_
  std::vector<double> weights_;                // by guard of the problem
  std::vector<double> free_weights_;
  std::vector<double> rates_;  // … of the free ones
  std::vector<double> matrix_;
  std::vector<double> vector_;
  std::vector<double> gradient_;
  std::vector<double> xdot_;
  system::Configuration tried_;
  slide::BallProblem problem_;
  struct ArrivalTime {
    Index norm = -1;
    double time = 0.0;
  };
  std::vector<ArrivalTime> arrivals_;  // of this instant
  std::vector<double> elements_;       // v
  std::vector<double> motion_;         // ẋ up to the instant; empty: not known
  std::vector<double> kept_;
  std::vector<slide::GuardDecision> decided_;
  slide::Decision relations_;
};

}  // namespace saltus::settle

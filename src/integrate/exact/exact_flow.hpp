/// Problem      one step of ẋ = A·x + f(t), A constant between restarts, f a sum of products of powers, exponentials and sines of time
/// Method       Variation of constants on 18 pieces of the step (flow_matrices.hpp): x(t + h) to rounding errors whatever h·A is, where f is the
///              polynomial of degree 9 through its values at every second end of a piece. The same ends give the polynomial x̂(θ) of the step.
/// Notation     h' = h/18; node k lies at t + k·h'; even nodes carry polynomials of degree kForcingDegree, odd nodes check them
/// Contract     Stepper. Who makes it has made sure that the equations are of this form (flat/constant_linear.hpp) and that h·(rate of f) ≤
///              kMostTurning. A step is good if x̂, and the polynomial of f, meet the odd nodes to kResolved of the terms that make them: dense
///              output, rows and events then have rounding errors, as ends of steps have. Tolerances do not matter.
///              A is found from tangents of the evaluator, which are exact; from differences of rates where it has none (reduction by ranks).
///              Matrices of the last kMostSystems different A are kept: switches that come back find theirs.
/// Choices      h·|Im λ| ≤ kMostTurning for all eigenvalues λ of A: what turns is seen at the nodes. What is damped faster than that is either there
///              at the first nodes, and then the polynomial misses others, or it is gone.
///              Short steps sum up displacements, not states: increments have their own rounding errors, and a state at rest stays. Long ones, beside
///              the rates of A, take states through e^(h'A).
///              Allocates when A or the size of a step is new.
/// Fails when   rates cannot be evaluated or leave the range of numbers: StepAttempt::evaluation_failed
/// Cost         a step with known matrices: 19 rates and 18·n² operations for constant f, 180·n² otherwise; new ones: see phi_functions.hpp
/// Checked by   tests/exact/
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/machine.hpp"
#include "integrate/exact/flow_matrices.hpp"
#include "integrate/step/adjustment.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/polynomial_stepper.hpp"

namespace saltus::integrate {

class ExactFlow final : public PolynomialStepper {
 public:
  /// The highest that segments have.
  static constexpr int kForcingDegree = 9;
  /// Powers of its polynomials.
  static constexpr std::size_t kTermsOfStep = kForcingDegree + 1;
  /// A node between any two through which the polynomial goes.
  static constexpr int kPiecesOfStep = 2 * kForcingDegree;
  /// A turn of h·ω at a step of this size is 0.44 from node to node: far from what could be taken for something slower.
  static constexpr double kMostTurning = 8.0;

  /// Roundings of the terms that make a node, by which a polynomial may miss it: equidistant interpolation enlarges those of its values by up to
  /// about 20 near the ends.
  static constexpr double kResolved = 32.0 * kEpsilon;

  /// tolerances.atol has n_states entries.
  ExactFlow(system::Evaluator& evaluator, Index n_states, Tolerances tolerances);
  ~ExactFlow() override;

  [[nodiscard]] int order() const override { return kForcingDegree; }
  [[nodiscard]] int embedded_order() const override { return kForcingDegree; }
  [[nodiscard]] int dense_order(DenseOutput /*which*/) const override { return kForcingDegree; }
  void accept() override;
  [[nodiscard]] std::span<const double> error_estimate() const override { return error_; }
  [[nodiscard]] Index worst_state() const override { return worst_; }

  void fields(Archive& a) override;

 private:
  StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) override;
  void forget_system() override { flow_ = nullptr; }
  // A at the accepted point, and its matrices.
  system::Evaluation find_system();
  system::Evaluation find_rates_of_unit_states(linalg::DenseMatrix& a);
  // f at all nodes.
  system::Evaluation sample_forcing();
  [[nodiscard]] bool forcing_is_constant() const;
  // Differences of f at even nodes; how far the polynomial misses the odd ones, 1 is what it may.
  double fit_forcing();
  void flow_through_nodes();
  // The polynomial of the displacements; how far it misses the odd nodes.
  double fit_step();
  void find_noise();
  void find_roundings(std::span<const double> x, std::span<const double> f, bool by_flow,
                      std::span<double> roundings);
  [[nodiscard]] bool is_better_by_flow();
  system::Evaluation finish_end();
  [[nodiscard]] std::span<double> node(std::vector<double>& values, int k) const;

  Adjustment adjustment_;
  Index worst_ = -1;

  std::vector<std::unique_ptr<FlowMatrices>> systems_;
  FlowMatrices* flow_ = nullptr;  // of the accepted point; null: to be found
  std::size_t next_place_ = 0;
  bool goes_by_flow_ = false;  // the attempt, by Φ

  std::vector<double> zero_;
  std::vector<double> rate_;
  std::vector<double> error_;
  std::vector<double> noise_;  // what the nodes of a state may be wrong by
  std::vector<double> forcing_noise_;
  std::vector<double> forcing_;      // f at the nodes
  std::vector<double> differences_;  // of f at even nodes, from the start on
  std::vector<double> moved_;        // x - x_start at the nodes
  std::vector<double> increments_;   // of the pieces
};

}  // namespace saltus::integrate

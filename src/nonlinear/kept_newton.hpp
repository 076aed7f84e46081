/// Equations near a solution: undamped corrections with a matrix that is kept from step to step, and from call to call.
///
/// Problem      r(z) = 0 with z near a solution, or near enough to rows that can be met
/// Method       simplified Newton, Gauss-Newton where corrections are of least change; a policy looks at the size of each correction and
///              answers: converged, go on, a new matrix, lost
/// Contract     A Problem has
///                Rows evaluate()         r at z; `met`: nothing is left to do; `no_value`
///                bool has_matrix()
///                bool refresh()          the matrix of z; false: it has none
///                double correct()        the correction from r and the matrix, its size; it may be applied already
///                bool move()             applies it, if correct() did not; false: it cannot be
///                void drop_matrix()
///              and a Policy begin(), look(size) and set_fresh(): the matrix is that of z. Nothing is allocated here.
/// Fails when   r has no value, the matrix none, or the policy says lost: KeptEnd says which
/// Used by      reduce/project (constraints, with surfaces), slide/field (surfaces, weights)
/// Checked by   tests/unit/nonlinear/kept_newton_test.cpp
#pragma once

#include <cstdint>
#include <limits>

namespace saltus::nonlinear {

enum class KeptAnswer : std::uint8_t { converged, go_on, refresh, lost };
enum class KeptEnd : std::uint8_t { converged, lost, no_value, no_matrix };
enum class Rows : std::uint8_t { open, met, no_value };

template <class Problem, class Policy>
[[nodiscard]] KeptEnd kept_newton(Problem& problem, Policy& policy) {
  policy.begin();
  while (true) {
    const Rows rows = problem.evaluate();
    if (rows != Rows::open) {
      return rows == Rows::met ? KeptEnd::converged : KeptEnd::no_value;
    }
    if (!problem.has_matrix()) {
      if (!problem.refresh()) {
        return KeptEnd::no_matrix;
      }
      policy.set_fresh();
    }
    switch (policy.look(problem.correct())) {
      case KeptAnswer::converged: return KeptEnd::converged;
      case KeptAnswer::lost: return KeptEnd::lost;
      case KeptAnswer::refresh: problem.drop_matrix(); break;
      case KeptAnswer::go_on:
        if (!problem.move()) {
          return KeptEnd::lost;
        }
        break;
    }
  }
}

/// Goes on as long as what is looked at halves: the iteration then ends at rounding, and its caller judges what is left.
class HalvingPolicy {
 public:
  explicit HalvingPolicy(int most_steps) : most_steps_(most_steps) {}

  void begin() {
    steps_ = 0;
    previous_ = std::numeric_limits<double>::infinity();
  }
  static void set_fresh() {}
  [[nodiscard]] KeptAnswer look(double size) {
    const bool halves = size <= 0.5 * previous_ && steps_ < most_steps_;
    ++steps_;
    previous_ = size;
    return halves ? KeptAnswer::go_on : KeptAnswer::converged;
  }

 private:
  int most_steps_;
  int steps_ = 0;
  double previous_ = std::numeric_limits<double>::infinity();
};

}  // namespace saltus::nonlinear

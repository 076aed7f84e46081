/// The outcome of an evaluation. Expected in a step loop, hence no exception and no text: describe() of the evaluator
/// turns the culprit into names.
#pragma once

#include <cstdint>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::system {

struct [[nodiscard]] Evaluation {
  enum class Status : std::uint8_t {
    ok,
    not_finite,  ///< culprit: index of the state whose derivative is not finite, or n_states + index of the variable
                 ///< whose value is not; -1 - index of a guard whose value is not
    singular_block,  ///< culprit: index of the implicit block whose matrix is singular
    no_convergence,  ///< culprit: index of the implicit block whose Newton iteration failed
    no_weights,      ///< sliding: no weights keep the state on the surfaces; culprit: guard
    no_projection,  ///< no state nearby satisfies the constraints; culprit: their row that is furthest from it
  };
  Status status = Status::ok;
  Index culprit = -1;

  [[nodiscard]] bool ok() const { return status == Status::ok; }

  void fields(Archive& a) { a(status, culprit); }
};

}  // namespace saltus::system

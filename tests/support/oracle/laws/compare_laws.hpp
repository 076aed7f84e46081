/// Runs of the library held against a regularised solution.
///
/// Method       the reference is solved with ε and with ε/10; it counts as known where these agree to three tenths of the bound. The bound of a
///              state is kTolerances tolerances, or one for each step of the run if these are more, of its size, plus what becomes of as
///              much at the start (two perturbed solutions).
/// Contract     every state at every row is compared. Set aside, with the reason, are models whose reference is not known.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/laws/random_laws.hpp"

namespace saltus::test::laws {

struct LawCheck {
  enum class Verdict {
    agrees,
    aside,    ///< not compared
    refused,  ///< the library does not read or start it
    ended,    ///< … ends before its end, with a reason
    hangs,    ///< … does not end within the limit of time
    values,   ///< other values
  };
  Verdict verdict = Verdict::agrees;
  std::string method{};
  std::string what{};  ///< one line
  std::size_t n_events = 0;
  double worst = 0;  ///< error over bound
};
[[nodiscard]] const char* to_string(LawCheck::Verdict verdict);

/// One check for each method; a single one where the model is set aside.
[[nodiscard]] std::vector<LawCheck> compare(const LawModel& model, const std::vector<std::string>& methods,
                                            double tolerance = 1e-6);

}  // namespace saltus::test::laws

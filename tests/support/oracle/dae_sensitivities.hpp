/// Forward sensitivities of random switched DAEs against differences of the oracle's runs in long double.
///
/// Method       the parameters of model_text_with_parameters(); the derivative of the oracle's end values and event times by a stencil of order 4, whose
///              two widths have to agree. Compared are all variables at the end and the times of all events.
/// Contract     set aside, with the reason, is what the oracle does not know (another sequence of events beside the value, a stencil that does not
///              converge) and what the library says it does not know (`sensitivity-undefined`). Whatever number it gives counts.
#pragma once

#include <cstdint>
#include <string>

namespace saltus::test::oracle {

struct SensitivityCheck {
  enum class Verdict { agrees, aside, refused, wrong };
  Verdict verdict = Verdict::agrees;
  std::string what;  ///< one line
  std::size_t n_events = 0;
  std::size_t n_compared = 0;   ///< parameters
  std::size_t n_undefined = 0;  ///< … of which the library says nothing from some time on
  double worst = 0;             ///< error over bound
};
[[nodiscard]] const char* to_string(SensitivityCheck::Verdict verdict);

/// The kinds of systems go round with the seed, as in tests/property/random_dae_test.cpp.
[[nodiscard]] SensitivityCheck check_sensitivities(std::uint32_t seed, const std::string& method);
[[nodiscard]] std::string text_with_parameters(std::uint32_t seed);

}  // namespace saltus::test::oracle

/// Codes of diagnostics about functionals.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::api {

inline constexpr DiagnosticCode kWrongFunctional{"wrong-functional"};
inline constexpr DiagnosticCode kGradientUndefined{"gradient-undefined"};
inline constexpr DiagnosticCode kNoInfluence{"no-influence"};

}  // namespace saltus::api

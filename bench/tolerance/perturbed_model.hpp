/// A model with a clause that moves one of its states at a given time.
#pragma once

#include <string>
#include <vector>

#include "saltus/model.hpp"

namespace saltus::bench {

inline constexpr const char* kPerturbationTime = "perturbation_time";
inline constexpr const char* kPerturbation = "perturbation";

/// Continuous variables whose derivative occurs in the text, array elements one by one.
[[nodiscard]] std::vector<std::string> differentiated_variables(const Model& model, const std::string& text);

/// The text with `when time >= perturbation_time then reinit(variable, variable + perturbation)` and these two parameters. Empty if the
/// text has no place for them that is recognised.
[[nodiscard]] std::string perturbed_text(const std::string& text, const std::string& variable);

}  // namespace saltus::bench

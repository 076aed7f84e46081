/// Checks that a flat model is well formed: what every pass may rely on without asking again.
#pragma once

#include <string>
#include <vector>

#include "flat/model.hpp"

namespace saltus::flat {

/// One sentence for each violation; empty when the model is well formed (docs/flat.md lists the rules).
[[nodiscard]] std::vector<std::string> verify(const Model& model);

}  // namespace saltus::flat

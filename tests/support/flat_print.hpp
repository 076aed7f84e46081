/// A flat model as model text that compiles to the same flat model.
#pragma once

#include <string>

#include "flat/model.hpp"

namespace saltus::flat {

/// The whole model. Array elements are quoted names ('x[1]'); relations, abs, min, max are written so that they give
/// the same conditions again. Shared nodes are written out at each use; a model whose text would grow beyond
/// kMaxPrintedNodes is cut off with a comment that says so.
[[nodiscard]] std::string print(const Model& model);

inline constexpr double kMaxPrintedNodes = 2e7;

}  // namespace saltus::flat

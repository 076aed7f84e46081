// A model that its structure determines, causalised, and its unknowns by name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "structure/causalize.hpp"
#include "structure/match/names.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {

inline Causalized causalized(ModelMaker& m) {
  auto result = causalize(m.finish());
  if (!result) {
    ADD_FAILURE() << render_text(result.error());
    return {};
  }
  EXPECT_FALSE(result->needs_ranks) << render_text(result->warnings);
  return std::move(*result);
}

inline std::vector<std::string> names(const flat::Model& model, const std::vector<Unknown>& unknowns) {
  std::vector<std::string> result;
  for (const Unknown& unknown : unknowns) {
    result.push_back(name_of(model, unknown));
  }
  return result;
}

}  // namespace saltus::structure

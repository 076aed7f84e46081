/// The kinds of models that the generator makes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "support/known_solutions/known_model.hpp"

namespace saltus::test::known {

struct Recipe {
  std::string_view name;
  std::string_view meaning;
};
[[nodiscard]] std::span<const Recipe> recipes();

/// The same model for the same recipe and seed everywhere. The recipe must exist.
[[nodiscard]] KnownModel known_model(std::string_view recipe, std::uint32_t seed);

}  // namespace saltus::test::known

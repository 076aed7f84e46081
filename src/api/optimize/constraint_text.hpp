/// Constraints as they are written: "final(x) <= 3".
#pragma once

#include <cstdint>
#include <string>

#include "saltus/result.hpp"

namespace saltus::api {

struct ConstraintText {
  enum class Relation : std::uint8_t { at_most, at_least, equal };
  std::string left;
  std::string right;
  Relation relation = Relation::at_most;
};

/// The relation outside of all brackets; there must be one.
[[nodiscard]] Result<ConstraintText> read_constraint(const std::string& text);

}  // namespace saltus::api

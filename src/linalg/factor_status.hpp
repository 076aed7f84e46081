/// What a factorisation found. An expected outcome in a step loop, hence a value.
#pragma once

#include <cstdint>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::linalg {

struct [[nodiscard]] FactorStatus {
  enum class Kind : std::uint8_t {
    ok,
    singular,    ///< a pivot is exactly zero; `column` is the first such column
    not_finite,  ///< an entry or a pivot is infinite or NaN
  };
  Kind kind = Kind::ok;
  Index column = -1;  ///< column of the matrix (not of a permuted one) where it stopped, -1 if not known

  [[nodiscard]] bool ok() const { return kind == Kind::ok; }

  void fields(Archive& a) { a(kind, column); }
};

}  // namespace saltus::linalg

// Numbers as text: the shortest form that reads back as the same double.
#pragma once

#include <string>
#include <string_view>

namespace saltus {

/// Longest text written by write_number (sign, 17 digits, point, exponent), with room to spare.
inline constexpr int kMaxNumberLength = 32;

/// Writes the shortest round-trip form ("0.1", "1e-05", "inf", "nan") at `out`, which has room for
/// kMaxNumberLength characters; returns the end of what was written. Never allocates, ignores the locale.
char* write_number(char* out, double value);
[[nodiscard]] std::string number_text(double value);

}  // namespace saltus

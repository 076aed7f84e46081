#pragma once

namespace saltus::flat {

/// Precedence of the grammar, loosest first (docs/language.md 4).
inline constexpr int kLoosest = 0;
inline constexpr int kOr = 1;
inline constexpr int kAnd = 2;
inline constexpr int kNot = 3;
inline constexpr int kRelation = 4;
inline constexpr int kSum = 5;
inline constexpr int kProduct = 6;
inline constexpr int kPower = 7;
inline constexpr int kPrimary = 8;

}  // namespace saltus::flat

/// Which expressions are made of operands (Ast::operands), as against names, calls and literals.
#pragma once

#include "lang/syntax/ast.hpp"

namespace saltus::lang {

[[nodiscard]] constexpr bool has_operands(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::unary:
    case ExpressionKind::binary:
    case ExpressionKind::chain:
    case ExpressionKind::conditional:
    case ExpressionKind::range:
    case ExpressionKind::array:
    case ExpressionKind::matrix:
    case ExpressionKind::matrix_row:
    case ExpressionKind::comprehension:
    case ExpressionKind::element:
    case ExpressionKind::member:
    case ExpressionKind::tuple: return true;
    default: return false;
  }
}

}  // namespace saltus::lang

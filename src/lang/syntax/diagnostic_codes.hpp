// Stable names of the problems that the language front end reports; docs/diagnostics/ explains each.
#pragma once

#include "saltus/diagnostic.hpp"

namespace saltus::lang {

// Lexical problems.
inline constexpr DiagnosticCode kInvalidCharacter{"invalid-character"};
inline constexpr DiagnosticCode kUnterminatedString{"unterminated-string"};
inline constexpr DiagnosticCode kUnterminatedComment{"unterminated-comment"};
inline constexpr DiagnosticCode kUnterminatedQuotedName{"unterminated-quoted-name"};
inline constexpr DiagnosticCode kInvalidEscape{"invalid-escape"};
inline constexpr DiagnosticCode kInvalidNumber{"invalid-number"};
inline constexpr DiagnosticCode kNumberTooLarge{"number-too-large"};
inline constexpr DiagnosticCode kNumberTooSmall{"number-too-small"};

// Problems of syntax.
inline constexpr DiagnosticCode kSyntaxError{"syntax-error"};
inline constexpr DiagnosticCode kMissingSemicolon{"missing-semicolon"};
inline constexpr DiagnosticCode kMissingEnd{"missing-end"};
inline constexpr DiagnosticCode kMissingThen{"missing-then"};
inline constexpr DiagnosticCode kMissingElseValue{"missing-else-value"};
inline constexpr DiagnosticCode kMissingLoop{"missing-loop"};
inline constexpr DiagnosticCode kMissingType{"missing-type"};
inline constexpr DiagnosticCode kMissingExpression{"missing-expression"};
inline constexpr DiagnosticCode kUnclosedBracket{"unclosed-bracket"};
inline constexpr DiagnosticCode kWrongEndName{"wrong-end-name"};
inline constexpr DiagnosticCode kMisspeltKeyword{"misspelt-keyword"};
inline constexpr DiagnosticCode kReservedWord{"reserved-word"};
inline constexpr DiagnosticCode kStrayToken{"stray-token"};
inline constexpr DiagnosticCode kAssignmentInEquation{"assignment-in-equation"};
inline constexpr DiagnosticCode kEquationInAlgorithm{"equation-in-algorithm"};
inline constexpr DiagnosticCode kComparisonAsEquation{"comparison-as-equation"};
inline constexpr DiagnosticCode kEquationAsComparison{"equation-as-comparison"};
inline constexpr DiagnosticCode kChainedRelation{"chained-relation"};
inline constexpr DiagnosticCode kChainedPower{"chained-power"};
inline constexpr DiagnosticCode kNeedsParentheses{"needs-parentheses"};
inline constexpr DiagnosticCode kEndOutsideSubscript{"end-outside-subscript"};
inline constexpr DiagnosticCode kDuplicatePrefix{"duplicate-prefix"};
inline constexpr DiagnosticCode kMisplacedStatement{"misplaced-statement"};
inline constexpr DiagnosticCode kNestingTooDeep{"nesting-too-deep"};
inline constexpr DiagnosticCode kTooManyErrors{"too-many-errors"};
inline constexpr DiagnosticCode kNotSupported{"not-supported"};
inline constexpr DiagnosticCode kNoModel{"no-model"};
inline constexpr DiagnosticCode kUnknownModel{"unknown-model"};
inline constexpr DiagnosticCode kSeveralModels{"several-models"};

}  // namespace saltus::lang

/// The syntax tree of a model file, as written: no names are resolved, nothing is evaluated.
///
/// All nodes live in flat arrays of one Ast and refer to each other by index, so that a tree of a million
/// nodes is built and destroyed without recursion. Lists are ranges of these arrays: `for (const Branch& b :
/// ast[s.branches])`. Every expression has a larger id than the expressions inside it. Chains `a + b - c` are
/// one node with many operands, so that the depth of a tree is bounded by the nesting of the text, which the
/// parser limits (kMaxNestingDepth in parser.hpp): recursive visitors are safe.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/ids.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

using ExpressionId = Id<struct ExpressionTag>;
/// An identifier, interned: equal symbols are equal names. Quotes of quoted identifiers are removed and their
/// escapes resolved, so that `'x'` and `x` are one name and `'a.b[1]'` is the name "a.b[1]". Dotted names are
/// joined by dots where a declaration is meant (`Real a.b;` declares "a.b", `type` of `Modelica.Units.SI.Mass
/// m` is one symbol).
using Symbol = Id<struct SymbolTag>;
/// A string literal of the text with its escapes resolved; adjacent parts of a description are joined.
using StringId = Id<struct StringTag>;

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

/// A range of one of the arrays of the Ast.
template <class T>
struct List {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] std::size_t size() const { return count; }
};

// -------------------------------------------------------------------------------------------------
// expressions

enum class Operator : std::uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  power,
  elementwise_add,       // .+
  elementwise_subtract,  // .-
  elementwise_multiply,  // .*
  elementwise_divide,    // ./
  elementwise_power,     // .^
  less,
  less_equal,
  greater,
  greater_equal,
  equal,      // ==
  not_equal,  // <>
  logical_and,
  logical_or,
  logical_not,
};

/// As written: "+", ".*", "<>", "and".
[[nodiscard]] std::string_view to_string(Operator op);

enum class ExpressionKind : std::uint8_t {
  error,        ///< text that could not be understood; reported already
  real,         ///< Ast::real()
  integer,      ///< Ast::integer()
  boolean,      ///< Ast::boolean()
  string,       ///< Ast::string()
  name,         ///< Ast::name_parts(): x, x[i, j], a.b[2].c
  call,         ///< Ast::call(): f(x, n = 2), der(x), initial(), reductions sum(e for i in r)
  unary,        ///< op, operands(): one; op is subtract, add (and elementwise) or logical_not
  binary,       ///< op, operands(): two; relations and powers (they do not chain)
  chain,        ///< operands() two or more, operators() between them; one level: +-, */, and, or
  conditional,  ///< operands(): condition, value, condition, value, …, value of else (odd number, at least 3)
  range,        ///< operands(): first, last or first, step, last
  array,        ///< operands(): {a, b, c}
  matrix,       ///< operands(): rows of [a, b; c, d], each of kind matrix_row
  matrix_row,     ///< operands()
  comprehension,  ///< operands(): one, iterators(): {e for i in r, j in s}
  element,        ///< operands(): (value)[subscript, …]
  member,         ///< operands(): one, member_name(): f(x).a, (value).a
  tuple,  ///< operands(): (a, , b) as the target of a call with several outputs; omitted ones are invalid ids
  all,    ///< the subscript `:`
  last,   ///< `end` inside a subscript
};

struct Expression {
  ExpressionKind kind = ExpressionKind::error;
  Operator op = Operator::none;
  SourceSpan span;
  /// What these mean depends on the kind: use the accessors of Ast.
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t extra = 0;
};

/// One part of a dotted name with its subscripts.
struct NamePart {
  Symbol name;
  SourceSpan span;  ///< of the identifier alone
  List<ExpressionId> subscripts;
  bool quoted = false;
};  // the first part of `.A.b` has an empty name

struct Argument {
  Symbol name;  ///< of a named argument; invalid: positional
  ExpressionId value;
  SourceSpan span;
};

/// `i in 1:N`
struct Iterator {
  Symbol name;
  ExpressionId range;  ///< invalid: none is written
  SourceSpan span;
};

struct Call {
  Symbol function;  ///< dotted name joined by dots; "der" and "initial" included
  SourceSpan function_span;
  List<Argument> arguments;
  List<Iterator> iterators;  ///< not empty: a reduction over the only argument
};

// -------------------------------------------------------------------------- modifications and declarations

/// `start = 1`, `each fixed = true`, `experiment(StopTime = 1)`, `a(b = 2) = c`
struct Modification {
  Symbol name;  ///< dotted names joined by dots
  SourceSpan name_span;
  SourceSpan span;
  bool each = false;
  bool final = false;
  ExpressionId value;  ///< invalid if there is none
  List<Modification> nested;
  /// `redeclare` and `replaceable` (Modelica 7.3): what the name means from here on, as an index of Ast::classes or of
  /// Ast::redeclared; kNoIndex: no redeclaration.
  std::uint32_t redeclared_class = kNoIndex;
  std::uint32_t redeclared_component = kNoIndex;
};

/// `constrainedby Base(k = 1)`
struct Constraint {
  Symbol base;  ///< invalid: none is written
  SourceSpan span;
  List<Modification> modifications;
};

enum class VariabilityPrefix : std::uint8_t { none, discrete, parameter, constant };
enum class CausalityPrefix : std::uint8_t { none, input, output };

/// One declared name; `Real x, y[2] = {1, 2};` makes two.
struct Component {
  Symbol name;
  SourceSpan name_span;
  SourceSpan span;  ///< from the name to the end of the declaration equation or description
  Symbol type;      ///< "Real", "Integer", "Boolean", "String" or the (dotted) name of an alias
  SourceSpan type_span;
  VariabilityPrefix variability = VariabilityPrefix::none;
  CausalityPrefix causality = CausalityPrefix::none;
  bool final = false;
  bool is_protected = false;
  bool is_flow = false;
  bool is_stream = false;
  bool is_inner = false;
  bool is_outer = false;
  bool is_replaceable = false;
  bool is_redeclare = false;
  /// Sizes, those of the name before those of the type: `Real[3] x[2]` has 2, 3. Of kind `all` where `:` is
  /// written.
  List<ExpressionId> dimensions;
  List<Modification> modifications;
  ExpressionId value;      ///< declaration equation; invalid if there is none
  ExpressionId condition;  ///< of `Real x if c;`; invalid if there is none
  Constraint constraint;
  StringId description;
  List<Modification> annotation;
};

// -------------------------------------------------------------------------------- equations and statements

enum class StatementKind : std::uint8_t {
  error,        ///< reported already
  equation,     ///< left = right
  assignment,   ///< left := right (algorithms)
  connect,      ///< connect(left, right)
  call,         ///< right is a call: assert, terminate, reinit, or a function called for its effect
  if_block,     ///< branches; the else branch, always last, has no condition
  when_block,   ///< branches: when, elsewhen, …
  for_block,    ///< iterators, body
  while_block,  ///< right is the condition, body
  return_statement,
  break_statement,
};

struct Branch;

/// An equation of an equation section, or a statement of an algorithm.
struct Statement {
  StatementKind kind = StatementKind::error;
  SourceSpan span;  ///< without the semicolon; for blocks from the keyword to the end of `end if`
  ExpressionId left;
  ExpressionId right;
  List<Branch> branches;
  List<Iterator> iterators;
  List<Statement> body;
  StringId description;
};

struct Branch {
  ExpressionId condition;  ///< invalid: else
  List<Statement> body;
  SourceSpan span;  ///< of the keyword and the condition
};

// ------------------------------------------------------------------------------------------ modes and
// classes

struct Transition {
  Symbol target;
  SourceSpan target_span;
  ExpressionId condition;
  List<Statement> body;  ///< between `then` and `end transition`; empty if there is none
  bool has_body = false;
  SourceSpan span;
};

struct Mode {
  Symbol name;
  SourceSpan name_span;
  SourceSpan span;  ///< of the head: `initial mode right`
  bool is_initial = false;
  bool is_sliding = false;  ///< `sliding mode stick between right, left`
  Symbol between_first;
  Symbol between_second;
  SourceSpan between_first_span;
  SourceSpan between_second_span;
  StringId description;
  std::vector<Component> components;
  std::vector<Statement> equations;
  std::vector<Transition> transitions;
  std::vector<Modification> annotations;
};

/// What a class is for (Modelica 4.6).
enum class ClassKind : std::uint8_t {
  model,  ///< or `class`
  block,
  record,
  connector,
  package,
  function,
  type,  ///< `type Voltage = Real(unit = "V")`, enumerations
};

/// `model`, `block`, … for messages.
[[nodiscard]] std::string_view to_string(ClassKind kind);

/// `extends Base(k = 1);`
struct Extends {
  Symbol base;
  SourceSpan base_span;
  SourceSpan span;
  bool is_protected = false;
  List<Modification> modifications;
};

/// `import A.B;`, `import C = A.B;`, `import A.*;`, `import A.{B, C};`, which is several of the first form.
struct Import {
  Symbol path;   ///< "A.B", or "A" of `A.*`
  Symbol alias;  ///< the name that is introduced; invalid: all names of the package
  SourceSpan span;
};

struct EnumerationLiteral {
  Symbol name;
  SourceSpan span;
};

struct Class {
  ClassKind kind = ClassKind::model;
  Symbol name;
  SourceSpan name_span;
  SourceSpan span;    ///< of the head: `model StickSlip`
  SourceSpan extent;  ///< of the whole definition
  StringId description;
  std::vector<Component> components;
  std::vector<Extends> extends;
  std::vector<Import> imports;
  std::vector<EnumerationLiteral> literals;  ///< of `enumeration(…)`
  std::vector<Statement> equations;
  std::vector<Statement> initial_equations;
  std::vector<Statement> algorithm;  ///< of a function
  std::vector<Statement> initial_algorithm;
  std::vector<Mode> modes;
  ExpressionId
      initial_mode;  ///< of `initial mode = expression;`, whose names are those of modes and parameters
  SourceSpan initial_mode_span;
  std::vector<Modification> annotations;
  bool is_damaged = false;   ///< something in it could not be read
  Symbol built_in_function;  ///< of `external "builtin" y = sin(x)`: that of the language which it stands for
  bool is_enumeration = false;
  bool is_plain_class = false;  ///< `class`, of no special kind
  bool is_partial = false;
  bool is_encapsulated = false;
  bool is_expandable = false;
  bool is_operator = false;
  bool is_protected = false;
  bool is_final = false;
  bool is_replaceable = false;
  bool is_redeclare = false;
  bool is_class_extends = false;    ///< `model extends M(…) … end M;`
  bool is_in_modification = false;  ///< written in a modification, as `redeclare model A = B`
  Constraint constraint;
  /// Of a short definition `model A = B(k = 1)`, of a type or of `connector U = input Real`: the class it is made of.
  Symbol base;
  SourceSpan base_span;
  CausalityPrefix base_causality = CausalityPrefix::none;
  List<ExpressionId> dimensions;
  List<Modification> modifications;
  /// The class it is written in, as an index of Ast::classes.
  std::uint32_t parent = kNoIndex;

  [[nodiscard]] bool is_nested() const { return parent != kNoIndex; }
  [[nodiscard]] bool is_short() const { return base.valid(); }
};

/// A construct of Modelica that the language does not have, found in a class that may never be used.
struct Refusal {
  std::string construct;
  SourceSpan span;
  std::string hint;
};

class Ast {
 public:
  /// In the order in which they begin in the text.
  std::vector<Class> classes;
  /// Components in modifications: `redeclare Resistor r(R = 1)`.
  std::vector<Component> redeclared;
  /// `within A.B;`; invalid where there is none or it names nothing.
  Symbol within;
  SourceSpan within_span;
  bool has_within = false;
  /// Something is written whose meaning depends on classes: names from the top of all, loops without a range.
  bool needs_instances = false;
  /// In the order of the text; filled only if the parser was asked to keep them.
  std::vector<Refusal> refusals;
  /// The model to run: the last `model` of the file that is not inside another; null if there is none.
  [[nodiscard]] const Class* main_model() const;
  /// All that stand at the top, in the order of the text.
  [[nodiscard]] std::vector<const Class*> top_models() const;

  [[nodiscard]] const Expression& operator[](ExpressionId id) const { return expressions_[id.index()]; }
  [[nodiscard]] std::size_t n_expressions() const { return expressions_.size(); }
  [[nodiscard]] std::size_t n_symbols() const { return symbols_.size(); }
  /// The text of a name; empty for an invalid symbol.
  [[nodiscard]] std::string_view text(Symbol symbol) const {
    return symbol.valid() ? std::string_view(symbols_[symbol.index()]) : std::string_view();
  }
  /// The text of a string literal or description; empty for an invalid id.
  [[nodiscard]] std::string_view text(StringId id) const {
    return id.valid() ? std::string_view(strings_[id.index()]) : std::string_view();
  }

  /// The items of a list; valid until the Ast is changed.
  template <class T>
  [[nodiscard]] std::span<const T> operator[](List<T> list) const {
    return std::span<const T>(std::get<std::vector<T>>(arrays_)).subspan(list.first, list.count);
  }

  // Contents of an expression; each may be asked of the kinds named at ExpressionKind only.
  [[nodiscard]] double real(ExpressionId id) const { return reals_[at(id).first]; }
  [[nodiscard]] std::int64_t integer(ExpressionId id) const { return integers_[at(id).first]; }
  [[nodiscard]] bool boolean(ExpressionId id) const { return at(id).first != 0; }
  [[nodiscard]] StringId string(ExpressionId id) const { return StringId(at(id).first); }
  [[nodiscard]] const Call& call(ExpressionId id) const { return calls_[at(id).first]; }
  [[nodiscard]] std::span<const NamePart> name_parts(ExpressionId id) const {
    return (*this)[List<NamePart>{at(id).first, at(id).count}];
  }
  [[nodiscard]] std::span<const ExpressionId> operands(ExpressionId id) const {
    return (*this)[List<ExpressionId>{at(id).first, at(id).count}];
  }
  /// Of an element.
  [[nodiscard]] List<ExpressionId> element_subscripts(ExpressionId id) const {
    return {at(id).first + 1, at(id).count - 1};
  }
  [[nodiscard]] Symbol member_name(ExpressionId id) const { return Symbol(at(id).extra); }
  /// Of a chain: operators(id)[k] stands between operand k and operand k + 1.
  [[nodiscard]] std::span<const Operator> operators(ExpressionId id) const {
    return (*this)[List<Operator>{at(id).extra, at(id).count - 1}];
  }
  /// Of a comprehension.
  [[nodiscard]] std::span<const Iterator> iterators(ExpressionId id) const {
    return (*this)[iterator_lists_[at(id).extra]];
  }

 private:
  friend class AstBuilder;

  [[nodiscard]] const Expression& at(ExpressionId id) const { return expressions_[id.index()]; }

  std::vector<Expression> expressions_;
  std::vector<std::string> symbols_;
  std::vector<std::string> strings_;
  std::vector<double> reals_;
  std::vector<std::int64_t> integers_;
  std::vector<Call> calls_;
  std::vector<List<Iterator>> iterator_lists_;
  std::tuple<std::vector<ExpressionId>, std::vector<Operator>, std::vector<NamePart>, std::vector<Argument>,
             std::vector<Iterator>, std::vector<Modification>, std::vector<Statement>, std::vector<Branch>>
      arrays_;
};

}  // namespace saltus::lang

/// A model of discrete logic around simple motions, as plain data: what the interpreter of instants reads.
///
/// Expressions are nodes of one list, equal expressions are one node: the relation `x > 1` is one relation however often it is
/// written. Booleans are 0 and 1.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/oracle/instants/series.hpp"

namespace saltus::test::instants {

/// The model is outside the class, or not a model at all.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Op {
  number,
  time,
  variable,
  pre,
  add,
  subtract,
  multiply,
  divide,
  sine,
  cosine,
  exponential,
  greater,        ///< a > b
  greater_equal,  ///< a >= b
  equal,          ///< of discrete values
  logical_and,
  logical_or,
  logical_not,
  select,  ///< if a then b else c
  floor,
  initial,
  sample,
};

struct Node {
  Op op = Op::number;
  Real value = 0;
  std::size_t which = 0;  ///< variable, or clock
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
  /// In the body of a clause: evaluated on the values there, never an event (8.5).
  bool is_literal = false;
  /// A relation or floor over something that moves: its value is held between instants (set when the model is complete).
  bool is_held = false;
};

enum class Type { real, integer, boolean };
enum class Role { state, rate, algebraic, discrete };

struct Variable {
  std::string name;
  Type type = Type::real;
  Role role = Role::algebraic;
  Real start = 0;
  bool is_fixed = false;
  std::size_t partner = 0;  ///< of a state its rate, of a rate its state
};

struct Equation {
  std::size_t left = 0;
  std::size_t right = 0;
};

/// v = expression, or reinit(v, expression)
struct Assignment {
  std::size_t variable = 0;
  std::size_t value = 0;
};

struct Branch {
  std::vector<std::size_t> conditions;  ///< one, or the elements of a vector
  bool is_initial = false;              ///< `initial()`, or an element that is exactly that (8.6)
  std::vector<Assignment> assignments;
  std::vector<Assignment> reinits;
};

struct Clause {
  std::vector<Branch> branches;  ///< when, elsewhen, …
};

struct Clock {
  Real start = 0;
  Real interval = 1;
};

struct DiscreteModel {
  std::vector<Node> nodes;
  std::vector<Variable> variables;
  std::vector<Equation> equations;
  std::vector<Equation> initial_equations;
  std::vector<Clause> clauses;
  std::vector<Clock> clocks;
  std::vector<std::size_t> assertions;
  Real stop = 1;

  /// The place of the node, which is made if it is not there.
  std::size_t node(const Node& wanted);
  std::size_t number(Real value) { return node({.op = Op::number, .value = value}); }
  std::size_t binary(Op op, std::size_t a, std::size_t b) { return node({.op = op, .a = a, .b = b}); }
  /// The place of a variable; Unsupported if there is none.
  [[nodiscard]] std::size_t variable(const std::string& name) const;
  /// Whether the expression moves between instants.
  [[nodiscard]] bool moves(std::size_t node) const;

 private:
  using Key = std::tuple<Op, Real, std::size_t, std::size_t, std::size_t, std::size_t, bool>;
  std::map<Key, std::size_t> places_;
};

/// Reads a model in the language of .mo files: one model of scalars with `parameter`, `discrete`, Real, Integer, Boolean, start,
/// fixed, declaration equations, initial equations, equations, if-equations, when/elsewhen with v = e and reinit, assert, and
/// + - * / and or not relations if sin cos exp abs sign min max floor ceil integer mod pre edge change initial sample noEvent.
/// A parser of its own: it shares nothing with src. Throws Unsupported for everything else.
[[nodiscard]] DiscreteModel read_model(const std::string& text);

}  // namespace saltus::test::instants

/// The flat hybrid DAE: scalar variables, parameters, equations, conditions, clauses, modes.
///
/// What every front end (the language, the C++ builder, traced code) produces and every analysis reads. All
/// expressions are nodes of one graph. Names are those of the user's model, array elements as `x[1]`.
/// docs/flat.md describes the meaning of each part; verify() in verify.hpp checks that a model is well formed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/knots.hpp"
#include "expr/graph.hpp"
#include "flat/formulation.hpp"
#include "saltus/source_text.hpp"

namespace saltus::flat {

enum class Type { real, integer, boolean, string };

/// Continuous variables obey equations in time; discrete ones (Integer, Boolean, `discrete Real`, and Reals set in a
/// when clause) change at events only.
enum class Variability { continuous, discrete };

enum class Causality { local, input, output };

/// What a declaration says that nothing is computed from.
struct Declared {
  std::string type;          ///< the name of its type; empty: a type of the language
  std::string display_unit;  ///< in which people read it
};

/// Wishes about which variables are states (Modelica 4.9.7.1), in ascending order.
enum class StateSelect : std::uint8_t { never, avoid, none, prefer, always };

struct Variable {
  std::string name;
  Type type = Type::real;
  Variability variability = Variability::continuous;
  Causality causality = Causality::local;
  /// Attributes as expressions in parameters and constants; none if not given.
  std::optional<NodeId> start;
  std::optional<NodeId> minimum;
  std::optional<NodeId> maximum;
  std::optional<NodeId> nominal;
  bool fixed = false;
  StateSelect state_select = StateSelect::none;
  std::string unit;
  std::string description;
  std::shared_ptr<const Declared> declared;  ///< may be null, and is shared by the elements of an array
  ModeId mode;  ///< the mode that declares it; invalid for a variable of the whole model
  SourceSpan span;
};

struct Parameter {
  std::string name;
  Type type = Type::real;
  bool is_constant = false;  ///< declared `constant`: --set is refused
  bool is_final = false;     ///< declared `final`: --set is refused
  /// Sizes, loop bounds or other compile-time decisions depend on it: a new value elaborates the model anew.
  bool is_structural = false;
  std::optional<NodeId> value;  ///< an expression in other parameters; none: the user must --set it
  std::string text;             ///< the value of a String parameter
  std::optional<NodeId> minimum;
  std::optional<NodeId> maximum;
  std::string unit;
  std::string description;
  std::shared_ptr<const Declared> declared;  ///< as of a variable
  SourceSpan span;
};

/// left = right. Kept as two sides because that is how the user wrote it: messages and causalisation use it.
struct Equation {
  NodeId left;
  NodeId right;
  SourceSpan span;
};

/// A canonical guard: a scalar whose sign change matters (DESIGN 2: left minus right, ordered, positive factor
/// removed, sign normalised), shared by every relation that is written over the same surface.
struct Guard {
  NodeId expression;
};

/// Something that is locked between events and whose change is an event.
struct Condition {
  enum class Kind {
    greater,        ///< guard > 0
    greater_equal,  ///< guard >= 0
    less,           ///< guard < 0
    less_equal,     ///< guard <= 0
    floor,          ///< the whole number floor(argument); its surfaces are the integers
    ceil,
    truncate,
    segment,   ///< the number of `numbers` that belongs to the segment of `knots` in which the argument lies
    sample,    ///< sample(start, interval)
    initial,   ///< initial()
    terminal,  ///< terminal()
    external,  ///< a number that is set from outside; at the start the argument
    norm,      ///< direction(v): 1 while the argument |v| is held at zero, else 0
    /// direction(v): of the element v_k, the argument. While v is held at zero what holds it there, otherwise what is added to v_k
    /// where its direction is taken: that in which v leaves zero.
    component,
    /// contact(gap, force, e): the argument is the gap. The number is what the force is while the contact is open: 0, and what an impact is
    /// asked with (flat/contacts.hpp).
    gap,
    restitution,  ///< contact(gap, force, e): the argument is e; no equation reads it
  };
  Kind kind = Kind::greater;
  GuardId guard;    ///< of the four relations
  NodeId argument;  ///< of floor, ceil, truncate, segment, external and what follows it; start of sample
  NodeId interval;  ///< of sample
  SharedNumbers knots = nullptr;    ///< of segment, ascending (base/knots.hpp)
  SharedNumbers numbers = nullptr;  ///< one more than knots
  VariableId input = {};            ///< whose table it belongs to; invalid: none, or several
  /// Of a component: the norm of its vector; of a gap: the relation that holds while its contact is closed; of a restitution: its gap.
  ConditionId owner = {};
  bool kink = false;  ///< every use is continuous across the surface (abs, min, max, smooth): never logged
  /// Of a kink, and of a segment: derivatives of its uses that are continuous, as far as the way of writing tells: 0 for abs, min and
  /// max, p inside smooth(p, ...). -1: they may jump.
  int continuity = -1;
  std::string text;  ///< as written, for messages
  SourceSpan span;
};

/// What happens when a clause or a transition fires (LANGUAGE 5).
struct Body {
  struct Assignment {
    VariableId variable;
    NodeId value;
    SourceSpan span;
  };
  struct Message {
    NodeId condition;  ///< of assert: must hold; of terminate: ends the run where it holds
    std::string text;
    SourceSpan span;
    bool is_warning = false;  ///< as of Assertion
  };
  std::vector<Assignment> assignments;  ///< discrete variables
  std::vector<Assignment> reinits;      ///< continuous variables; plain names in the value mean values before
  std::vector<Equation> jump_equations;  ///< between pre(...) and new values
  std::vector<Message> asserts;
  std::vector<Message> terminates;
};

struct WhenBranch {
  NodeId condition;  ///< a truth value; fires when it becomes true
  std::vector<NodeId>
      vector_elements;  ///< of `when {c1, c2}`: fires when any becomes true; then condition is unused
  std::string text;     ///< of the condition as written; empty where it stands for several (in a loop)
  /// Written in another form than `initial()` or {…, initial(), …}, whatever it has been simplified to (`initial() or false`).
  bool is_no_start_form = false;
  Body body;
  SourceSpan span;
};

/// One `when … elsewhen … end when`: the first branch that becomes true runs.
struct WhenClause {
  std::vector<WhenBranch> branches;
  ModeId mode;  ///< watched in this mode only; invalid: always
  SourceSpan span;
};

struct Transition {
  ModeId from;
  ModeId to;
  NodeId condition;
  std::string text;
  Body body;
  SourceSpan span;
};

struct Assertion {
  NodeId condition;
  std::string message;
  ModeId mode;
  SourceSpan span;
  bool is_warning = false;  ///< AssertionLevel.warning: where it does not hold the run goes on
};

struct Mode {
  std::string name;
  std::vector<Equation> equations;      ///< besides the common ones
  std::vector<VariableId> variables;    ///< that exist in this mode only
  std::vector<Transition> transitions;  ///< in source order
  std::optional<std::pair<ModeId, ModeId>> sliding_between;
  SourceSpan span;
};

/// annotation(experiment(...)) and annotation(__saltus(...)).
struct Experiment {
  std::optional<double> start;
  std::optional<double> stop;
  std::optional<double> tolerance;
  std::optional<double> interval;
  struct Option {
    std::string name;   ///< a long option of the command line
    std::string value;  ///< as it would be written there
    SourceSpan span;
    ModeId mode;  ///< in whose section it stands; invalid: it is for the whole run
  };
  std::vector<Option> options;
};

struct Model {
  std::string name;
  std::string description;
  std::shared_ptr<const SourceText> source;
  expr::Graph graph;

  std::vector<Variable> variables;
  std::vector<Parameter> parameters;
  std::vector<Equation> equations;  ///< hold in every mode
  std::vector<Equation> initial_equations;
  std::vector<Guard> guards;
  std::vector<Condition> conditions;
  std::vector<WhenClause> when_clauses;
  std::vector<Assertion> assertions;
  std::vector<Body::Message> terminates;  ///< terminate(...) in the equation section itself
  std::vector<Mode> modes;                ///< empty for a model without modes
  NodeId
      initial_mode;  ///< an expression in parameters whose value is the index of the first mode; with modes only
  Experiment experiment;
  /// The values of reinit are assigned after the round (Modelica 8.3.6); else they are part of its system.
  bool reinit_follows = false;
  Formulation formulation;
  /// homotopy(actual, simplified) occurs (Modelica 3.7.4.4); what it means here was chosen when the model was made.
  bool has_homotopy = false;

  [[nodiscard]] const Variable& operator[](VariableId id) const { return variables[id.index()]; }
  [[nodiscard]] const Parameter& operator[](ParameterId id) const { return parameters[id.index()]; }
  [[nodiscard]] const Condition& operator[](ConditionId id) const { return conditions[id.index()]; }
  [[nodiscard]] const Guard& operator[](GuardId id) const { return guards[id.index()]; }
};

}  // namespace saltus::flat

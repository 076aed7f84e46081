/// The conditions and guards of a model, one of each kind (LANGUAGE 4).
///
/// A relation on continuous values becomes a condition over its canonical guard; abs, min, max, sign become selects
/// on such conditions, floor and its relatives held whole numbers. Values that change at events only, and everything
/// inside noEvent, need no condition: they become plain operations, unless what they decide changes at events alone (watch).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flat/angles.hpp"
#include "flat/canonical_guard.hpp"
#include "flat/expression_printer.hpp"
#include "flat/model.hpp"
#include "flat/table.hpp"
#include "flat/variability.hpp"
#include "lang/elaborate/arithmetic.hpp"
#include "lang/elaborate/value.hpp"

namespace saltus::lang {

/// How relations are to be treated where an expression stands.
enum class Watching {
  events,    ///< every relation is a condition
  none,      ///< noEvent, attributes, initial equations
  existing,  ///< bodies of clauses: surfaces of the model have their set truth value, others are plain
};

struct RelationContext {
  Watching watching = Watching::events;
  int continuity = -1;  ///< p inside smooth(p, ...): so many derivatives are continuous across the surface
  bool repeated =
      false;  ///< in a loop, a function or an array: the text of the span names no single condition
  SourceSpan span;
  /// Where this truth does not hold the relation is false, and its guard is not evaluated; invalid: it holds everywhere.
  NodeId within = {};
};

class ConditionTable {
 public:
  ConditionTable(flat::Model& model, Arithmetic& arithmetic, flat::VariabilityOfNodes& variability)
      : model_(model), arithmetic_(arithmetic), variability_(variability), canonicalizer_(model.graph) {}

  /// op is less, less_equal, greater (as less with exchanged operands by the caller) or equal, not_equal.
  [[nodiscard]] Scalar relation(flat::Condition::Kind kind, const Scalar& left, const Scalar& right,
                                const RelationContext& context);
  [[nodiscard]] Scalar absolute(const Scalar& a, RelationContext context);
  [[nodiscard]] Scalar sign(const Scalar& a, const RelationContext& context);
  /// v/|v|, and at v = 0 what holds it there (flat::Condition::Kind::norm).
  [[nodiscard]] std::vector<Scalar> direction(std::span<const Scalar> v, const RelationContext& context);
  /// What must be zero for contact(gap, force, e) to hold; undefined: nothing of gap and force changes between events.
  [[nodiscard]] Scalar contact(const Scalar& gap, const Scalar& force, const Scalar& restitution,
                               RelationContext context);
  [[nodiscard]] Scalar minimum(const Scalar& a, const Scalar& b, RelationContext context);
  [[nodiscard]] Scalar maximum(const Scalar& a, const Scalar& b, RelationContext context);
  /// atan2(y, x): flat/angles.hpp.
  [[nodiscard]] Scalar angle(const Scalar& y, const Scalar& x, const RelationContext& context);
  /// floor, ceil or truncate.
  [[nodiscard]] Scalar whole_number(flat::Condition::Kind kind, const Scalar& a,
                                    const RelationContext& context);
  struct Segments {
    SharedNumbers knots;
    SharedNumbers numbers;  ///< by segment
    int continuity = -1;    ///< of what is made of them
  };
  /// The number that belongs to the segment in which the argument lies.
  [[nodiscard]] Scalar segment(const Scalar& argument, const Segments& segments,
                               const RelationContext& context);
  [[nodiscard]] Scalar sample(NodeId start, NodeId interval, SourceSpan span);
  [[nodiscard]] Scalar instant(flat::Condition::Kind kind, SourceSpan span);

  /// An expression that decides what changes at instants alone: its plain relations and whole numbers become conditions (watched_truths.cpp).
  [[nodiscard]] NodeId watch(NodeId root, SourceSpan span, bool ends_run);

  /// What a node is the angle of.
  [[nodiscard]] std::optional<flat::Angle> find_angle(NodeId choice);
  /// Whether the value of a select cannot jump: its sides are equal on the surface, its condition comes from smooth(...),
  /// is held for ever (parameters), or is not watched (noEvent).
  [[nodiscard]] bool is_continuous_choice(NodeId select);
  /// Fills in the texts of conditions that stand for no single piece of the source.
  void name_conditions();

 private:
  [[nodiscard]] bool is_watched(const Scalar& a, const Scalar& b, Watching watching);
  [[nodiscard]] GuardId guard_of(NodeId expression, bool may_create);
  /// How a condition is named: by the text of its span, or, if that stands for several, by its two sides as they were
  /// written (none for whole numbers).
  struct Naming {
    bool repeated = false;
    NodeId left;
    NodeId right;
    flat::Condition::Kind kind = flat::Condition::Kind::greater;
  };
  [[nodiscard]] ConditionId condition_of(flat::Condition condition, const RelationContext& context,
                                         Naming naming);
  [[nodiscard]] std::string text_of(const flat::Condition& condition, NodeId leaf, const Naming& naming,
                                    flat::ExpressionPrinter& printer) const;
  [[nodiscard]] Scalar chosen(const Scalar& argument, const Numbers& knots, const Numbers& numbers,
                              std::size_t first, std::size_t last);
  [[nodiscard]] std::vector<Scalar> plain_direction(std::span<const NodeId> v);
  [[nodiscard]] Scalar held(flat::Condition::Kind kind, NodeId argument, const RelationContext& context);

  flat::Model& model_;
  Arithmetic& arithmetic_;
  flat::VariabilityOfNodes& variability_;
  flat::GuardCanonicalizer canonicalizer_;
  std::unordered_map<std::uint32_t, GuardId> guards_;          // by node of the expression
  std::unordered_map<std::uint64_t, ConditionId> conditions_;  // by kind and guard, or kind and argument
  std::unordered_map<std::uint64_t, ConditionId> samples_;     // by start and interval
  std::map<std::pair<std::uint32_t, const Numbers*>, ConditionId> segments_;  // by argument and numbers
  std::map<std::vector<std::uint32_t>, ConditionId> norms_;                   // by the elements of the vector
  std::vector<Naming> namings_;                                               // of each condition
};

}  // namespace saltus::lang

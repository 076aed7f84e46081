/// What names and values are taken apart into while they are written in the names of the flat model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/instance/instance.hpp"
#include "lang/instance/known_value.hpp"

namespace saltus::lang {

/// Loop variables around an expression, innermost first.
struct Locals {
  Name name;
  std::optional<KnownValue> value;  ///< none: the loop stays a loop
  const Locals* outer = nullptr;
  std::optional<const ClassDef*> type = {};  ///< as ValueType
};

/// What is repeated: an expression or statements.
struct LoopBody {
  ExpressionId expression;
  std::span<const Statement> statements;
};

/// A name of which a loop variable is subscript number `dimension` of part `part`.
struct Subscripted {
  ExpressionId id;
  std::size_t part = 0;
  std::size_t dimension = 0;
};

/// One part of a name; subscripts are written or, from a selector, known.
struct NameStep {
  Name name;
  List<ExpressionId> subscripts;
  std::vector<std::int64_t> known;
  SourceSpan span;
  std::size_t n_dimensions = 0;  ///< of what it names
  Node* node = nullptr;          ///< a primitive that it names
  bool is_written = true;        ///< as a name, not a selector
};

/// A component, or several elements of one, with the subscripts of a primitive one.
struct Reference {
  enum class Kind {
    missing,
    left_out,
    primitive,
    composite,
    literal,
    type,
    array,
    local
  } kind = Kind::missing;
  Node* node = nullptr;
  Instance* instance = nullptr;  ///< of a composite
  std::vector<NameStep>
      last;  ///< the subscripts of a primitive; in functions also those of records around it
  std::vector<Reference> elements;  ///< of an array of components
  std::int64_t literal = 0;         ///< of an enumeration
  ClassDef* enumeration = nullptr;  ///< of a type or literal; null: Boolean
  bool is_outside = false;          ///< a connector of the class in which the name stands (Modelica 9.1.2)
  const Locals* local = nullptr;    ///< null: time
};

/// What one subscript of an array of components chooses.
struct Choice {
  std::vector<std::int64_t> positions;
  bool keeps_dimension = true;
};

/// A member of a record that is no record itself, by the names that lead to it.
struct Leaf {
  std::vector<Name> path;
  Node* node = nullptr;
};

/// A call that makes a record, to be looked at when all components are made.
struct Construction {
  const ClassFile* file = nullptr;
  const Call* call = nullptr;
  Instance* record = nullptr;
};

/// The size of a value for an array of components that only elaboration knows.
struct SizeToAsk {
  Node* node = nullptr;
  Binding value;
  std::string path;
};

}  // namespace saltus::lang

/// The instance tree: classes with what is known of them where they are used (Modelica 5.6).
///
/// An Instance is a class together with the place from which its names are looked up and the modifications that apply to
/// it. The parts of an instance are the class itself and all classes it extends, numbered in the order in which they are
/// met, so that a class and what it inherits are a range of numbers: a name that is written in part p means what the parts
/// p … end declare, and it finds it in the one table of the instance, where modifications and redeclarations have been
/// applied. A Node is a component, with one instance for each element of an array of components.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/instance/class_tree.hpp"

namespace saltus::lang {

struct Instance;
struct Element;
struct Node;

/// Where a text stands: names in it are looked up from there.
struct Context {
  Instance* instance = nullptr;
  std::uint32_t part = 0;
};

/// What is taken of a value that is given for more than one thing: an element of an array, a member of a record.
struct Selector {
  std::vector<std::int64_t> subscripts = {};  ///< empty: a member
  Name member = {};
};

/// `= value` of a declaration or a modification.
struct Binding {
  const ClassFile* file = nullptr;
  ExpressionId value;
  Context where;
  std::vector<Selector> selectors = {};
};

/// A class or component that takes the place of another (Modelica 7.3).
struct Redeclaration {
  const ClassFile* file = nullptr;  ///< that it is written in: modifications from further out do not move it
  ClassDef* definition = nullptr;
  const Component* component = nullptr;
  Context where;
  const struct Modifier* below =
      nullptr;  ///< a redeclaration of the same element from further in, which this one replaces
};

/// What modifications say about one element; never changed once it is made (Modelica 7.2).
struct Modifier {
  std::vector<std::pair<Name, const Modifier*>> parts;
  std::optional<Binding> value;
  std::optional<Redeclaration> redeclared;
  bool each = false;
  bool final = false;
  bool is_below_value = false;  ///< said further in than the value of the record that it is a part of
  FilePlace place;
};

/// A class that was found by its name.
struct ClassUse {
  ClassDef* def = nullptr;
  Context enclosing;
  const Modifier* modifier = nullptr;
  const ClassUse* replaced = nullptr;  ///< what `model extends M` goes on from
  const Modifier* kept = nullptr;      ///< what counts below its own modifications: see kept_modifier()
};

enum class BuiltIn : std::uint8_t { none, real, integer, boolean, string, enumeration };

/// In the flat model.
[[nodiscard]] constexpr std::string_view type_text(BuiltIn type) {
  switch (type) {
    case BuiltIn::integer:
    case BuiltIn::enumeration: return "Integer";
    case BuiltIn::boolean: return "Boolean";
    case BuiltIn::string: return "String";
    default: return "Real";
  }
}

/// One class text of an instance.
struct Part {
  ClassDef* def = nullptr;
  Context enclosing;
  std::uint32_t end =
      0;  ///< the parts of it and of its bases are those from its own number to before this one
  /// Elements and bases in the order of the text: a base has its number of a part and `is_base`.
  struct Item {
    std::uint32_t index = 0;
    bool is_base = false;
    std::uint32_t offset = 0;  ///< in the text
  };
  std::vector<Item> items;
  bool is_protected = false;       ///< inherited in a protected section
  bool next_is_protected = false;  ///< so is the base that comes now
};

struct Element {
  Name name;
  const ClassFile* file = nullptr;
  const Component* component = nullptr;  ///< null: a class
  ClassUse use;                          ///< of a class
  Context context;                       ///< where it is written
  const Modifier* modifier = nullptr;    ///< from outside
  const Modifier* kept = nullptr;        ///< of a component: what counts below its own modifications
  std::vector<std::uint32_t> owners;     ///< the parts that declare it
  Element* original = nullptr;           ///< what it redeclares
  ClassUse* shared_use = nullptr;        ///< its use, where a class that redeclares it goes on from it
  bool is_protected = false;
  Instance* instance = nullptr;  ///< of a class, where it was looked into
  Node* node = nullptr;          ///< of a component

  [[nodiscard]] FilePlace place() const {
    return component != nullptr ? FilePlace{file, component->name_span} : use.def->place();
  }
};

/// A size of a primitive component.
struct Size {
  const ClassFile* file = nullptr;
  ExpressionId value;
  Context where;
};

struct Instance {
  ClassUse use;
  const Modifier* modifier = nullptr;
  std::vector<Part> parts;
  std::deque<Element> elements;
  std::unordered_map<Name, Element*> of_name;
  std::unordered_map<Name, Element*>
      inner_of_name;  ///< the inner halves of elements that are inner and outer
  enum class State : std::uint8_t { unread, running, done } state = State::unread;

  // Of types.
  BuiltIn built_in = BuiltIn::none;
  const Modifier* attributes = nullptr;  ///< what its base, a type of the language, is modified with
  std::vector<Size> sizes;
  CausalityPrefix causality = CausalityPrefix::none;
  ClassDef* enumeration = nullptr;

  // Of functions and of records in them: the array r[n] of records with a member a is the array 'r.a'[n] there.
  Instance* function = nullptr;    ///< that it is, or stands in
  std::vector<Size> record_sizes;  ///< of the arrays of records that it is an element of

  // Of components.
  bool is_component = false;  ///< of the model, not of a function or a constant of a class
  std::string path;           ///< its name in the flat model; of a class, that of its constants
  Instance* owner = nullptr;  ///< the component it is a part of
  VariabilityPrefix variability = VariabilityPrefix::none;  ///< that its members have too
  bool is_flow = false;
  CausalityPrefix prefixed = CausalityPrefix::none;  ///< of the component it is
  int depth = 0;

  [[nodiscard]] ClassDef& def() const { return *use.def; }
};

struct Node {
  Element* element = nullptr;
  Instance* holder = nullptr;
  std::string path;
  bool is_present = true;
  bool is_ready = false;
  bool failed = false;
  Node* inner = nullptr;     ///< of an outer component
  Instance* type = nullptr;  ///< of a scalar this is the component itself
  const Modifier* modifier = nullptr;
  std::vector<std::int64_t> shape;  ///< of an array of components
  std::vector<Instance*> instances;
  std::vector<Size> sizes;
  VariabilityPrefix variability = VariabilityPrefix::none;
  CausalityPrefix causality = CausalityPrefix::none;
  bool is_flow = false;
  bool is_final = false;

  [[nodiscard]] bool is_primitive() const { return type != nullptr && type->built_in != BuiltIn::none; }
  [[nodiscard]] const Component& component() const { return *element->component; }
};

/// A clock whose times the start determines (start_values.cpp).
struct FreeClock {
  std::string tick;
  std::string count;
  std::string start;
  std::string interval;
  FilePlace place;
};

[[nodiscard]] inline bool is_connector(const Instance& instance) {
  return std::any_of(instance.parts.begin(), instance.parts.end(),
                     [](const Part& part) { return part.def->kind() == ClassKind::connector; });
}

}  // namespace saltus::lang

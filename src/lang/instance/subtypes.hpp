/// What is asked for and what stands there (subtypes.cpp).
#pragma once

#include <cstddef>
#include <string>

#include "lang/instance/instance.hpp"

namespace saltus::lang {

/// A class by its name where it stands, or as it was found.
struct TypeName {
  ClassUse use;
  std::string path;
  Context where;
  FilePlace place;
  std::size_t n_dimensions = 0;
};

struct KnownType {
  Instance* instance = nullptr;
  BuiltIn built_in = BuiltIn::none;
  const ClassDef* enumeration = nullptr;
  std::size_t n_dimensions = 0;
};

/// What stands where something else is asked for.
struct Replacement {
  TypeName given;
  TypeName wanted;
  FilePlace place;
  Name name;
};

/// Whether two enumerations are one type: the same literals in the same order.
[[nodiscard]] bool same_literals(const ClassDef& a, const ClassDef& b);

}  // namespace saltus::lang

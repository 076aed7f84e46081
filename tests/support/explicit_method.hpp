// An explicit method by its name; nullptr where there is none.
#pragma once

#include <algorithm>
#include <string_view>

#include "integrate/explicit/tables.hpp"

namespace saltus::test {

inline const integrate::Tableau* find_explicit_method(std::string_view name) {
  const auto methods = integrate::explicit_methods();
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [name](const integrate::Tableau* table) { return table->name == name; });
  return found == methods.end() ? nullptr : *found;
}

}  // namespace saltus::test

/// Numbers, names and functions as model texts spell them; a number reads back as the same double.
#pragma once

#include <cstdio>
#include <string>

#include "support/oracle/switched_system.hpp"

namespace saltus::test::oracle {

inline std::string text_of(Real value) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.17g", static_cast<double>(value));
  return value < 0 ? "(" + std::string(buffer) + ")" : buffer;
}

inline std::string name_of(std::size_t i) {
  return "x" + std::to_string(i + 1);
}

inline std::string text_of(const AffineFunction& function, Real scale = 1) {
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
  for (std::size_t i = 0; i < function.c.size(); ++i) {
    if (function.c[i] != 0) {
      add(text_of(scale * function.c[i]) + "*" + name_of(i));
    }
  }
  if (function.f != 0) {
    add(text_of(scale * function.f) + "*time");
  }
  if (function.e != 0 || text.empty()) {
    add(text_of(scale * function.e));
  }
  return text;
}

}  // namespace saltus::test::oracle

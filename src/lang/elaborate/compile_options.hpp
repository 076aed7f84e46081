/// What a text is compiled with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lang/syntax/dialect.hpp"

namespace saltus::lang {

struct CompileOptions {
  Dialect dialect = Dialect::modelica;
  /// New values of parameters on which sizes or other compile-time decisions depend.
  std::vector<std::pair<std::string, double>> parameters;
  /// Which of the models of the text; empty: the last one.
  std::string model = {};
};

}  // namespace saltus::lang

/// What a text is compiled with.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lang/syntax/dialect.hpp"

namespace saltus::lang {

/// A file of data, or why there is none.
struct DataText {
  std::string text = {};
  std::string problem = {};  ///< empty: none
  std::string hint = {};
};

struct CompileOptions {
  Dialect dialect = Dialect::modelica;
  /// New values of parameters on which sizes or other compile-time decisions depend.
  std::vector<std::pair<std::string, double>> parameters;
  /// Which of the models of the text; empty: the last one.
  std::string model = {};
  /// Reads the files that tables name; null: there are none.
  std::function<DataText(const std::string& name)> read_data = {};
};

}  // namespace saltus::lang

/// What a text is compiled with.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "lang/instance/class_library.hpp"
#include "lang/syntax/dialect.hpp"

namespace saltus::lang {

struct EquationMaker;

/// A file of data, or why there is none.
struct DataText {
  std::string text = {};
  std::string problem = {};  ///< empty: none
  std::string hint = {};
};

/// A value of a parameter from outside: of a scalar, of a whole array in the order of its elements, or a text.
struct ParameterSetting {
  std::vector<Index> shape = {};  ///< empty: a scalar
  std::vector<double> numbers = {};
  std::string text = {};  ///< of a String, which has no numbers
  friend bool operator==(const ParameterSetting&, const ParameterSetting&) = default;
};

/// Among the parameters of CompileOptions, λ of homotopy(actual, simplified): 1, the model itself, where it is not given.
inline constexpr std::string_view kHomotopySetting = " homotopy";  // no name of a model begins with a blank

struct CompileOptions {
  Dialect dialect = Dialect::modelica;
  /// New values of parameters on which sizes or other compile-time decisions depend; the last of a name counts.
  std::vector<std::pair<std::string, ParameterSetting>> parameters;
  /// Which of the models of the text, or of the library; empty: the last one.
  std::string model = {};
  /// Where classes are looked for that the text does not hold; null: nowhere.
  std::shared_ptr<const ClassLibrary> library = {};
  /// A model of the text whose declarations and equations belong to that one too; empty: none.
  std::string extension = {};
  /// Reads the files that tables name; null: there are none.
  std::function<DataText(const std::string& name)> read_data = {};
  /// Equations besides those of the text (equation_maker.hpp); null: there are none.
  std::function<void(const EquationMaker& maker)> add_equations = {};
};

}  // namespace saltus::lang

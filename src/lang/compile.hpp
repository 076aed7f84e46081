/// From model text to the flat hybrid DAE.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flat/model.hpp"
#include "lang/dialect.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/result.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

struct CompileOptions {
  Dialect dialect = Dialect::modelica;
  /// New values of parameters on which sizes or other compile-time decisions depend.
  std::vector<std::pair<std::string, double>> parameters;
};

struct Compiled {
  flat::Model model;
  Diagnostics warnings;
};

/// Lexes, parses and elaborates the text. The error holds every problem found, warnings included.
[[nodiscard]] Result<Compiled> compile(std::shared_ptr<const SourceText> source,
                                       const CompileOptions& options);

}  // namespace saltus::lang

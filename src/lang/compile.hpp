/// From model text to the flat hybrid DAE.
#pragma once

#include <memory>

#include "flat/model.hpp"
#include "lang/elaborate/compile_options.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/result.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

struct Compiled {
  flat::Model model;
  Diagnostics warnings;
};

/// Lexes, parses and elaborates the text. The error holds every problem found, warnings included.
[[nodiscard]] Result<Compiled> compile(std::shared_ptr<const SourceText> source,
                                       const CompileOptions& options);

}  // namespace saltus::lang

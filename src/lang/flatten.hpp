/// A class made of others as one flat model text.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lang/elaborate/compile_options.hpp"
#include "lang/instance/instantiator.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/result.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

struct Flattened {
  std::shared_ptr<const SourceText> source;  ///< of the flat model
  std::set<std::string> structural;          ///< parameters that decided something: they are final in it
  std::map<std::string, std::string> types;  ///< of components, where they are none of the language
  /// What was found in the flat text, told where it was written.
  [[nodiscard]] Diagnostics told(const Diagnostics& found) const;

  // What places of the flat text come from.
  std::shared_ptr<Reports> reports;
  std::shared_ptr<ClassTree> tree;
  std::vector<Origin> origins;
  std::shared_ptr<const SourceText> shown;   ///< the file of the class
  std::uint32_t extension_begin = kNoIndex;  ///< where the text of an extension begins, and what it is
  FilePlace extension;
};

/// `ast`: of `source`, read with Refusals::keep. `path`: the full name of the class, which may be one of the library.
[[nodiscard]] Result<Flattened> flatten(std::shared_ptr<const SourceText> source, Ast ast,
                                        const std::string& path, const CompileOptions& options);

}  // namespace saltus::lang

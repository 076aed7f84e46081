/// What the parser could not read: the parts of a text about which nothing more is to be said.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "saltus/source_text.hpp"

namespace saltus::lang {

/// A wrong statement or declaration is damaged as a whole. What it says, and whether it declares a name, is unknown;
/// errors elsewhere that may only follow from that are not reported.
struct Damage {
  std::vector<SourceSpan> regions;        ///< in the order of the text, apart from each other
  std::unordered_set<std::string> names;  ///< identifiers in the regions
  bool hides_names = false;               ///< `extends` or `import`: any name may come from elsewhere
  bool unread = false;                    ///< the parser gave up before the end of the text

  [[nodiscard]] bool any() const { return !regions.empty() || hides_names; }
  [[nodiscard]] bool touches(SourceSpan span) const;
  /// Whether the name, or a part of a dotted one, may be declared in what could not be read.
  [[nodiscard]] bool may_declare(std::string_view name) const;
};

}  // namespace saltus::lang

#include "lang/syntax/damage.hpp"

#include <algorithm>

namespace saltus::lang {

bool Damage::touches(SourceSpan span) const {
  const auto next =
      std::lower_bound(regions.begin(), regions.end(), span.offset,
                       [](SourceSpan region, std::uint32_t offset) { return region.end() < offset; });
  return next != regions.end() && next->offset <= span.end();
}

bool Damage::may_declare(std::string_view name) const {
  if (hides_names || names.count(std::string(name)) != 0) {
    return true;
  }
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t dot = std::min(name.find('.', begin), name.size());
    if (names.count(std::string(name.substr(begin, dot - begin))) != 0) {
      return true;
    }
    begin = dot + 1;
  }
  return false;
}

}  // namespace saltus::lang

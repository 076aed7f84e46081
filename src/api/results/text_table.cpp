#include "api/results/text_table.hpp"

namespace saltus::api {

std::uint32_t TextTable::look_up(std::string_view text) {
  const auto found = places_.find(text);
  if (found != places_.end()) {
    return found->second;
  }
  const auto place = static_cast<std::uint32_t>(texts_.size());
  places_.emplace(texts_.emplace_back(text), place);
  return place;
}

}  // namespace saltus::api

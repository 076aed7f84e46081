/// A member with an array of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"

namespace saltus::api {

inline void put_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(std::string_view(text));
  }
  json.end_array();
}

}  // namespace saltus::api

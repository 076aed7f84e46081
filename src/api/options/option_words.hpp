/// Options whose values are words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/model/number_option.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::api {

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

template <class Value, std::size_t n>
Diagnostics set_word(std::optional<Value>& field, const Word<Value> (&words)[n], std::string_view name,
                     std::string_view value) {
  std::string expected = "one of";
  for (const Word<Value>& word : words) {
    if (word.text == value) {
      field = word.value;
      return {};
    }
    expected += (expected == "one of" ? " " : ", ") + std::string(word.text);
  }
  return wrong_value(name, value, expected);
}

}  // namespace saltus::api

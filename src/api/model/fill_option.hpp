/// Options from several places: what one leaves open is taken from the next.
#pragma once

#include <optional>

namespace saltus::api {

template <class T>
void fill(std::optional<T>& field, const std::optional<T>& other) {
  if (!field) {
    field = other;
  }
}

}  // namespace saltus::api

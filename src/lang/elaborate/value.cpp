#include "lang/elaborate/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace saltus::lang {

std::string to_string(const Shape& shape) {
  return shape.empty() ? "a scalar" : fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string_view to_string(flat::Type type) {
  switch (type) {
    case flat::Type::real: return "Real";
    case flat::Type::integer: return "Integer";
    case flat::Type::boolean: return "Boolean";
    case flat::Type::string: return "String";
  }
  return "";
}

Index n_elements(const Shape& shape) {
  Index product = 1;
  bool too_many = false;
  for (const Index size : shape) {
    if (size == 0) {
      return 0;
    }
    too_many = too_many || size >= kTooManyElements || product * size >= kTooManyElements;
    product = too_many ? kTooManyElements : product * size;
  }
  return product;
}

Value failed_value() {
  Value value;
  value.failed = true;
  return value;
}

Value scalar_value(flat::Type type, Scalar scalar) {
  Value value;
  value.type = type;
  value.scalar = scalar;
  return value;
}

Value array_value(flat::Type type, Shape shape) {
  Value value;
  value.type = type;
  value.elements.resize(shape.empty() ? 0 : static_cast<std::size_t>(n_elements(shape)));
  value.shape = std::move(shape);
  return value;
}

}  // namespace saltus::lang

#include "base/number_text.hpp"

#include <charconv>
#include <cmath>

namespace saltus {

char* write_number(char* out, double value) {
  // The sign of a NaN says nothing, and machines differ in it.
  return std::to_chars(out, out + kMaxNumberLength, std::isnan(value) ? std::abs(value) : value).ptr;
}

std::string number_text(double value) {
  char buffer[kMaxNumberLength];
  return {buffer, write_number(buffer, value)};
}

}  // namespace saltus

#include "base/number_text.hpp"

#include <charconv>

namespace saltus {

char* write_number(char* out, double value) {
  return std::to_chars(out, out + kMaxNumberLength, value).ptr;
}

std::string number_text(double value) {
  char buffer[kMaxNumberLength];
  return {buffer, write_number(buffer, value)};
}

}  // namespace saltus

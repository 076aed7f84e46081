// Any bytes as a model text: elaboration and analysis of the structure end with a value.
#include <cstddef>
#include <cstdint>

#include "model_work.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  saltus::fuzz::analyse_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

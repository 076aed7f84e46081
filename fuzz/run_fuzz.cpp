// Any bytes as a model text: a short run of it ends with a value. The last byte chooses the method.
#include <cstddef>
#include <cstdint>

#include "model_work.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) {
    saltus::fuzz::run_text(std::string(reinterpret_cast<const char*>(data), size),
                           saltus::fuzz::kMethods[data[size - 1] % saltus::fuzz::kMethods.size()]);
  }
  return 0;
}

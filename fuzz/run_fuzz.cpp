// Any bytes as a model text: a short run of it ends with a value. The last byte chooses the method.
#include <array>
#include <cstddef>
#include <cstdint>

#include "model_work.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array<const char*, 4> kMethods = {"auto", "radau5", "bdf", "sdirk4"};
  if (size > 0) {
    saltus::fuzz::run_text(std::string(reinterpret_cast<const char*>(data), size),
                           kMethods[data[size - 1] % kMethods.size()]);
  }
  return 0;
}

// Any bytes as a model text: reading and checking it must end, with a model or with diagnostics, and nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "saltus/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  // The first byte chooses the dialect.
  const char* name = data[0] % 2 == 0 ? "fuzz.mo" : "fuzz.saltus";
  const auto model =
      saltus::Model::from_text(name, std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  if (model) {
    static_cast<void>(model->check());
  } else {
    static_cast<void>(saltus::render_text(model.error()));
    static_cast<void>(saltus::render_json(model.error()));
  }
  return 0;
}

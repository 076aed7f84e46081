// Any bytes as a model text: the front end answers with a well-formed flat model or with errors, in the order of the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "flat/verify.hpp"
#include "lang/compile.hpp"
#include "saltus/diagnostic.hpp"

namespace {

using namespace saltus;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void check_diagnostics(const Diagnostics& diagnostics, const SourceText& source) {
  std::uint32_t last = 0;
  for (const Diagnostic& item : diagnostics.items()) {
    require(!item.message.empty() && !item.code.empty());
    if (item.span) {
      require(item.span->end() <= source.text().size());
      require(item.span->offset >= last);
      last = item.span->offset;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source =
      std::make_shared<const SourceText>("input", std::string(reinterpret_cast<const char*>(data), size));
  for (const lang::Dialect dialect : {lang::Dialect::modelica, lang::Dialect::saltus}) {
    lang::CompileOptions options;
    options.dialect = dialect;
    const auto compiled = lang::compile(source, options);
    if (compiled) {
      require(!compiled->warnings.has_errors());
      require(flat::verify(compiled->model).empty());
      check_diagnostics(compiled->warnings, *source);
    } else {
      require(compiled.error().has_errors());
      check_diagnostics(compiled.error(), *source);
    }
  }
  return 0;
}

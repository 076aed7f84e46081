// Compiles a model text in a test, checks that the flat model is well formed, and returns it.
#pragma once

#include <stdexcept>
#include <string>

#include "flat/verify.hpp"
#include "lang/compile.hpp"

namespace saltus::test {

inline flat::Model compile_text(const std::string& text, lang::Dialect dialect = lang::Dialect::modelica) {
  lang::CompileOptions options;
  options.dialect = dialect;
  auto compiled = lang::compile(std::make_shared<const SourceText>("test.mo", text), options);
  if (!compiled) {
    throw std::runtime_error(render_text(compiled.error()));
  }
  const std::vector<std::string> violations = flat::verify(compiled->model);
  if (!violations.empty()) {
    throw std::runtime_error("not well formed: " + violations.front());
  }
  return std::move(compiled->model);
}

}  // namespace saltus::test

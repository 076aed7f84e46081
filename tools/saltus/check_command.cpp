#include <fmt/format.h>

#include "commands.hpp"
#include "saltus/model.hpp"

namespace saltus::tool {
namespace {

std::string count(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// A model with parts that saltus does not run yet is checked completely and may be right.
constexpr std::string_view kNotRunYet = "not-supported-yet";

Diagnostics with_later_parts_as_warnings(const Diagnostics& problems) {
  Diagnostics list(problems.source());
  for (const Diagnostic& item : problems.items()) {
    const Severity severity = item.code == kNotRunYet ? Severity::warning : item.severity;
    list.add(severity, DiagnosticCode{item.code}, item.message, item.span, item.hint).notes = item.notes;
  }
  return list;
}

}  // namespace

int check_command(const Console& console, const std::string& path) {
  const Result<Model> model = Model::load(path);
  if (!model) {
    console.print(model.error());
    return kExitWrongInput;
  }
  Diagnostics problems = model->warnings();
  problems.append(model->check());
  const bool can_run = !problems.has_errors();
  problems = with_later_parts_as_warnings(problems);
  console.print(problems);
  if (problems.has_errors()) {
    return kExitWrongInput;
  }
  return finish_output(
      console,
      fmt::format("{}: model {} is fine{} ({}, {}, {})\n", path, model->name(),
                  can_run ? "" : " but cannot be run yet", count(model->variables().size(), "variable"),
                  count(model->n_equations(), "equation"), count(model->parameters().size(), "parameter")),
      kExitSuccess);
}

}  // namespace saltus::tool

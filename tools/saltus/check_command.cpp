#include <fmt/format.h>

#include "asked_model.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "saltus/model.hpp"

namespace saltus::tool {
namespace {

std::string count(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

int check_command(const Console& console, const ModelChoice& choice) {
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  const Result<Model> model = load_model(request_of(choice), limits);
  if (!model) {
    console.print(model.error());
    return exit_code_of(model.error());
  }
  Diagnostics problems = model->warnings();
  problems.append(model->check(limits));
  console.print(problems);
  if (problems.has_errors()) {
    return exit_code_of(problems);
  }
  return finish_output(
      console,
      fmt::format("{}: model {} is fine ({}, {}, {})\n", choice.path, model->name(),
                  count(model->variables().size(), "variable"), count(model->n_equations(), "equation"),
                  count(model->parameters().size(), "parameter")),
      kExitSuccess);
}

}  // namespace saltus::tool

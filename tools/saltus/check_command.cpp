#include <fmt/format.h>

#include "commands.hpp"
#include "saltus/model.hpp"

namespace saltus::tool {
namespace {

std::string count(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
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
  console.print(problems);
  if (problems.has_errors()) {
    return kExitWrongInput;
  }
  return finish_output(
      console,
      fmt::format("{}: model {} is fine ({}, {}, {})\n", path, model->name(),
                  count(model->variables().size(), "variable"), count(model->n_equations(), "equation"),
                  count(model->parameters().size(), "parameter")),
      kExitSuccess);
}

}  // namespace saltus::tool

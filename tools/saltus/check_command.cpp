#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "saltus/model.hpp"

namespace saltus::tool {
namespace {

std::string count(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

int check(const Application& application, const std::string& path) {
  const Console& console = application.console;
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

}  // namespace

void add_check_command(Application& application) {
  CLI::App* command = application.app.add_subcommand("check", "read a model and tell what is wrong with it");
  const auto path = std::make_shared<std::string>();
  command->add_option("MODEL", *path, "a .mo or .saltus file")->required()->type_name("FILE");
  add_console_options(application, *command);
  command->callback([&application, path] {
    application.action = [&application, path] { return check(application, *path); };
  });
}

}  // namespace saltus::tool

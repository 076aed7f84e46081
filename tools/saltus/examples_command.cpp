#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "example_models.hpp"
#include "saltus/similar_name.hpp"

namespace saltus::tool {
namespace {

std::string_view stem(std::string_view file_name) {
  return file_name.substr(0, file_name.rfind('.'));
}

// The description string of the model: the first text in quotes after the word `model` that begins a line.
std::string_view description(std::string_view text) {
  std::size_t at = text.rfind("model ", 0) == 0 ? 0 : text.find("\nmodel ");
  if (at == std::string_view::npos) {
    return "";
  }
  const std::size_t line_end = std::min(text.find('\n', at + 1), text.size());
  const std::size_t open = text.find('"', at);
  const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
  return close == std::string_view::npos || open > line_end ? "" : text.substr(open + 1, close - open - 1);
}

int list_examples(const Console& console) {
  std::size_t width = 0;
  for (const ExampleModel& model : example_models()) {
    width = std::max(width, stem(model.file_name).size());
  }
  std::string out;
  for (const ExampleModel& model : example_models()) {
    out += fmt::format("{:<{}}  {}\n", stem(model.file_name), width, description(model.text));
  }
  out += "\n'saltus examples NAME' copies one into this folder.\n";
  return finish_output(console, out, kExitSuccess);
}

// Never replaces a file: "x" fails if there is one.
int copy_example(const Console& console, const ExampleModel& model) {
  const std::string path(model.file_name);
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr) {
    if (errno == EEXIST) {
      console.print_error(kFileExists, fmt::format("there is a file '{}' here already", path),
                          "rename it, or go to another folder");
    } else {
      console.print_error(kCannotWriteOutput,
                          fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
    }
    return kExitWrongInput;
  }
  const bool written = std::fwrite(model.text.data(), 1, model.text.size(), file) == model.text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) {
    console.print_error(kCannotWriteOutput, fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
    std::remove(path.c_str());
    return kExitWrongInput;
  }
  return finish_output(console, fmt::format("copied {0}; 'saltus run {0}' runs it\n", path), kExitSuccess);
}

}  // namespace

int examples_command(const Console& console, const std::string& name) {
  if (name.empty()) {
    return list_examples(console);
  }
  for (const ExampleModel& model : example_models()) {
    if (model.file_name == name || stem(model.file_name) == name) {
      return copy_example(console, model);
    }
  }
  std::vector<std::string_view> names;
  for (const ExampleModel& model : example_models()) {
    names.push_back(stem(model.file_name));
  }
  const std::string hint = did_you_mean(name, names);
  console.print_error(kUnknownExample, fmt::format("there is no example '{}'", name),
                      hint.empty() ? "'saltus examples' lists them" : hint);
  return kExitWrongInput;
}

}  // namespace saltus::tool

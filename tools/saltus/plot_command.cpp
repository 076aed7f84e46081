#include <filesystem>

#include "commands.hpp"
#include "saltus/result_table.hpp"
#include "write_text.hpp"

namespace saltus::tool {

int plot_command(const Console& console, const PlotArguments& arguments) {
  const Result<ResultTable> table = read_result_table(arguments.result);
  if (!table) {
    console.print(table.error());
    return kExitWrongInput;
  }
  PlotOptions options;
  options.columns = arguments.columns;
  options.events = arguments.events;
  options.title = arguments.title;
  const Result<std::string> picture = plot_svg(*table, options);
  if (!picture) {
    console.print(picture.error());
    return kExitWrongInput;
  }
  const std::filesystem::path file(arguments.file.empty() ? "plot.svg" : arguments.file);
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  const Diagnostics unwritten = write_text(folder, file.filename().string(), *picture);
  console.print(unwritten);
  return unwritten.has_errors() ? kExitWrongInput : kExitSuccess;
}

}  // namespace saltus::tool

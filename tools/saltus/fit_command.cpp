#include <fmt/format.h>

#include <utility>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "file_formats.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {
namespace {

std::string file_list(const FitFilesOptions& files) {
  std::string list;
  for (const auto& [wanted, name] : {std::pair<bool, const char*>{files.html, "fit.html"},
                                     {files.csv, "fit.csv"},
                                     {files.json, "fit.json"}}) {
    list += wanted ? (list.empty() ? "" : ", ") + std::string(name) : "";
  }
  return list.empty() ? "" : fmt::format("results in {}: {}\n", files.folder, list);
}

// What kept a fit from converging, as a diagnostic, so that it is there in both forms.
void print_ending(const Console& console, const FitResult& result) {
  if (!result.ok()) {
    console.print_error(DiagnosticCode{result.status == FitStatus::unidentifiable ? kFitUnidentifiable.name
                                       : result.status == FitStatus::limit        ? kFitNotConverged.name
                                                                                  : kFitFailed.name},
                        result.message);
  }
}

}  // namespace

int fit_command(const Console& console, const FitArguments& arguments, Diagnostics problems) {
  FitOptions options;
  take_limits(options.simulation);
  FitFilesOptions files;
  problems.append(read_formats(arguments.run.formats,
                               {{"csv", &files.csv}, {"json", &files.json}, {"html", &files.html}}));
  for (const auto& [name, value] : arguments.run.options) {
    problems.append(set_fit_option(options, name, value));
  }
  std::vector<FitData> data;
  for (const std::string& path : arguments.data) {
    Result<FitData> read = read_fit_data(path);
    if (read) {
      data.push_back(*std::move(read));
    } else {
      problems.append(std::move(read).error());
    }
  }
  const AskedModel asked =
      load_asked_model(console, arguments.run.model, options.simulation, std::move(problems));
  if (!asked.model) {
    return asked.exit_code;
  }
  const Result<FitResult> result = fit(*asked.model, data, options);
  if (!result) {
    console.print(result.error());
    return kExitWrongInput;
  }
  console.print(result->diagnostics);
  files.folder = folder_of(arguments.run, "_fit");
  const Diagnostics unwritten = write_fit_files(*result, files);
  console.print(unwritten);
  print_ending(console, *result);
  const std::string text =
      arguments.run.quiet ? "" : render_text(*result) + (unwritten.has_errors() ? "" : file_list(files));
  return finish_output(console, text,
                       unwritten.has_errors() ? kExitWrongInput
                       : result->ok()         ? kExitSuccess
                                              : kExitEndedEarly);
}

}  // namespace saltus::tool

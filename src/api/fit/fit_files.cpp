// The folder of results of a fit: fit.json, fit.csv, fit.html.

#include <filesystem>

#include "api/fit/fit_page.hpp"
#include "base/number_text.hpp"
#include "record/csv_writer.hpp"
#include "record/file_errors.hpp"
#include "record/whole_file.hpp"
#include "saltus/fit.hpp"

namespace saltus {
namespace {

std::string fitted_rows(const FitResult& result) {
  std::string out = "file,time,variable,data,model,residual\n";
  for (const FitRow& row : result.rows) {
    out += record::csv_field(result.experiments[row.experiment]) + "," + number_text(row.time) + "," +
           record::csv_field(result.columns[row.column]) + "," + number_text(row.data) + "," +
           number_text(row.model) + "," + number_text(row.residual) + "\n";
  }
  return out;
}

}  // namespace

Diagnostics write_fit_files(const FitResult& result, const FitFilesOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) {
    return record::write_failure(options.folder, error.value());
  }
  const std::filesystem::path folder(options.folder);
  Diagnostics problems;
  if (options.csv) {
    problems.append(record::replace_file((folder / "fit.csv").string(), fitted_rows(result)));
  }
  if (options.html) {
    problems.append(record::replace_file((folder / "fit.html").string(), api::fit_page(result)));
  }
  // The last, so that whoever waits for it finds the others.
  if (options.json && !problems.has_errors()) {
    problems.append(record::replace_file((folder / "fit.json").string(), render_json(result) + "\n"));
  }
  return problems;
}

}  // namespace saltus

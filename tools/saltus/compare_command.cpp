#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "saltus/result_table.hpp"

namespace saltus::tool {
namespace {

Diagnostics read_tolerance(const std::string& text, double& tolerance) {
  Diagnostics problems;
  if (text.empty()) {
    return problems;
  }
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, tolerance);
  if (error != std::errc{} || at != end || !(tolerance > 0.0 && tolerance < 1.0)) {
    problems.error(kWrongUsage, fmt::format("--tolerance takes a number between 0 and 1, not '{}'", text));
  }
  return problems;
}

}  // namespace

int compare_command(const Console& console, const CompareArguments& arguments) {
  ComparisonOptions options;
  options.columns = arguments.columns;
  Diagnostics problems = read_tolerance(arguments.tolerance, options.tolerance);
  std::vector<ResultTable> tables;
  for (const std::string& path : {arguments.first, arguments.second}) {
    Result<ResultTable> table = read_result_table(path);
    if (table) {
      tables.push_back(*std::move(table));
    } else {
      problems.append(std::move(table).error());
    }
  }
  if (problems.has_errors()) {
    console.print(problems);
    return kExitWrongInput;
  }
  const Result<Comparison> comparison = compare(tables[0], tables[1], options);
  if (!comparison) {
    console.print(comparison.error());
    return kExitWrongInput;
  }
  return finish_output(console, arguments.quiet ? "" : render_text(*comparison),
                       comparison->is_same() ? kExitSuccess : kExitEndedEarly);
}

}  // namespace saltus::tool

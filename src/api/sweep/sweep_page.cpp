#include "api/sweep/sweep_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "record/report_page.hpp"
#include "record/svg_drawing.hpp"
#include "saltus/version.hpp"

namespace saltus::api {
namespace {

using record::html_text;

constexpr std::size_t kMostListedRuns = 20;  // of runs that did not come to their end

std::string runs_not_ok(const SweepResult& result) {
  std::string rows;
  std::size_t n = 0;
  for (std::size_t k = 0; k < result.runs.size(); ++k) {
    const SweepRun& run = result.runs[k];
    if (!run.ok() && n++ < kMostListedRuns) {
      rows += fmt::format("<tr><td>run {}</td><td>{}</td><td>{}</td></tr>\n", k + 1, to_string(run.status),
                          html_text(run.message));
    }
  }
  const std::string more =
      n > kMostListedRuns
          ? fmt::format("<p class=\"about\">and {} more; sweep.csv has all</p>", n - kMostListedRuns)
          : "";
  return n == 0 ? "" : page_card("Runs that did not come to their end", "<table>" + rows + "</table>" + more);
}

}  // namespace

std::string folder_of_run(const std::string& folder, std::size_t run, std::size_t n_runs) {
  const std::size_t width = std::to_string(n_runs).size();
  return (std::filesystem::path(folder) / fmt::format("run_{:0{}}", run + 1, width)).string();
}

std::string runs_in_words(const SweepResult& result) {
  std::string text = fmt::format("{} runs", result.runs.size());
  const char* separator = ": ";
  for (const SweepStatus status : {SweepStatus::success, SweepStatus::terminated, SweepStatus::stopped,
                                   SweepStatus::failed, SweepStatus::refused, SweepStatus::not_run}) {
    if (const std::size_t n = result.count(status); n > 0) {
      text += fmt::format("{}{} {}", separator, n,
                          status == SweepStatus::not_run ? "not run" : to_string(status));
      separator = ", ";
    }
  }
  return text;
}

double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::string colour_of(double part) {
  static constexpr std::array<std::array<double, 3>, 5> kViridis{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(kViridis.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  std::array<int, 3> colour{};
  for (std::size_t i = 0; i < colour.size(); ++i) {
    colour[i] = static_cast<int>(
        std::lround(std::lerp(kViridis[below][i], kViridis[below + 1][i], at - static_cast<double>(below))));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

std::string page_card(const std::string& title, const std::string& content) {
  return "<section class=\"card\"><h2>" + html_text(title) + "</h2>\n" + content + "</section>\n";
}

std::string page_picture(double width, double height, const std::string& elements) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", width, height) + elements + "</svg>\n";
}

std::string sweep_page(const SweepResult& result, const std::string& trajectory_folder) {
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                    html_text(result.model) + ": sweep</title>\n<style>" +
                    std::string(record::report_style()) + R"css(
section { margin-bottom: 14px; } svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font-size: 12px; }
.maps { display: grid; grid-template-columns: repeat(auto-fill, minmax(380px, 1fr)); gap: 14px; }
svg line[stroke="#ddd"] { stroke: var(--grid); } svg rect[stroke="#000"] { stroke: var(--soft); }
.r { fill: none; stroke-width: 1; stroke-opacity: 0.5; } .b { stroke: var(--bad); } .f { fill: var(--bad); fill-opacity: 0.35; }
.n { fill: var(--grid); } .q { fill: var(--accent); fill-opacity: 0.18; } .m { fill: none; stroke: var(--accent); stroke-width: 2; }
.c { fill: none; stroke: var(--soft); stroke-opacity: 0.35; stroke-width: 0.8; } .p { fill: var(--accent); fill-opacity: 0.7; }
td { padding: 2px 14px 2px 0; vertical-align: top; }
</style></head><body><main>
)css";
  out += fmt::format(
      "<header><h1>{}</h1><span class=\"about\">{}</span><span class=\"pill {}\">{}</span></header>\n",
      html_text(result.model), runs_in_words(result), result.ok() ? "success" : "failed",
      result.ok() ? "all runs ok" : "not all runs ok");
  out += parameter_maps(result) + parallel_axes(result);
  out += trajectory_folder.empty() ? "" : curve_bundles(result, trajectory_folder);
  out += runs_not_ok(result);
  return out + fmt::format("<footer>saltus {}</footer></main></body></html>\n", version());
}

}  // namespace saltus::api

#include "record/html_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/number_text.hpp"
#include "record/json_writer.hpp"
#include "record/output_file.hpp"
#include "record/report_page.hpp"

namespace saltus::record {
namespace {

constexpr std::size_t kMaxBuckets = 2000;  // more than a screen has columns
constexpr std::size_t kMinBuckets = 400;
constexpr std::size_t kCellBudget = 100'000;  // buckets times variables: a page of about 2 MB at most
constexpr int kPlotDigits = 7;

void put_number(JsonWriter& json, double value) {
  if (!std::isfinite(value)) {
    json.null();
    return;
  }
  char buffer[kMaxNumberLength];
  const auto end =
      std::to_chars(buffer, buffer + kMaxNumberLength, value, std::chars_format::general, kPlotDigits);
  json.raw({buffer, static_cast<std::size_t>(end.ptr - buffer)});
}

template <class Value>
void put_list(JsonWriter& json, std::string_view name, std::size_t size, double last, const Value& value) {
  json.key(name);
  json.begin_array();
  for (std::size_t i = 0; i < size; ++i) {
    put_number(json, value(i));
  }
  put_number(json, last);
  json.end_array();
}

void put_samples(JsonWriter& json, const std::vector<Column>& columns, const PlotSampler& samples) {
  const std::size_t n = samples.n_buckets();
  json.member("stride", samples.stride());
  json.member("rows", samples.n_rows());
  // Times keep all their digits: at t = 1e9 seven would make them equal.
  json.key("time");
  json.begin_array();
  for (std::size_t b = 0; b < n; ++b) {
    json.value(samples.time(b));
  }
  json.value(samples.last_time());
  json.end_array();
  json.key("series");
  json.begin_array();
  for (std::size_t v = 0; v < samples.n_variables(); ++v) {
    json.begin_object();
    json.member("name", std::string_view(columns[v].name));
    json.member("unit", std::string_view(columns[v].unit));
    json.member("text", std::string_view(columns[v].description));
    const double last = samples.last()[v];
    put_list(json, "y", n, last, [&](std::size_t b) { return samples.first(b, v); });
    if (samples.stride() > 1) {
      put_list(json, "low", n, last, [&](std::size_t b) { return samples.smallest(b, v); });
      put_list(json, "high", n, last, [&](std::size_t b) { return samples.largest(b, v); });
    }
    json.end_object();
  }
  json.end_array();
}

std::string page_data(const Summary& summary, const std::vector<Column>& columns,
                      const PlotSampler& samples) {
  JsonWriter json(false);
  json.begin_object();
  json.member("description", std::string_view(summary.description));
  json.member("omitted", static_cast<std::int64_t>(columns.size() - samples.n_variables()));
  put_samples(json, columns, samples);
  json.key("summary");
  json.raw(summary_json(summary));
  json.end_object();
  return json.take();
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

PlotSampler make_report_sampler(std::size_t n_variables) {
  const std::size_t shown = std::min(n_variables, kMaxReportVariables);
  const std::size_t buckets =
      std::clamp(kCellBudget / std::max<std::size_t>(shown, 1), kMinBuckets, kMaxBuckets);
  return {shown, buckets - buckets % 2};
}

std::string report_html(const Summary& summary, const std::vector<Column>& columns,
                        const PlotSampler& samples) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  page += html_text(summary.model);
  page += " · saltus</title>\n<style>\n";
  page += report_style();
  page += "</style>\n</head>\n";
  page += report_body();
  page += "<script type=\"application/json\" id=\"data\">";
  page += page_data(summary, columns, samples);
  page += "</script>\n<script>\n";
  page += report_script();
  page += "</script>\n</html>\n";
  return page;
}

Diagnostics write_report(const std::string& path, const Summary& summary, const std::vector<Column>& columns,
                         const PlotSampler& samples) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  file->write(report_html(summary, columns, samples));
  return file->commit();
}

}  // namespace saltus::record

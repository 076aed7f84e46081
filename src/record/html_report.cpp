#include "record/html_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/json_writer.hpp"
#include "base/number_text.hpp"
#include "record/output_file.hpp"
#include "record/report_page.hpp"
#include "saltus/visible_text.hpp"

namespace saltus::record {
namespace {

constexpr std::size_t kMaxBuckets = 2000;  // more than a screen has columns
constexpr std::size_t kMinBuckets = 400;
constexpr std::size_t kCellBudget = 100'000;  // buckets times variables: a page of about 2 MB at most
constexpr int kPlotDigits = 7;
constexpr std::size_t kMaxReportSpans = 10'000;  // of the timeline

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

void put_series(JsonWriter& json, const Report& report, std::size_t v, std::optional<double> factor) {
  const PlotSampler& samples = report.samples;
  const Column& column = report.columns[v];
  const std::size_t n = samples.n_buckets();
  const double by = factor.value_or(1.0);
  json.begin_object();
  json.member("name", std::string_view(factor ? "p\u00b7" + column.name : column.name));
  json.member("unit", std::string_view(column.unit));
  json.member("text", std::string_view(column.description));
  if (column.is_discrete) {
    json.member("discrete", true);
  }
  const double last = by * samples.last()[v];
  put_list(json, "y", n, last, [&](std::size_t b) { return by * samples.first(b, v); });
  if (samples.stride() > 1) {
    const auto low = [&](std::size_t b) { return by * samples.smallest(b, v); };
    const auto high = [&](std::size_t b) { return by * samples.largest(b, v); };
    put_list(json, "low", n, last, [&](std::size_t b) { return by < 0.0 ? high(b) : low(b); });
    put_list(json, "high", n, last, [&](std::size_t b) { return by < 0.0 ? low(b) : high(b); });
  }
  json.end_object();
}

void put_samples(JsonWriter& json, const Report& report) {
  const PlotSampler& samples = report.samples;
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
    put_series(json, report, v, std::nullopt);
  }
  for (std::size_t v = 0; v < samples.n_variables() && !report.factors.empty(); ++v) {
    put_series(json, report, v, report.factors[v % report.factors.size()]);
  }
  json.end_array();
}

// Where the mode changes, as [bucket, mode], and where a row begins another segment at the same time.
void put_segments(JsonWriter& json, const PlotSampler& samples) {
  json.key("modes");
  json.begin_array();
  for (const std::string& name : samples.mode_names()) {
    json.value(std::string_view(name));
  }
  json.end_array();
  json.key("modeChanges");
  json.begin_array();
  for (std::size_t b = 0; b < samples.n_buckets(); ++b) {
    if (b == 0 || samples.mode(b) != samples.mode(b - 1)) {
      json.value(static_cast<std::int64_t>(b));
      json.value(static_cast<std::int64_t>(samples.mode(b)));
    }
  }
  json.end_array();
  json.key("breaks");
  json.begin_array();
  for (std::size_t b = 1; b < samples.n_buckets() && samples.stride() == 1; ++b) {
    if (samples.segment(b) != samples.segment(b - 1)) {
      json.value(static_cast<std::int64_t>(b));
    }
  }
  json.end_array();
}

// The timeline: names once, then [from, to, name] for each span in one list.
void put_spans(JsonWriter& json, const std::vector<ModeSpan>& spans) {
  std::unordered_map<std::string_view, std::int64_t> places;
  std::vector<std::string_view> names;
  json.key("spans");
  json.begin_array();
  for (std::size_t i = 0; i < std::min(spans.size(), kMaxReportSpans); ++i) {
    const auto [found, is_new] = places.emplace(spans[i].mode, static_cast<std::int64_t>(names.size()));
    if (is_new) {
      names.push_back(spans[i].mode);
    }
    json.value(spans[i].from);
    json.value(spans[i].to);
    json.value(found->second);
  }
  json.end_array();
  json.key("spanNames");
  json.begin_array();
  for (const std::string_view name : names) {
    json.value(name);
  }
  json.end_array();
}

// Texts once, then numbers: [time, segment, kind, from, to, guard, detail] for each event in one list.
void put_events(JsonWriter& json, std::span<const EventRow> events) {
  std::unordered_map<std::string_view, std::int64_t> places;
  std::vector<std::string_view> texts;
  const auto place = [&](std::string_view text) {
    const auto [found, is_new] = places.emplace(text, static_cast<std::int64_t>(texts.size()));
    if (is_new) {
      texts.push_back(text);
    }
    return found->second;
  };
  json.key("events");
  json.begin_array();
  for (const EventRow& event : events) {
    json.value(event.time);
    json.value(event.segment);
    for (const std::string_view text : {event.kind, event.from, event.to, event.guard, event.detail}) {
      json.value(place(text));
    }
  }
  json.end_array();
  json.key("texts");
  json.begin_array();
  for (const std::string_view text : texts) {
    json.value(text);
  }
  json.end_array();
}

std::string page_data(const Report& report) {
  JsonWriter json(false);
  json.begin_object();
  json.member("description", std::string_view(report.summary.description));
  json.member("omitted", static_cast<std::int64_t>(report.columns.size() - report.samples.n_variables()));
  put_samples(json, report);
  put_segments(json, report.samples);
  put_spans(json, report.summary.modes);
  put_events(json, report.events);
  json.key("summary");
  json.raw(summary_json(report.summary, 0, 0));
  json.end_object();
  return json.take();
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : visible_text(text)) {
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

std::string report_html(const Report& report) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  page += html_text(report.summary.model);
  page += " · saltus</title>\n<style>\n";
  page += report_style();
  page += "</style>\n</head>\n";
  page += report_body();
  page += "<script type=\"application/json\" id=\"data\">";
  page += page_data(report);
  page += "</script>\n<script>\n";
  page += report_script();
  page += report_events_script();
  page += report_start_script();
  page += "</script>\n</html>\n";
  return page;
}

Diagnostics write_report(const std::string& path, const Report& report) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  file->write(report_html(report));
  return file->commit();
}

}  // namespace saltus::record

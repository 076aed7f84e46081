// Options of a sweep by their names and from text.

#include <fmt/format.h>

#include <utility>

#include "api/model/number_option.hpp"
#include "api/model/time_table.hpp"
#include "api/sweep/diagnostic_codes.hpp"
#include "base/name_list.hpp"
#include "saltus/sweep.hpp"

namespace saltus {
namespace {

using api::wrong_value;

Diagnostics set_list(std::vector<std::string>& list, std::string_view name, std::string_view value) {
  for (std::string& item : split_names(value)) {
    if (item.empty()) {
      return wrong_value(name, value, "names and expressions with commas between");
    }
    list.push_back(std::move(item));
  }
  return {};
}

// "N" or "N,SEED"
Diagnostics set_random(SweepOptions& options, std::string_view value) {
  const std::size_t comma = value.find(',');
  const std::optional<std::int64_t> n = api::parse_count(trimmed(value.substr(0, comma)));
  const std::optional<std::int64_t> seed =
      comma == std::string_view::npos ? std::optional<std::int64_t>(static_cast<std::int64_t>(options.seed))
                                      : api::parse_count(trimmed(value.substr(comma + 1)));
  if (!n || *n < 1 || !seed) {
    return wrong_value("random", value, "N or N,SEED: the number of runs, at least 1, and a whole number");
  }
  options.n_random = *n;
  options.seed = static_cast<std::uint64_t>(*seed);
  return {};
}

}  // namespace

Result<SweepSamples> read_sweep_samples(const std::string& path) {
  Result<api::NumberTable> table = api::read_number_table(
      path, {.code = api::kWrongSampleFile, .what = "a table of samples", .takes_truths = true});
  if (!table) {
    return Unexpected(std::move(table).error());
  }
  SweepSamples samples{path, {}, {}};
  for (api::NumberTable::Column& column : table->columns) {
    samples.names.push_back(std::move(column.name));
  }
  for (std::size_t row = 0; row < table->lines.size(); ++row) {
    for (const api::NumberTable::Column& column : table->columns) {
      samples.values.push_back(column.values[row]);
    }
  }
  return samples;
}

Diagnostics set_sweep_option(SweepOptions& options, std::string_view name, std::string_view value) {
  if (name == "vary") {
    Result<Variation> variation = read_variation(value);
    if (!variation) {
      return std::move(variation).error();
    }
    options.vary.push_back(*std::move(variation));
    return {};
  }
  if (name == "samples") {
    Result<SweepSamples> samples = read_sweep_samples(std::string(value));
    if (!samples) {
      return std::move(samples).error();
    }
    options.samples = *std::move(samples);
    return {};
  }
  if (name == "random") {
    return set_random(options, value);
  }
  if (name == "columns") {
    return set_list(options.columns, name, value);
  }
  if (name == "trajectories") {
    return set_list(options.trajectories, name, value);
  }
  if (name == "jobs") {
    return api::set_count(options.jobs, 1, name, value);
  }
  return set_option(options.simulation, name, value);
}

}  // namespace saltus

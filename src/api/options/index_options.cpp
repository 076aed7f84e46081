#include "api/options/index_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/number_option.hpp"
#include "base/name_list.hpp"
#include "base/similar_name.hpp"
#include "reduce/ranks/characteristic_values.hpp"

namespace saltus::api {
namespace {

// More than any model can have, and far from the end of the range.
constexpr std::int64_t kLargestCount = 1'000'000'000;

void state(std::vector<ExpectedIndex>& expected, ExpectedIndex item) {
  std::erase_if(expected, [&](const ExpectedIndex& other) { return other.mode == item.mode; });
  expected.push_back(std::move(item));
}

}  // namespace

Diagnostics set_expected_index(SimulationOptions& options, std::string_view value) {
  const auto wrong = [&] {
    return wrong_value("expect-index", value, "MU,D,A,U,V or MODE=MU,D,A,U,V in whole numbers");
  };
  // At the last '=': quoted names of modes may hold one.
  const std::size_t at = value.rfind('=');
  const std::vector<std::string> parts =
      split_names(at == std::string_view::npos ? value : value.substr(at + 1));
  ExpectedIndex item;
  item.mode = at == std::string_view::npos ? "" : trimmed(value.substr(0, at));
  const std::array<std::int64_t*, 5> fields{&item.index, &item.d, &item.a, &item.u, &item.v};
  if (parts.size() != fields.size() || at == 0) {
    return wrong();
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::optional<std::int64_t> number = parse_count(parts[i]);
    if (!number || *number < 0 || *number > kLargestCount) {
      return wrong();
    }
    *fields[i] = *number;
  }
  state(options.expect_index, std::move(item));
  return {};
}

void fill_expected_index(SimulationOptions& options, const SimulationOptions& annotated) {
  // What the command line says of all modes replaces all that the model says.
  const bool has_all = std::any_of(options.expect_index.begin(), options.expect_index.end(),
                                   [](const ExpectedIndex& item) { return item.mode.empty(); });
  for (const ExpectedIndex& item : annotated.expect_index) {
    const bool is_said = std::any_of(options.expect_index.begin(), options.expect_index.end(),
                                     [&](const ExpectedIndex& own) { return own.mode == item.mode; });
    if (!has_all && !is_said) {
      options.expect_index.push_back(item);
    }
  }
}

Diagnostics check_expected_index(const std::vector<ExpectedIndex>& expected, const Instance& instance) {
  Diagnostics problems;
  if (expected.empty()) {
    return problems;
  }
  if (instance.variables.size() > reduce::kMostUnknownsForRanks) {
    problems.error(
        kTooLargeForRanks,
        fmt::format("--expect-index: ranks are decided for at most {} variables, and the model has {}",
                    reduce::kMostUnknownsForRanks, instance.variables.size()));
  }
  std::vector<std::string_view> names;
  for (const system::ModeInfo& mode : instance.system->modes()) {
    names.push_back(mode.name);
  }
  for (const ExpectedIndex& item : expected) {
    if (!item.mode.empty() && std::find(names.begin(), names.end(), item.mode) == names.end()) {
      problems.error(kNoSuchMode, fmt::format("--expect-index: there is no mode '{}'", item.mode),
                     std::nullopt, did_you_mean(item.mode, names));
    }
  }
  return problems;
}

const ExpectedIndex* expected_in(const std::vector<ExpectedIndex>& expected, std::string_view mode) {
  const ExpectedIndex* found = nullptr;
  for (const ExpectedIndex& item : expected) {
    if (item.mode == mode) {
      return &item;
    }
    found = item.mode.empty() ? &item : found;
  }
  return found;
}

}  // namespace saltus::api

// What --vary says: grids and ranges.

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/number_option.hpp"
#include "api/sweep/plan.hpp"
#include "base/name_list.hpp"
#include "base/number_text.hpp"
#include "saltus/sweep.hpp"

namespace saltus {
namespace {

constexpr const char* kForms =
    "LOW:STEP:HIGH, {V,V}, linear(LOW,HIGH,N) or log(LOW,HIGH,N); for random runs LOW..HIGH, log(LOW..HIGH) "
    "or normal(MEAN,DEVIATION)";
// A step that is written with a few digits, as 0.1, ends a few roundings beside the last value: 0:0.1:1 has 11.
constexpr double kGridRounding = 1e-9;

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + separator.size());
  }
}

// Where the name ends: the first '=' outside of brackets and quotes.
std::size_t end_of_name(std::string_view text) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      i += c == '\\' ? 1 : 0;
      is_quoted = c != '\'';
    } else if (c == '\'') {
      is_quoted = true;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == '=' && depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

// Reads what stands behind the name.
class SpecificationReader {
 public:
  explicit SpecificationReader(Variation& variation) : variation_(variation) {}

  // What is wrong; empty: nothing.
  std::string read(std::string_view text) {
    if (text.starts_with('{') && text.ends_with('}')) {
      return read_list(text.substr(1, text.size() - 2));
    }
    const std::size_t open = text.find('(');
    if (open != std::string_view::npos && text.ends_with(')')) {
      return read_call(trimmed(text.substr(0, open)), text.substr(open + 1, text.size() - open - 2));
    }
    if (text.find("..") != std::string_view::npos) {
      return read_range(text, Variation::Kind::uniform);
    }
    return read_steps(text);
  }

 private:
  std::string read_list(std::string_view text) {
    for (const std::string_view part : split(text, ",")) {
      const std::optional<double> value = part == "true"    ? std::optional(1.0)
                                          : part == "false" ? std::optional(0.0)
                                                            : api::parse_number(part);
      if (!value) {
        return fmt::format("'{}' is not a number", part);
      }
      variation_.values.push_back(*value);
    }
    return "";
  }

  // Numbers between separators; what is wrong goes to problem_.
  std::optional<std::vector<double>> numbers(std::string_view text, std::string_view separator,
                                             std::size_t n) {
    const std::vector<std::string_view> parts = split(text, separator);
    if (parts.size() != n) {
      problem_ = fmt::format("'{}' has {} numbers, not {}", text, parts.size(), n);
      return std::nullopt;
    }
    std::vector<double> found;
    for (const std::string_view part : parts) {
      const std::optional<double> value = api::parse_number(part);
      if (!value) {
        problem_ = fmt::format("'{}' is not a finite number", part);
        return std::nullopt;
      }
      found.push_back(*value);
    }
    return found;
  }

  std::string read_call(std::string_view word, std::string_view inside) {
    const bool is_range = inside.find("..") != std::string_view::npos;
    if (word == "log" && is_range) {
      return read_range(inside, Variation::Kind::logarithmic);
    }
    if (word == "normal") {
      return read_normal(inside);
    }
    if (word == "log" || word == "linear") {
      return read_points(inside, word == "log");
    }
    return fmt::format("'{}' is none of linear, log and normal", word);
  }

  std::string read_range(std::string_view text, Variation::Kind kind) {
    const auto ends = numbers(text, "..", 2);
    if (!ends) {
      return problem_;
    }
    variation_.kind = kind;
    variation_.low = ends->front();
    variation_.high = ends->back();
    return api::wrong_range(variation_);
  }

  std::string read_normal(std::string_view text) {
    const auto given = numbers(text, ",", 2);
    if (!given) {
      return problem_;
    }
    variation_.kind = Variation::Kind::normal;
    variation_.low = given->front();
    variation_.high = given->back();
    return api::wrong_range(variation_);
  }

  // So many points from end to end, both of them exact.
  std::string read_points(std::string_view text, bool is_logarithmic) {
    const auto given = numbers(text, ",", 3);
    if (!given) {
      return problem_;
    }
    const double low = (*given)[0];
    const double high = (*given)[1];
    const double n = (*given)[2];
    if (n != std::floor(n) || n < 2.0 || n > static_cast<double>(api::kMostRunsOfSweep)) {
      return fmt::format("the number of values, {}, is not a whole number from 2 to {}", n,
                         api::kMostRunsOfSweep);
    }
    if (is_logarithmic && !(low * high > 0.0)) {
      return fmt::format("there is no logarithmic scale from {} to {}", low, high);
    }
    const auto last = static_cast<std::size_t>(n) - 1;
    const double step = high / static_cast<double>(last) - low / static_cast<double>(last);
    for (std::size_t k = 0; k <= last; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(last);
      variation_.values.push_back(k == 0           ? low
                                  : k == last      ? high
                                  : is_logarithmic ? low * std::pow(high / low, part)
                                                   : between(low, high, step, k, last));
    }
    return "";
  }

  // low + step·k or (low·(n - k) + high·k)/n: what a person would write. The third tenth of 0 to 1 is 0.3, as the second says, and the third
  // hundredth of 0 to 0.1 is 0.03, as the first says.
  static double between(double low, double high, double step, std::size_t k, std::size_t n) {
    const auto steps = static_cast<double>(n);
    const auto behind = static_cast<double>(k);
    const double by_step = low + step * behind;
    const double by_ends = (low * (steps - behind) + high * behind) / steps;
    return std::isfinite(by_ends) && number_text(by_ends).size() < number_text(by_step).size() ? by_ends
                                                                                               : by_step;
  }

  std::string read_steps(std::string_view text) {
    const auto given = numbers(text, ":", 3);
    if (!given) {
      return problem_;
    }
    const double low = (*given)[0];
    const double step = (*given)[1];
    const double high = (*given)[2];
    const double n = high / step - low / step;
    if (!(std::abs(step) > 0.0) || !(n >= 0.0)) {
      return fmt::format("no steps of {} lead from {} to {}", step, low, high);
    }
    if (!(n < static_cast<double>(api::kMostRunsOfSweep))) {
      return fmt::format("there are more than {} steps of {} from {} to {}", api::kMostRunsOfSweep, step, low,
                         high);
    }
    const double whole = std::round(n);
    const bool ends_at_high = std::abs(n - whole) <= kGridRounding * std::max(1.0, n);
    const auto last = static_cast<std::size_t>(ends_at_high ? whole : std::floor(n));
    for (std::size_t k = 0; k <= last; ++k) {
      variation_.values.push_back(k == last && ends_at_high  ? high
                                  : ends_at_high && last > 0 ? between(low, high, step, k, last)
                                                             : low + step * static_cast<double>(k));
    }
    return "";
  }

  Variation& variation_;
  std::string problem_;
};

}  // namespace

Result<Variation> read_variation(std::string_view text) {
  const std::size_t at = end_of_name(text);
  Variation variation;
  std::string wrong;
  if (at == std::string_view::npos || trimmed(text.substr(0, at)).empty()) {
    wrong = "it is NAME=VALUES";
  } else {
    variation.name = unquoted(trimmed(text.substr(0, at)));
    wrong = SpecificationReader(variation).read(trimmed(text.substr(at + 1)));
  }
  if (!wrong.empty()) {
    Diagnostics problems;
    problems.error(api::kWrongOptionValue, fmt::format("--vary '{}': {}", text, wrong), std::nullopt,
                   fmt::format("values are {}", kForms));
    return Unexpected(std::move(problems));
  }
  return variation;
}

}  // namespace saltus

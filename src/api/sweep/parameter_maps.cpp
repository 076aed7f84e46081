// Columns of a sweep over one or two of the names that are varied.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "api/sweep/sweep_page.hpp"
#include "record/svg_drawing.hpp"

namespace saltus::api {
namespace {

// More drawings make a page that nobody looks through; it says how many are left out.
constexpr std::size_t kMostMaps = 12;
// Up to this many values of a name have cells of their own …
constexpr std::size_t kMostLevels = 40;
// … else its range has this many.
constexpr std::size_t kCellsOfRange = 24;
// Values that go over a larger factor have cells of the same factor.
constexpr double kFactorOfLogarithms = 100.0;
constexpr std::size_t kMostPointsOfMap = 3000;  // of one drawing; of more runs, every k-th
constexpr int kLabels = 5;                      // on a side of a map, at most

// In units of the picture.
constexpr double kMapWidth = 460.0;
constexpr double kMapHeight = 340.0;
constexpr double kLeftOfMap = 64.0;
constexpr double kRightOfMap = 78.0;
constexpr double kTopOfMap = 12.0;
constexpr double kBelowMap = 44.0;
constexpr double kBarWidth = 12.0;
constexpr int kBarParts = 32;

// Cells along one name: its values, or parts of its range.
class Cells {
 public:
  explicit Cells(const std::vector<double>& values) : levels_(values) {
    std::erase_if(levels_, [](double value) { return !std::isfinite(value); });
    if (levels_.empty()) {
      levels_.push_back(0.0);  // no run has a place
    }
    std::sort(levels_.begin(), levels_.end());
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    low_ = levels_.front();
    high_ = levels_.back();
    is_logarithmic_ = low_ * high_ > 0.0 && std::max(high_ / low_, low_ / high_) > kFactorOfLogarithms;
    has_levels_ = levels_.size() <= kMostLevels;
  }

  [[nodiscard]] std::size_t size() const { return has_levels_ ? levels_.size() : kCellsOfRange; }
  [[nodiscard]] std::size_t of(double value) const {
    if (has_levels_) {
      return static_cast<std::size_t>(std::lower_bound(levels_.begin(), levels_.end(), value) -
                                      levels_.begin());
    }
    const double part =
        is_logarithmic_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return std::min(static_cast<std::size_t>(part * static_cast<double>(kCellsOfRange)), kCellsOfRange - 1);
  }
  // Its value, or where its part begins.
  [[nodiscard]] double at(std::size_t cell) const {
    const double part = static_cast<double>(cell) / static_cast<double>(kCellsOfRange);
    return has_levels_       ? levels_[cell]
           : is_logarithmic_ ? low_ * std::pow(high_ / low_, part)
                             : low_ + part * (high_ - low_);
  }
  [[nodiscard]] std::string text(const std::string& name, std::size_t cell) const {
    return has_levels_ ? fmt::format("{} = {:.6g}", name, at(cell))
                       : fmt::format("{} from {:.6g} to {:.6g}", name, at(cell),
                                     cell + 1 < kCellsOfRange ? at(cell + 1) : high_);
  }

 private:
  std::vector<double> levels_;
  double low_ = 0.0;
  double high_ = 0.0;
  bool is_logarithmic_ = false;
  bool has_levels_ = false;
};

struct Cell {
  std::size_t n_runs = 0;
  std::size_t n_not_ok = 0;
  std::size_t n_values = 0;
  double sum = 0.0;

  [[nodiscard]] std::optional<double> mean() const {
    return n_values > 0 ? std::optional<double>(sum / static_cast<double>(n_values)) : std::nullopt;
  }
};

std::vector<double> taken(const std::vector<double>& table, std::size_t place, std::size_t n_columns) {
  std::vector<double> values;
  for (std::size_t at = place; at < table.size(); at += n_columns) {
    values.push_back(table[at]);
  }
  return values;
}

class Map {
 public:
  Map(const SweepResult& result, std::size_t x_name, std::size_t y_name, std::size_t column)
      : result_(result),
        x_name_(result.names[x_name]),
        y_name_(result.names[y_name]),
        x_given_(taken(result.given, x_name, result.names.size())),
        y_given_(taken(result.given, y_name, result.names.size())),
        values_(taken(result.values, column, result.columns.size())),
        x_(x_given_),
        y_(y_given_),
        cells_(x_.size() * y_.size()) {
    for (std::size_t k = 0; k < result.runs.size(); ++k) {
      if (!std::isfinite(x_given_[k]) || !std::isfinite(y_given_[k])) {
        continue;
      }
      Cell& cell = cells_[y_.of(y_given_[k]) * x_.size() + x_.of(x_given_[k])];
      ++cell.n_runs;
      cell.n_not_ok += result.runs[k].ok() ? 0 : 1;
      if (std::isfinite(values_[k])) {
        ++cell.n_values;
        cell.sum += values_[k];
      }
    }
    std::vector<double> means;
    for (const Cell& cell : cells_) {
      means.push_back(cell.mean().value_or(std::nan("")));
    }
    means.erase(std::remove_if(means.begin(), means.end(), [](double mean) { return std::isnan(mean); }),
                means.end());
    if (!means.empty()) {
      low_ = *std::min_element(means.begin(), means.end());
      high_ = *std::max_element(means.begin(), means.end());
    }
  }

  std::string draw() {
    const double width = (kMapWidth - kLeftOfMap - kRightOfMap) / static_cast<double>(x_.size());
    const double height = (kMapHeight - kTopOfMap - kBelowMap) / static_cast<double>(y_.size());
    for (std::size_t j = 0; j < y_.size(); ++j) {
      for (std::size_t i = 0; i < x_.size(); ++i) {
        draw_cell(i, j, kLeftOfMap + width * static_cast<double>(i),
                  kMapHeight - kBelowMap - height * static_cast<double>(j + 1), width, height);
      }
    }
    for (std::size_t i = 0; i < x_.size(); i += step_of_labels(x_)) {
      svg_.text(kLeftOfMap + width * (static_cast<double>(i) + 0.5), kMapHeight - kBelowMap + 16.0,
                fmt::format("{:.4g}", x_.at(i)), "text-anchor=\"middle\"");
    }
    for (std::size_t j = 0; j < y_.size(); j += step_of_labels(y_)) {
      svg_.text(kLeftOfMap - 6.0, kMapHeight - kBelowMap - height * (static_cast<double>(j) + 0.5) + 4.0,
                fmt::format("{:.4g}", y_.at(j)), "text-anchor=\"end\"");
    }
    svg_.text(0.5 * (kLeftOfMap + kMapWidth - kRightOfMap), kMapHeight - 8.0, x_name_,
              "text-anchor=\"middle\"");
    svg_.text(12.0, 0.5 * (kTopOfMap + kMapHeight - kBelowMap), y_name_,
              fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 12 {:.2f})\"",
                          0.5 * (kTopOfMap + kMapHeight - kBelowMap)));
    draw_bar();
    return page_picture(kMapWidth, kMapHeight, svg_.elements());
  }

 private:
  static std::size_t step_of_labels(const Cells& cells) { return (cells.size() - 1) / kLabels + 1; }

  void draw_cell(std::size_t i, std::size_t j, double x, double y, double width, double height) {
    const Cell& cell = cells_[j * x_.size() + i];
    if (cell.n_runs == 0) {
      return;
    }
    const std::optional<double> mean = cell.mean();
    std::string words = x_.text(x_name_, i) + ", " + y_.text(y_name_, j) + ": ";
    words += mean ? fmt::format("{:.6g}", *mean) : cell.n_not_ok > 0 ? "" : "no value";
    words += cell.n_runs > 1 && mean ? fmt::format(", mean of {} runs", cell.n_values) : "";
    words += cell.n_not_ok > 0 ? fmt::format("{}{} not ok", mean ? ", " : "",
                                             cell.n_runs == 1 ? "" : fmt::format("{}", cell.n_not_ok))
                               : "";
    const double part = mean && high_ > low_ ? (*mean - low_) / (high_ - low_) : 0.5;
    svg_.box(x, y, width, height,
             mean                ? fmt::format("fill=\"{}\"", colour_of(part))
             : cell.n_not_ok > 0 ? std::string("class=\"f\"")
                                 : std::string("class=\"n\""),
             words);
  }

  void draw_bar() {
    const double x = kMapWidth - kRightOfMap + 10.0;
    const double height = kMapHeight - kTopOfMap - kBelowMap;
    for (int k = 0; k < kBarParts; ++k) {
      svg_.box(x, kTopOfMap + height * (kBarParts - 1 - k) / kBarParts, kBarWidth, height / kBarParts,
               fmt::format("fill=\"{}\"", colour_of((k + 0.5) / kBarParts)));
    }
    for (const auto& [value, y] : {std::pair(high_, kTopOfMap + 10.0), {low_, kTopOfMap + height}}) {
      svg_.text(x + kBarWidth + 4.0, y, fmt::format("{:.4g}", value), "");
    }
  }

  const SweepResult& result_;
  const std::string& x_name_;
  const std::string& y_name_;
  std::vector<double> x_given_;
  std::vector<double> y_given_;
  std::vector<double> values_;
  Cells x_;
  Cells y_;
  std::vector<Cell> cells_;
  double low_ = 0.0;
  double high_ = 0.0;
  record::SvgDrawing svg_;
};

// A column over the one name that is varied.
std::string points_over(const SweepResult& result, std::size_t column) {
  const std::vector<double> values = taken(result.values, column, result.columns.size());
  const record::Axis x = record::axis_around(result.given, kLeftOfMap, kMapWidth - 16.0);
  const record::Axis y = record::axis_around(values, kMapHeight - kBelowMap, kTopOfMap);
  record::SvgDrawing svg;
  svg.axes(x, y);
  svg.text(0.5 * (x.from + x.to), kMapHeight - 8.0, result.names.front(), "text-anchor=\"middle\"");
  const std::size_t step = (values.size() - 1) / kMostPointsOfMap + 1;
  for (std::size_t k = 0; k < values.size(); k += step) {
    if (!std::isfinite(result.given[k])) {
      continue;
    }
    if (!result.runs[k].ok()) {
      svg.line(x.place(result.given[k]), y.from, x.place(result.given[k]), y.from - 8.0, "class=\"b\"");
    } else if (std::isfinite(values[k])) {
      svg.add(fmt::format("<circle class=\"p\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.5\"/>\n",
                          x.place(result.given[k]), y.place(values[k])));
    }
  }
  return page_picture(kMapWidth, kMapHeight, svg.elements());
}

}  // namespace

std::string parameter_maps(const SweepResult& result) {
  const std::size_t n_names = result.names.size();
  std::string cards;
  std::size_t n = 0;
  for (std::size_t column = 0; column < result.columns.size(); ++column) {
    if (n_names == 1 && n++ < kMostMaps) {
      cards += page_card(result.columns[column], points_over(result, column));
    }
    for (std::size_t i = 0; i < n_names; ++i) {
      for (std::size_t j = i + 1; j < n_names; ++j) {
        if (n++ < kMostMaps) {
          cards += page_card(result.columns[column], Map(result, i, j, column).draw());
        }
      }
    }
  }
  if (cards.empty()) {
    return "";
  }
  return "<div class=\"maps\">\n" + cards + "</div>\n" +
         (n > kMostMaps
              ? fmt::format("<p class=\"about\">{} of {} drawings are shown; --columns chooses</p>\n",
                            kMostMaps, n)
              : "");
}

}  // namespace saltus::api

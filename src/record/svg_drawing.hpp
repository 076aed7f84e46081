/// Pieces of pictures in SVG that several pages are made of.
///
/// Contract     texts are escaped and visible here, whatever models and files have in their names; numbers of places have two digits behind the
///              point, so that bytes do not depend on the machine
/// Checked by   tests/tables/formats_test.cpp (plots), tests/sweep/page_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saltus::record {

/// Text as content of an element or as a value in quotes of HTML and SVG.
[[nodiscard]] std::string html_text(std::string_view text);

/// From value to place on the picture.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  double from = 0.0;
  double to = 1.0;

  [[nodiscard]] double place(double value) const { return from + (value - low) / (high - low) * (to - from); }
  /// Distance of ticks: 1, 2 or 5 times a power of ten.
  [[nodiscard]] double tick() const;
  /// Values with a tick, in their order.
  [[nodiscard]] std::vector<double> ticks() const;
  /// Of one of them.
  [[nodiscard]] std::string text_of(double tick_value) const;
};

/// An axis that has all finite ones of `values`, with a little room on either side.
[[nodiscard]] Axis axis_around(const std::vector<double>& values, double from, double to);

/// Takes the elements of a picture in their order.
class SvgDrawing {
 public:
  /// `style`: attributes of the elements.
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void text(double x, double y, std::string_view words, std::string_view style);
  void box(double x, double y, double width, double height, std::string_view style,
           std::string_view words = {});
  void add(std::string_view element) { svg_ += element; }
  /// Lines and numbers at the ticks of both axes, and a frame.
  void axes(const Axis& x, const Axis& y);

  [[nodiscard]] const std::string& elements() const { return svg_; }

 private:
  std::string svg_;
};

}  // namespace saltus::record

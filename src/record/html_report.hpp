/// report.html: one page that shows a run, without network, in any browser.
///
/// The page holds its data as JSON, thinned by PlotSampler to about a thousand points, and a script that
/// draws it (report_page.hpp). Numbers in the page have seven digits; trajectory.csv has all of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/plot_sampler.hpp"
#include "record/rows.hpp"
#include "record/summary_writer.hpp"

namespace saltus::record {

/// A page with more variables would be slow to open; the page says how many it leaves out.
inline constexpr std::size_t kMaxReportVariables = 200;

/// Events that are marked and listed; of more, every k-th.
inline constexpr std::size_t kMaxReportEvents = 5000;

/// A sampler of the right size for a page with these columns.
[[nodiscard]] PlotSampler make_report_sampler(std::size_t n_variables);

/// What the page shows.
struct Report {
  const Summary& summary;
  const std::vector<Column>& columns;
  const PlotSampler& samples;
  std::span<const EventRow> events;  ///< at most kMaxReportEvents of summary.statistics.events, in order
  /// Columns come in groups of so many; the page shows each column multiplied by its factor too. Empty: it does not.
  std::vector<double> factors = {};
};

[[nodiscard]] std::string report_html(const Report& report);
[[nodiscard]] Diagnostics write_report(const std::string& path, const Report& report);

}  // namespace saltus::record

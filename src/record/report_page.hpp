/// The fixed parts of report.html.
#pragma once

#include <string_view>

namespace saltus::record {

[[nodiscard]] std::string_view report_style();  ///< CSS, light and dark
[[nodiscard]] std::string_view report_body();   ///< the empty page
// JavaScript that fills it from the element with id "data", in this order:
[[nodiscard]] std::string_view report_script();         ///< trajectories
[[nodiscard]] std::string_view report_events_script();  ///< events, timeline of modes, phase plot
[[nodiscard]] std::string_view report_start_script();   ///< tables, and the first drawing

}  // namespace saltus::record

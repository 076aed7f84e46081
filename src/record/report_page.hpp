/// The fixed parts of report.html.
#pragma once

#include <string_view>

namespace saltus::record {

[[nodiscard]] std::string_view report_style();   ///< CSS, light and dark
[[nodiscard]] std::string_view report_body();    ///< the empty page
[[nodiscard]] std::string_view report_script();  ///< JavaScript that fills it from the element with id "data"

}  // namespace saltus::record

/// Text of a source for a message: runs of white space and line ends are one blank each, none at the ends.
#pragma once

#include <string>
#include <string_view>

namespace saltus {

[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace saltus

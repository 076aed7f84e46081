/// What a system call says of a file that cannot be written, as diagnostics.
#pragma once

#include <string>

#include "saltus/diagnostic.hpp"

namespace saltus::record {

[[nodiscard]] std::string hint_for(int error_number);
[[nodiscard]] Diagnostics write_failure(const std::string& path, int error_number);

}  // namespace saltus::record

/// A small file that is replaced as a whole: whatever ends the process, or the machine, there is the one before or the new one.
///
/// Method     all bytes go to a temporary name in the same folder, which is synchronised with the disk and then renamed
/// Contract   the error says what failed and names the file; the one before is still there then.
/// Checked by tests/unit/record/whole_file_test.cpp
#pragma once

#include <string>
#include <string_view>

#include "saltus/result.hpp"

namespace saltus::record {

[[nodiscard]] Diagnostics replace_file(const std::string& path, std::string_view bytes);

}  // namespace saltus::record

// Text from models and files that is safe to show.
#pragma once

#include <string>
#include <string_view>

namespace saltus {

/// The text with every character that a terminal would obey instead of showing made visible: control characters (C0 but tab and line
/// end, DEL, C1 also as UTF-8) and bytes that are not UTF-8 as \x1b, marks that change the direction of writing as \u202e. Everything
/// that saltus writes for a person, or into CSV, goes through it; JSON has escapes of its own.
[[nodiscard]] std::string visible_text(std::string_view text);

/// Whether visible_text() would change anything.
[[nodiscard]] bool is_visible_text(std::string_view text);

}  // namespace saltus

/// The library `Saltus`, which is part of the program: its files as texts, made of library/Saltus when the program is built.
#pragma once

#include <string_view>
#include <vector>

namespace saltus::api {

struct OwnLibraryFile {
  std::string_view path;  ///< "Saltus/Electrical.mo"
  std::string_view text;
};

[[nodiscard]] const std::vector<OwnLibraryFile>& own_library_files();

}  // namespace saltus::api

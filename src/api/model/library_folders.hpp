/// Classes in folders (Modelica 13.4).
///
/// Problem      a library has thousands of classes, of which a model uses few; and its files come from anybody.
/// Method       a class is looked for where its name says: "B" of package "A" is A/B.mo or A/B/package.mo. Names are identifiers, and links
///              resolved, a file must lie below its library.
/// Choices      What no folder has may be in the library of the program itself (own_library.hpp): a folder goes before it.
/// Checked by   tests/cli/library_test.cpp
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lang/instance/class_library.hpp"

namespace saltus::api {

class LibraryFolders final : public lang::ClassLibrary {
 public:
  explicit LibraryFolders(const std::vector<std::string>& folders);
  [[nodiscard]] std::optional<Unit> find(const std::string& folder, const std::string& name) const override;

 private:
  [[nodiscard]] std::optional<Unit> in_folder(const std::filesystem::path& folder,
                                              const std::string& name) const;
  [[nodiscard]] std::optional<Unit> with_version(const std::filesystem::path& folder,
                                                 const std::string& name) const;
  [[nodiscard]] Unit read(const std::filesystem::path& file, const std::filesystem::path& folder) const;

  std::vector<std::filesystem::path> roots_;  // links resolved
};

}  // namespace saltus::api

#include "api/model/library_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "api/model/own_library.hpp"
#include "api/model/read_file.hpp"

namespace saltus::api {
namespace {

namespace fs = std::filesystem;

bool is_identifier(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool lies_within_folder(const fs::path& file, const fs::path& folder) {
  const auto [of_folder, of_file] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return of_folder == folder.end() && of_file != file.end();
}

/// "4.1.0" as numbers; text that is none counts as 0.
std::vector<int> version_of(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('.', at), text.size());
    int number = 0;
    std::from_chars(text.data() + at, text.data() + end, number);
    numbers.push_back(number);
    at = end + 1;
  }
  return numbers;
}

/// Folders of the library that is part of the program begin so; no folder of a disk does.
constexpr std::string_view kOwnFolder = "saltus://";

std::optional<lang::ClassLibrary::Unit> own_unit(const std::string& folder, const std::string& name) {
  const std::string at = folder.empty() ? name : folder.substr(kOwnFolder.size()) + "/" + name;
  for (const OwnLibraryFile& file : own_library_files()) {
    const bool is_package = file.path == at + "/package.mo";
    if (is_package || file.path == at + ".mo") {
      return lang::ClassLibrary::Unit{std::string(file.path),
                                      std::string(file.text),
                                      is_package ? std::string(kOwnFolder) + at : std::string(),
                                      {}};
    }
  }
  return std::nullopt;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

LibraryFolders::LibraryFolders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code missing;
    if (fs::path root = fs::canonical(folder, missing); !missing) {
      roots_.push_back(std::move(root));
    }
  }
}

lang::ClassLibrary::Unit LibraryFolders::read(const fs::path& file, const fs::path& folder) const {
  Unit unit;
  unit.file = file.string();
  unit.folder = folder.string();
  std::error_code missing;
  const fs::path real = fs::canonical(file, missing);
  const bool inside = !missing && std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) {
    return lies_within_folder(real, root) || real.parent_path() == root;
  });
  if (!inside) {
    unit.problem = fmt::format("'{}' lies outside of the folders of libraries", file.string());
    return unit;
  }
  Result<std::string> text = read_file(real.string(), "a class");
  if (!text) {
    unit.problem = text.error().items().front().message;
    return unit;
  }
  unit.text = *std::move(text);
  return unit;
}

std::optional<lang::ClassLibrary::Unit> LibraryFolders::in_folder(const fs::path& folder,
                                                                  const std::string& name) const {
  if (is_file(folder / name / "package.mo")) {
    return read(folder / name / "package.mo", folder / name);
  }
  if (is_file(folder / (name + ".mo"))) {
    return read(folder / (name + ".mo"), {});
  }
  return std::nullopt;
}

/// "Modelica 4.1.0": of several versions the newest.
std::optional<lang::ClassLibrary::Unit> LibraryFolders::with_version(const fs::path& folder,
                                                                     const std::string& name) const {
  std::error_code ignored;
  fs::path best;
  std::vector<int> best_version;
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    const std::string entry = it->path().filename().string();
    if (entry.size() <= name.size() + 1 || entry.compare(0, name.size(), name) != 0 ||
        entry[name.size()] != ' ') {
      continue;
    }
    const bool is_folder = is_file(it->path() / "package.mo");
    const bool is_single = it->path().extension() == ".mo" && is_file(it->path());
    std::vector<int> version = version_of(is_single ? it->path().stem().string().substr(name.size() + 1)
                                                    : entry.substr(name.size() + 1));
    if ((is_folder || is_single) && (best.empty() || version > best_version)) {
      best = it->path();
      best_version = std::move(version);
    }
  }
  if (best.empty()) {
    return std::nullopt;
  }
  return is_file(best) ? read(best, {}) : read(best / "package.mo", best);
}

std::optional<lang::ClassLibrary::Unit> LibraryFolders::find(const std::string& folder,
                                                             const std::string& name) const {
  if (!is_identifier(name)) {
    return std::nullopt;
  }
  if (folder.rfind(kOwnFolder, 0) == 0) {
    return own_unit(folder, name);
  }
  if (!folder.empty()) {
    return in_folder(folder, name);
  }
  for (const fs::path& root : roots_) {
    const std::string own = root.filename().string();
    const bool is_itself = own.substr(0, own.find(' ')) == name && is_file(root / "package.mo");
    std::optional<Unit> unit = is_itself ? read(root / "package.mo", root) : in_folder(root, name);
    unit = unit ? std::move(unit) : with_version(root, name);
    if (unit) {
      return unit;
    }
  }
  return own_unit({}, name);
}

}  // namespace saltus::api

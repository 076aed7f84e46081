// Reading a model file.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "api/model/diagnostic_codes.hpp"
#include "api/results/work_guard.hpp"
#include "saltus/model.hpp"

namespace saltus {
namespace {

// Far above any model a person or a generator writes, far below what would hurt the machine.
constexpr std::size_t kMaxFileSize = std::size_t{256} << 20;
// Of one buffer, in units of base/work_watch.hpp: a pipe may take its time.
constexpr std::int64_t kWorkOfARead = 1'000'000;

Unexpected<Diagnostics> failure(DiagnosticCode code, std::string message, std::string hint = {}) {
  Diagnostics diagnostics;
  diagnostics.error(code, std::move(message), std::nullopt, std::move(hint));
  return Unexpected(std::move(diagnostics));
}

// Reads to the end and not by the size of the file: pipes and devices have none.
Result<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) {
    const int error = errno;
    if (error == ENOENT) {
      return failure(api::kFileNotFound, fmt::format("there is no file '{}'", path));
    }
    return failure(api::kFileUnreadable,
                   fmt::format("cannot read '{}': {}", path, std::generic_category().message(error)));
  }
  std::string text;
  char buffer[1 << 16];
  std::size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
    text.append(buffer, n);
    count_work(kWorkOfARead);
    if (text.size() > kMaxFileSize) {
      return failure(api::kFileTooLarge, fmt::format("'{}' is larger than {} MiB; this is hardly a model",
                                                     path, kMaxFileSize >> 20U));
    }
  }
  if (std::ferror(file.get()) != 0) {
    count_work(kWorkOfARead);  // a signal may have ended the wait for a pipe
    return failure(api::kFileUnreadable,
                   fmt::format("cannot read '{}': {}", path, std::generic_category().message(errno)));
  }
  return text;
}

}  // namespace

Result<Model> Model::load(const std::string& path, const WorkLimits& limits, const std::string& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return failure(api::kFileIsFolder, fmt::format("'{}' is a folder, not a model file", path),
                   "name a .mo or .saltus file in it");
  }
  // The ending first: nobody wants a device or a film read to the end. A name that does not exist is told as such.
  if (!std::filesystem::exists(path, ignored) && !ignored) {
    return failure(api::kFileNotFound, fmt::format("there is no file '{}'", path));
  }
  const std::filesystem::path ending = std::filesystem::path(path).extension();
  if (ending != ".mo" && ending != ".saltus") {
    return failure(api::kUnknownFileEnding, fmt::format("'{}' is neither a .mo nor a .saltus file", path),
                   "the ending says which language the file is in");
  }
  Result<std::string> text = api::under_limits(
      limits, "while the file was read", [&] { return read_file(path); },
      [](const api::EarlyEnd& end) -> Result<std::string> { return Unexpected(end.diagnostics()); });
  if (!text) {
    return Unexpected(std::move(text).error());
  }
  return from_text(path, *std::move(text), limits, model);
}

}  // namespace saltus

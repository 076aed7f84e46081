#include "api/model/read_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "api/model/diagnostic_codes.hpp"
#include "base/work_watch.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::api {
namespace {

// Of one buffer, in units of base/work_watch.hpp: a pipe may take its time.
constexpr std::int64_t kWorkOfARead = 1'000'000;

Unexpected<Diagnostics> failure(DiagnosticCode code, std::string message) {
  Diagnostics diagnostics;
  diagnostics.error(code, std::move(message));
  return Unexpected(std::move(diagnostics));
}

}  // namespace

// Reads to the end and not by the size of the file: pipes and devices have none.
Result<std::string> read_file(const std::string& path, std::string_view what, std::size_t most) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) {
    const int error = errno;
    if (error == ENOENT) {
      return failure(kFileNotFound, fmt::format("there is no file '{}'", path));
    }
    return failure(kFileUnreadable,
                   fmt::format("cannot read '{}': {}", path, std::generic_category().message(error)));
  }
  std::string text;
  char buffer[1 << 16];
  std::size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
    text.append(buffer, n);
    count_work(kWorkOfARead);
    if (text.size() > most) {
      return failure(kFileTooLarge,
                     fmt::format("'{}' is larger than {} MiB; this is hardly {}", path, most >> 20U, what));
    }
  }
  if (std::ferror(file.get()) != 0) {
    count_work(kWorkOfARead);  // a signal may have ended the wait for a pipe
    return failure(kFileUnreadable,
                   fmt::format("cannot read '{}': {}", path, std::generic_category().message(errno)));
  }
  return text;
}

}  // namespace saltus::api

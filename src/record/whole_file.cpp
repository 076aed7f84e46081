#include "record/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "record/file_errors.hpp"

namespace saltus::record {
namespace {

// 0, or the number of an error.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// So that the new name is on the disk too; some file systems do not know it of folders.
void synchronise_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (descriptor >= 0) {
    (void)::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

Diagnostics replace_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = fmt::format("{}.{}.partial", path, ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return write_failure(path, errno);
  }
  int error_number = write_all(descriptor, bytes);
  if (::close(descriptor) != 0 && error_number == 0) {
    error_number = errno;
  }
  if (error_number == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) {
    error_number = errno;
  }
  if (error_number != 0) {
    ::unlink(temporary.c_str());
    return write_failure(path, error_number);
  }
  synchronise_folder(path);
  return {};
}

}  // namespace saltus::record

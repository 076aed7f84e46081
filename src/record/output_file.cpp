#include "record/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "record/diagnostic_codes.hpp"
#include "record/file_errors.hpp"
#include "saltus/contract.hpp"

namespace saltus::record {
namespace {

// Large enough that the cost of a system call does not show (measured: 64 KiB and more make no difference).
constexpr std::size_t kBufferSize = std::size_t{1} << 18;
// How the names of files end that are not whole yet.
constexpr std::string_view kPartial = ".partial";

// A file that is being written is locked, so that one nobody writes any more can be told from it.
int open_locked(const std::string& path) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      if (errno == EINTR) {
        continue;
      }
      return -1;
    }
    (void)::flock(descriptor, LOCK_EX | LOCK_NB);
    struct stat status = {};
    if (::fstat(descriptor, &status) == 0 && status.st_nlink > 0) {
      return descriptor;
    }
    ::close(descriptor);  // somebody has taken it for a left-over before it was locked
  }
}

bool is_left_over(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) {
    return false;
  }
  const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return is_free;
}

// "trajectory.csv.1234.partial" of runs that were killed.
void remove_left_over(const std::string& path) {
  const std::filesystem::path wanted(path);
  const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  const std::string prefix = wanted.filename().string() + ".";
  std::error_code error;
  for (std::filesystem::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error)) {
    const std::string name = item->path().filename().string();
    if (name.size() <= prefix.size() + kPartial.size() || name.compare(0, prefix.size(), prefix) != 0 ||
        name.compare(name.size() - kPartial.size(), kPartial.size(), kPartial) != 0) {
      continue;
    }
    const std::string_view number =
        std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - kPartial.size());
    std::error_code ignored;
    if (number.find_first_not_of("0123456789") == std::string_view::npos && is_left_over(item->path())) {
      std::filesystem::remove(item->path(), ignored);
    }
  }
}

}  // namespace

Diagnostics create_folder(const std::string& path) {
  Diagnostics diagnostics;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) {
    diagnostics.error(kCannotCreateFolder,
                      fmt::format("cannot create the folder '{}': {}", path, error.message()), std::nullopt,
                      hint_for(error.value()));
  }
  return diagnostics;
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::string temporary = fmt::format("{}.{}{}", path, ::getpid(), kPartial);
  remove_left_over(path);
  const int descriptor = open_locked(temporary);
  if (descriptor < 0) {
    return Unexpected(write_failure(path, errno));
  }
  return OutputFile(path, std::move(temporary), descriptor);
}

OutputFile::OutputFile(std::string path, std::string temporary_path, int descriptor)
    : path_(std::move(path)),
      temporary_path_(std::move(temporary_path)),
      descriptor_(descriptor),
      buffer_(new char[kBufferSize]) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::move(other.temporary_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_number_(other.error_number_),
      is_kept_(other.is_kept_),
      size_(other.size_),
      hash_(other.hash_),
      used_(std::exchange(other.used_, 0)),
      buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    if (is_kept_) {
      flush();
    } else {
      ::unlink(temporary_path_.c_str());
    }
    ::close(descriptor_);
  }
}

void OutputFile::write_out(const char* data, std::size_t size) {
  while (size > 0 && error_number_ == 0) {
    const ssize_t written = ::write(descriptor_, data, size);
    if (written < 0) {
      if (errno != EINTR) {
        error_number_ = errno;
      }
      continue;
    }
    hash_.add({data, static_cast<std::size_t>(written)});
    size_ += static_cast<std::size_t>(written);
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::flush() {
  write_out(buffer_.get(), used_);
  used_ = 0;
}

void OutputFile::write(std::string_view text) {
  if (text.size() > kBufferSize - used_) {
    flush();
  }
  if (text.size() > kBufferSize) {
    write_out(text.data(), text.size());
    return;
  }
  used_ += text.copy(buffer_.get() + used_, text.size());
}

char* OutputFile::reserve(std::size_t size) {
  SALTUS_ASSERT(size <= kMaxReserve);
  if (size > kBufferSize - used_) {
    flush();
  }
  return buffer_.get() + used_;
}

Diagnostics OutputFile::commit() {
  SALTUS_EXPECT(descriptor_ >= 0, "a file is committed once");
  flush();
  // A full disk or a network folder may report only when the file is closed.
  if (::close(std::exchange(descriptor_, -1)) != 0 && error_number_ == 0) {
    error_number_ = errno;
  }
  if (error_number_ == 0 && std::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    error_number_ = errno;
  }
  if (error_number_ != 0) {
    ::unlink(temporary_path_.c_str());
    return write_failure(path_, error_number_);
  }
  return {};
}

}  // namespace saltus::record

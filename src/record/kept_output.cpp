// An OutputFile with which a later process can go on.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "record/diagnostic_codes.hpp"
#include "record/output_file.hpp"

namespace saltus::record {
namespace {

// The name under which the part that is there is found again; without a number, so that no other run takes it for a left-over.
std::string kept_path(const std::string& path) {
  return path + ".kept.partial";
}

constexpr std::size_t kCopyBlock = std::size_t{1} << 18;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { open(-1); }
  void open(int number) {
    if (number_ >= 0) {
      ::close(number_);
    }
    number_ = number;
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool ok() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Whether the file begins with what was written; `to` ≥ 0: and has been copied there.
bool begins_with(int from, const OutputFile::Place& place, int to, ByteHash& hash) {
  std::vector<char> block(kCopyBlock);
  std::uint64_t left = place.size;
  while (left > 0) {
    const ssize_t n = ::read(from, block.data(), std::min<std::uint64_t>(left, block.size()));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0 || (to >= 0 && ::write(to, block.data(), static_cast<std::size_t>(n)) != n)) {
      return false;
    }
    hash.add({block.data(), static_cast<std::size_t>(n)});
    left -= static_cast<std::uint64_t>(n);
  }
  return hash.value() == place.hash;
}

Diagnostics cannot_go_on(const std::string& path, std::string_view why) {
  Diagnostics problems;
  problems.error(kCannotGoOnWithFile, fmt::format("cannot go on with '{}': {}", path, why), std::nullopt,
                 "results go on in the folder in which they were begun; if what was written is lost, start "
                 "the run again");
  return problems;
}

}  // namespace

std::optional<OutputFile::Place> OutputFile::keep() {
  flush();
  const std::string kept = kept_path(path_);
  if (error_number_ == 0 && temporary_path_ != kept) {
    if (std::rename(temporary_path_.c_str(), kept.c_str()) == 0) {
      temporary_path_ = kept;
    } else {
      error_number_ = errno;
    }
  }
  if (error_number_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    error_number_ = errno;
  }
  is_kept_ = error_number_ == 0;
  return is_kept_ ? std::optional(Place{size_, hash_.value()}) : std::nullopt;
}

// The part itself, where the process was killed; a copy of the finished file, where it ended by itself and wrote its last rows.
Result<OutputFile> OutputFile::go_on(const std::string& path, const Place& place) {
  const std::string kept = kept_path(path);
  Descriptor part(::open(kept.c_str(), O_RDWR | O_CLOEXEC));
  if (part.ok() && ::flock(part.number(), LOCK_EX | LOCK_NB) != 0) {
    return Unexpected(cannot_go_on(path, "another process writes it"));
  }
  ByteHash hash;
  if (!part.ok() || !begins_with(part.number(), place, -1, hash)) {
    const Descriptor whole(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    hash = {};
    if (!whole.ok() || !begins_with(whole.number(), place, -1, hash)) {
      return Unexpected(cannot_go_on(path, "what was written before is not there, or was changed"));
    }
    part.open(::open(kept.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    hash = {};
    if (!part.ok() || ::flock(part.number(), LOCK_EX | LOCK_NB) != 0 ||
        ::lseek(whole.number(), 0, SEEK_SET) != 0 ||
        !begins_with(whole.number(), place, part.number(), hash)) {
      return Unexpected(cannot_go_on(path, "it cannot be copied"));
    }
  }
  if (::ftruncate(part.number(), static_cast<off_t>(place.size)) != 0) {
    return Unexpected(cannot_go_on(path, "it cannot be cut"));
  }
  OutputFile file(path, kept, part.release());
  file.hash_ = hash;
  file.size_ = place.size;
  file.is_kept_ = true;
  return file;
}

}  // namespace saltus::record

#include "api/sweep/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "api/sweep/diagnostic_codes.hpp"
#include "base/build_id.hpp"
#include "base/byte_hash.hpp"
#include "record/file_errors.hpp"
#include "record/output_file.hpp"

namespace saltus::api {
namespace {

constexpr std::string_view kJournalLine = "saltus sweep 1\n";
constexpr const char* kNameOfBuild = "the build of saltus";
// Differences that are told.
constexpr std::size_t kMostDifferencesTold = 5;
constexpr std::chrono::seconds kSyncSeconds{1};
// Longer ones are none: a run has a few numbers and a sentence.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 30U;

// Before the bytes of the head, and of a record.
struct Frame {
  std::uint64_t number = 0;  // of the run; 0 of the head
  std::uint64_t length = 0;
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Frame, content, hash of both.
std::string framed(std::uint64_t number, std::string_view content) {
  const Frame frame{number, content.size()};
  std::string bytes(bytes_of(frame));
  bytes += content;
  const std::uint64_t hash = hash_of(bytes);
  bytes += bytes_of(hash);
  return bytes;
}

// Reads a file from a place on, in large pieces.
class PieceReader {
 public:
  PieceReader(int descriptor, std::size_t at) : descriptor_(descriptor), at_(at) {}

  // The next frame with its content, or false: there is no whole one, and the file ends before (is_cut()) or its bytes are others.
  bool next(Frame& frame, std::string& content) {
    std::string bytes;
    if (!read(bytes, sizeof frame)) {
      return false;
    }
    std::memcpy(&frame, bytes.data(), sizeof frame);
    std::uint64_t hash = 0;
    if (frame.length > kLongest || !read(bytes, frame.length + sizeof hash)) {
      return false;
    }
    std::memcpy(&hash, bytes.data() + bytes.size() - sizeof hash, sizeof hash);
    bytes.resize(bytes.size() - sizeof hash);
    content = bytes.substr(sizeof frame);
    return hash == hash_of(bytes);
  }
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] std::size_t place() const { return at_ - (buffer_.size() - used_); }

 private:
  static constexpr std::size_t kReadAtOnce = std::size_t{1} << 18U;

  // Appends n bytes.
  bool read(std::string& bytes, std::size_t n) {
    while (n > 0) {
      if (used_ == buffer_.size() && !refill()) {
        return false;
      }
      const std::size_t part = std::min(n, buffer_.size() - used_);
      bytes.append(buffer_, used_, part);
      used_ += part;
      n -= part;
    }
    return true;
  }

  bool refill() {
    buffer_.resize(kReadAtOnce);
    used_ = 0;
    ssize_t n = 0;
    do {
      n = ::pread(descriptor_, buffer_.data(), kReadAtOnce, static_cast<off_t>(at_));
    } while (n < 0 && errno == EINTR);
    buffer_.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    at_ += buffer_.size();
    is_cut_ = buffer_.empty();
    return !is_cut_;
  }

  int descriptor_;
  std::size_t at_;  // of the end of the buffer in the file
  std::string buffer_;
  std::size_t used_ = 0;
  bool is_cut_ = false;
};

Unexpected<Diagnostics> refuse_journal(DiagnosticCode code, std::string message, std::string hint) {
  Diagnostics problems;
  problems.error(code, std::move(message), std::nullopt, std::move(hint));
  return Unexpected(std::move(problems));
}

RunIdentity with_build(const RunIdentity& identity) {
  RunIdentity all = identity;
  all.emplace_back(kNameOfBuild, fmt::format("{:016x}", build_id()));
  return all;
}

Unexpected<Diagnostics> other_sweep(const std::string& path, const std::vector<std::string>& differences) {
  std::string list;
  for (std::size_t i = 0; i < std::min(differences.size(), kMostDifferencesTold); ++i) {
    list += (i == 0 ? "" : "; ") + differences[i];
  }
  list += differences.size() > kMostDifferencesTold
              ? fmt::format("; and {} more", differences.size() - kMostDifferencesTold)
              : "";
  return refuse_journal(kJournalMismatch, fmt::format("'{}' is the journal of another sweep: {}", path, list),
                        "--anew throws it away; or take another folder (-o)");
}

}  // namespace

SweepJournal::SweepJournal(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

SweepJournal::SweepJournal(SweepJournal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_number_(other.error_number_),
      end_of_head_(other.end_of_head_),
      next_sync_(other.next_sync_) {}

SweepJournal::~SweepJournal() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<SweepJournal> SweepJournal::open(const std::string& path, const RunIdentity& identity, bool anew,
                                        std::size_t n_runs, std::size_t n_values, const Taker& take) {
  if (const std::string folder = std::filesystem::path(path).parent_path().string(); !folder.empty()) {
    if (Diagnostics problems = record::create_folder(folder); problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
  }
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return Unexpected(record::write_failure(path, errno));
  }
  SweepJournal journal(path, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return refuse_journal(kJournalInUse, fmt::format("another process is at work with '{}'", path),
                          "wait for it, or take another folder (-o)");
  }
  const RunIdentity all = with_build(identity);
  const Result<bool> has_head = journal.read_head(all);
  if (!has_head && (!anew || has_head.error().items()[0].code == kNotAJournal.name)) {
    return Unexpected(has_head.error());
  }
  if (anew || !*has_head) {
    if (Diagnostics problems = journal.begin(all); problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
  } else {
    journal.read_records(n_runs, n_values, take);
  }
  if (!journal.ok()) {
    return Unexpected(record::write_failure(path, journal.error_number_));
  }
  return journal;
}

Result<bool> SweepJournal::read_head(const RunIdentity& identity) {
  std::string line(kJournalLine.size(), '\0');
  const ssize_t n = ::pread(descriptor_, line.data(), line.size(), 0);
  if (n < 0) {
    return Unexpected(record::write_failure(path_, errno));
  }
  line.resize(static_cast<std::size_t>(n));
  if (line != kJournalLine.substr(0, line.size())) {
    return refuse_journal(kNotAJournal, fmt::format("'{}' is not the journal of a sweep", path_),
                          "take another folder (-o)");
  }
  PieceReader reader(descriptor_, kJournalLine.size());
  Frame frame;
  std::string content;
  const bool is_whole = line.size() == kJournalLine.size() && reader.next(frame, content);
  if (!is_whole && (line.size() < kJournalLine.size() || reader.is_cut())) {
    return false;
  }
  end_of_head_ = reader.place();
  RunIdentity then;
  Archive a(content);
  a.list(then);
  if (!is_whole || !a.ok() || !a.is_at_end()) {
    return refuse_journal(kNotAJournal, fmt::format("'{}' is damaged", path_),
                          "remove it, or take another folder (-o)");
  }
  const std::vector<std::string> found = differences(identity, then);
  if (!found.empty()) {
    return other_sweep(path_, found);
  }
  return true;
}

Diagnostics SweepJournal::begin(const RunIdentity& identity) {
  RunIdentity copy = identity;
  Archive a;
  a.list(copy);
  if (::ftruncate(descriptor_, 0) != 0) {
    return record::write_failure(path_, errno);
  }
  write_all(std::string(kJournalLine) + framed(0, a.saved()));
  if (ok() && ::fdatasync(descriptor_) != 0) {
    error_number_ = errno;
  }
  return ok() ? Diagnostics() : record::write_failure(path_, error_number_);
}

void SweepJournal::read_records(std::size_t n_runs, std::size_t n_values, const Taker& take) {
  PieceReader reader(descriptor_, end_of_head_);
  std::size_t good = end_of_head_;
  Frame frame;
  std::string content;
  while (reader.next(frame, content)) {
    RunRecord record;
    Archive a(content);
    a(record);
    const bool fits = a.ok() && a.is_at_end() && frame.number < n_runs &&
                      (record.values.empty() || record.values.size() == n_values);
    if (!fits) {
      break;
    }
    take(frame.number, std::move(record));
    good = reader.place();
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(good)) != 0) {
    error_number_ = errno;
  }
}

void SweepJournal::write_all(std::string_view bytes) {
  while (!bytes.empty() && ok()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      error_number_ = errno;
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
}

void SweepJournal::add(std::size_t run, RunRecord& record) {
  Archive a;
  a(record);
  const std::string bytes = framed(run, a.saved());
  const std::lock_guard lock(mutex_);
  write_all(bytes);
  const auto now = std::chrono::steady_clock::now();
  if (ok() && now >= next_sync_) {
    next_sync_ = now + kSyncSeconds;
    (void)::fdatasync(descriptor_);  // a disk that cannot do it has the bytes later
  }
}

Diagnostics SweepJournal::finish() {
  if (ok()) {
    (void)::fdatasync(descriptor_);
  }
  return ok() ? Diagnostics() : record::write_failure(path_, error_number_);
}

}  // namespace saltus::api

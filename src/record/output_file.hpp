/// A file that appears under its name only when it is whole.
///
/// Contract   everything goes to a temporary name in the same folder; commit() closes it and renames it. An
/// object
///            that is destroyed without commit() removes its temporary file. The first failed write is
///            remembered, later ones do nothing, and commit() reports it: nobody has to check every write.
/// Choices    the temporary name holds the process id, so that two runs into one folder do not write into one
/// file.
///            No fsync: the promise is about a killed process, not about a lost power line; but for what is kept (keep()), so that a
///            checkpoint never knows more than the disk. What is kept stays when the process ends, under a name of its own.
/// Checked by tests/unit/record/output_file_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/archive.hpp"
#include "base/byte_hash.hpp"
#include "saltus/result.hpp"

namespace saltus::record {

/// Creates a folder with its parents; no diagnostics if it exists already.
[[nodiscard]] Diagnostics create_folder(const std::string& path);

class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  /// Room for `size` characters (at most kMaxReserve) to be filled by the caller, who then calls advance().
  [[nodiscard]] char* reserve(std::size_t size);
  /// Everything before `end`, a pointer into what reserve() returned, is part of the file.
  void advance(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }

  [[nodiscard]] bool ok() const { return error_number_ == 0; }
  /// How much was written, and a hash of it.
  struct Place {
    std::uint64_t size = 0;
    std::uint64_t hash = 0;

    void fields(Archive& a) { a(size, hash); }
  };
  /// What was written so far stays on the disk, whatever becomes of this object; none: it cannot be written.
  [[nodiscard]] std::optional<Place> keep();
  /// Goes on behind what was kept; what came after it is cut off. The error: it is not there any more, or not the same.
  [[nodiscard]] static Result<OutputFile> go_on(const std::string& path, const Place& place);

  /// Flushes, closes and renames; says what failed, now or in an earlier write.
  [[nodiscard]] Diagnostics commit();

  static constexpr std::size_t kMaxReserve = std::size_t{1} << 16;

 private:
  OutputFile(std::string path, std::string temporary_path, int descriptor);
  void flush();
  void write_out(const char* data, std::size_t size);

  std::string path_;
  std::string temporary_path_;
  int descriptor_ = -1;
  int error_number_ = 0;
  bool is_kept_ = false;
  std::uint64_t size_ = 0;  // written out
  ByteHash hash_;           // of it
  std::size_t used_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace saltus::record

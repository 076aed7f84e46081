#include "record/file_errors.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "record/diagnostic_codes.hpp"

namespace saltus::record {
namespace {

std::string error_text(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace

std::string hint_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "the disk is full: free some space, write fewer points (--interval), or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may write to";
    case ENOTDIR:
    case EEXIST: return "a file of that name is in the way";
    default: return "";
  }
}

Diagnostics write_failure(const std::string& path, int error_number) {
  Diagnostics diagnostics;
  diagnostics.error(kCannotWriteFile, fmt::format("cannot write '{}': {}", path, error_text(error_number)),
                    std::nullopt, hint_for(error_number));
  return diagnostics;
}

}  // namespace saltus::record

#include "progress_line.hpp"

#include <cstdio>
#include <string>

namespace saltus::tool {
namespace {

constexpr const char* kBeginAgain = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(const RunArguments& arguments)
    : active_(arguments.progress == ProgressChoice::on ||
              (arguments.progress == ProgressChoice::automatic && !arguments.quiet && is_terminal_error())) {}

void ProgressLine::show(std::string_view text) {
  if (active_) {
    std::fputs((kBeginAgain + std::string(text)).c_str(), stderr);
    shown_ = true;
  }
}

void ProgressLine::erase() {
  if (shown_) {
    std::fputs(kBeginAgain, stderr);
    shown_ = false;
  }
}

}  // namespace saltus::tool

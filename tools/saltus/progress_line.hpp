/// A line on the terminal that is written again and again; erased at the end.
#pragma once

#include <string_view>

#include "commands.hpp"

namespace saltus::tool {

class ProgressLine {
 public:
  /// Shows something if that was asked for, or nothing was said and standard error is a terminal.
  explicit ProgressLine(const RunArguments& arguments);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  [[nodiscard]] bool is_active() const { return active_; }
  void show(std::string_view text);
  void erase();

 private:
  bool active_;
  bool shown_ = false;
};

}  // namespace saltus::tool

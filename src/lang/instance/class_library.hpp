/// Where classes are found that the text itself does not hold (Modelica 13.4).
#pragma once

#include <optional>
#include <string>

namespace saltus::lang {

/// Reads only what is asked for, and the same for the same question.
class ClassLibrary {
 public:
  ClassLibrary() = default;
  ClassLibrary(const ClassLibrary&) = delete;
  ClassLibrary& operator=(const ClassLibrary&) = delete;
  virtual ~ClassLibrary() = default;

  struct Unit {
    std::string file;  ///< for messages
    std::string text;
    std::string folder;   ///< where the classes in it are looked for; empty: it is a file
    std::string problem;  ///< why it cannot be read; empty: it can
  };
  /// The class `name` in a folder that was given by another unit; in the folders of libraries if it is empty.
  [[nodiscard]] virtual std::optional<Unit> find(const std::string& folder,
                                                 const std::string& name) const = 0;
};

}  // namespace saltus::lang

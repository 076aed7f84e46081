// Models by their files.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "saltus/model.hpp"

namespace saltus::bench {

/// `file` from the root of the sources.
inline Model model_of_file(const std::string& file) {
  std::ifstream in(std::string(SALTUS_SOURCE_DIR) + "/" + file);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) {
    throw std::runtime_error("cannot read " + file);
  }
  return Model::from_text(file, out.str()).value();
}

}  // namespace saltus::bench

#include "support/source_folder.hpp"

namespace saltus::test {

std::string source_folder() {
  return SALTUS_SOURCE_DIR;
}

}  // namespace saltus::test

#include "commands.hpp"
#include "saltus/version.hpp"

namespace saltus::tool {

int version_command(const Console& console) {
  return finish_output(console, "saltus " + std::string(version()) + "\n", kExitSuccess);
}

}  // namespace saltus::tool

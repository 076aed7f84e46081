#include "saltus/result.hpp"

namespace saltus::detail {

void throw_error(const Diagnostics& diagnostics) {
  throw Error(render_text(diagnostics));
}

}  // namespace saltus::detail

/// What tells one build of this library from another: numbers saved by one are read again by the same alone (base/archive.hpp).
///
/// Method     a hash of the parts of the loaded program, or shared library, that hold this code and cannot be written to: instructions and
///            constants. Where these cannot be seen, of the version, the compiler and the time of the compilation.
/// Cost       a millisecond for each 8 MB
/// Checked by tests/checkpoint/bad_use_test.cpp
#pragma once

#include <cstdint>

namespace saltus {

[[nodiscard]] std::uint64_t build_id();

}  // namespace saltus

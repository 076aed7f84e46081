/// The folder of the repository, for tests that read examples and other files of it.
#pragma once

#include <string>

namespace saltus::test {

/// Of one source file alone, so that everything else compiles to the same in every clone (and a compiler cache serves them all).
std::string source_folder();

}  // namespace saltus::test

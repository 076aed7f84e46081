/// fit.html: data, fitted solution and residuals of every column, without network and without scripts.
#pragma once

#include <string>

#include "saltus/fit.hpp"

namespace saltus::api {

[[nodiscard]] std::string fit_page(const FitResult& result);

}  // namespace saltus::api

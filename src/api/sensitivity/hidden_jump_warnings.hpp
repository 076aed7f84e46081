/// Warnings of jumps that noEvent hides (program/guards/hidden_jumps.hpp): derivatives are wrong from there on.
#pragma once

#include "flat/model.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::api {

void warn_of_hidden_jumps(const flat::Model& model, Diagnostics& diagnostics);

}  // namespace saltus::api

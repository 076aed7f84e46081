/// The model that a command asks for, and the folder for what it writes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "saltus/model_request.hpp"
#include "saltus/saltus.hpp"

namespace saltus::tool {

struct AskedModel {
  std::optional<Model> model;  ///< none: all that is wrong was printed …
  int exit_code = 0;           ///< … and this is what the command returns
};

/// With the folders that MODELICAPATH names after those that were given.
[[nodiscard]] ModelRequest request_of(const ModelChoice& choice);

/// `problems`: those found so far in the arguments. Warnings of the model are printed.
[[nodiscard]] AskedModel load_asked_model(const Console& console, const ModelChoice& choice,
                                          const SimulationOptions& options, Diagnostics problems);

/// The folder that was asked for, else that of the model's name with `suffix`.
[[nodiscard]] std::string folder_of(const RunArguments& arguments, std::string_view suffix);

/// What a run of a command may be stopped by.
void take_limits(SimulationOptions& options);

}  // namespace saltus::tool

// A model by its file or by its name in a library.
#pragma once

#include <string>
#include <vector>

#include "saltus/model.hpp"

namespace saltus {

/// Which model is meant, and where its parts are found.
struct ModelRequest {
  std::string model{};  ///< a .mo or .saltus file, or the full name of a class of a library: "Package.Model"
  std::string name{};   ///< which class of the file; empty: as docs/language.md, section 1, says
  /// Folders of tables that the model may read, besides its own.
  std::vector<std::string> data_folders{};
  /// Folders in which libraries are looked for, in this order: the class "Modelica" is the folder "Modelica", "Modelica 4.1.0" or the
  /// file "Modelica.mo" in one of them, or one of them itself.
  std::vector<std::string> libraries{};
};

/// As Model::load, with libraries. Only those files of a library are read whose classes are used.
[[nodiscard]] Result<Model> load_model(const ModelRequest& request, const WorkLimits& limits = {});

/// The model as one flat text, which is what is run: of a class made of others the text that it was made into, of a flat model its own.
[[nodiscard]] std::string flat_text(const Model& model);

}  // namespace saltus

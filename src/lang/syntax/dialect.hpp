// Which of the two file endings a model text has.
#pragma once

namespace saltus::lang {

enum class Dialect {
  modelica,  ///< .mo: the Modelica subset
  saltus,    ///< .saltus: the same with mode blocks
};

}  // namespace saltus::lang

/// From code and values of parameters to the data of a system.
///
/// Problem      a run with other parameters should not pay for the analysis of the model again
/// Method       everything that is a number is computed from the values of expressions in parameters; programs compute what depends
///              on parameters alone in their prologues (vm/slab_program.hpp) and tapes in theirs (guards/guard_tape.hpp)
/// Contract     the values have the signature that the code was built for; then results are, bit for bit, those of code that was
///              built for these values alone
/// Cost         linear in the parameters, the variables and the prologues
/// Checked by   tests/unit/api/parameter_reuse_test.cpp
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "program/equations/system_data.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::program {

/// Values from outside.
struct GivenValues {
  GivenParameters parameters;                         ///< of the flat model
  std::vector<std::pair<VariableId, double>> starts;  ///< ascending
};

/// Those of the parameters of code that was built for these start values.
[[nodiscard]] GivenParameters given_to(const flat::Model& model, const GivenValues& given);

/// `values`: of code->model. `common`: SystemData::common.
[[nodiscard]] std::shared_ptr<const SystemData> bind_system(
    std::shared_ptr<const SystemCode> code, ParameterValues& values,
    std::shared_ptr<const SystemData> common = nullptr);

/// The system of these data; `given` are the values that they were bound to.
[[nodiscard]] std::shared_ptr<const system::HybridSystem> make_system(std::shared_ptr<const SystemData> data,
                                                                      GivenValues given);

}  // namespace saltus::program

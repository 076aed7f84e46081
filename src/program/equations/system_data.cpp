#include "program/equations/system_data.hpp"

namespace saltus::program {

UnknownScale ScaleOf::operator()(const structure::Unknown& unknown) const {
  const UnknownScale& scale = data.scales[unknown.variable.index()];
  const bool is_discrete = data.code->model[unknown.variable].variability == flat::Variability::discrete;
  return {unknown.order == 0 || is_discrete ? scale.guess : 0.0, scale.nominal};
}

std::vector<double> SystemData::discrete_starts() const {
  std::vector<double> starts;
  for (const Index column : code->discrete) {
    starts.push_back(start_values[static_cast<std::size_t>(column)]);
  }
  return starts;
}

BlockSequence bind_sequence(std::shared_ptr<const SequenceCode> code, const SystemData& data) {
  return {std::move(code), data.frozen_inputs, ScaleOf{data}};
}

EquationNumbers equation_numbers(std::shared_ptr<const SystemData> data) {
  const SystemData& numbers = *data;
  std::vector<char> rests;
  for (const Index column : numbers.code->discrete) {
    rests.push_back(numbers.code->is_whole(column) ? 1 : 0);
  }
  return {.frozen_inputs = numbers.frozen_inputs,
          .nominal_of = [&numbers](VariableId variable) { return numbers.scales[variable.index()].nominal; },
          .discrete = numbers.discrete_starts(),
          .rests = std::move(rests),
          .zeros = numbers.code->zeros,
          .owner = std::move(data)};
}

std::shared_ptr<const EquationProgram> bind_equations(std::shared_ptr<const EquationCode> code,
                                                      std::shared_ptr<const SystemData> data) {
  return std::make_shared<const EquationProgram>(std::move(code), equation_numbers(std::move(data)));
}

}  // namespace saltus::program

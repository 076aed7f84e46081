#include "program/equations/system_data.hpp"

#include <cmath>

namespace saltus::program {

UnknownScale ScaleOf::operator()(const structure::Unknown& unknown) const {
  const UnknownScale& scale = data.scales[unknown.variable.index()];
  const bool is_discrete = data.code->model[unknown.variable].variability == flat::Variability::discrete;
  return {unknown.order == 0 || is_discrete ? scale.guess : 0.0, data.nominal_of(unknown)};
}

double SystemData::time_unit(VariableId variable) const {
  if (common != nullptr) {
    return common->time_unit(variable);
  }
  const std::vector<double>& units = *time_units.get([this] { return find_time_units(*this); });
  return variable.index() < units.size() ? units[variable.index()] : 1.0;
}

double SystemData::nominal_of(const structure::Unknown& unknown) const {
  const double nominal = scales[unknown.variable.index()].nominal;
  return unknown.order == 0 ? nominal : nominal * std::pow(time_unit(unknown.variable), -unknown.order);
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

EquationNumbers equation_numbers(const SystemData& numbers) {
  std::vector<char> rests;
  for (const Index column : numbers.code->discrete) {
    rests.push_back(numbers.code->is_whole(column) ? 1 : 0);
  }
  return {.frozen_inputs = numbers.frozen_inputs,
          .nominal_of = [&numbers](const structure::Unknown& unknown) { return numbers.nominal_of(unknown); },
          .discrete = numbers.discrete_starts(),
          .rests = std::move(rests),
          .zeros = numbers.code->zeros};
}

EquationNumbers equation_numbers(std::shared_ptr<const SystemData> data) {
  EquationNumbers numbers = equation_numbers(*data);
  numbers.owner = std::move(data);
  return numbers;
}

std::shared_ptr<const EquationProgram> bind_equations(std::shared_ptr<const EquationCode> code,
                                                      std::shared_ptr<const SystemData> data) {
  return std::make_shared<const EquationProgram>(std::move(code), equation_numbers(std::move(data)));
}

}  // namespace saltus::program

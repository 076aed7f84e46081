#include "program/equations/mode_equations.hpp"

#include <algorithm>
#include <utility>

namespace saltus::program {

ModeEquations::ModeEquations(std::shared_ptr<const SystemData> data, std::size_t mode)
    : data_(std::move(data)), mode_(data_->modes[mode]), compiler_(*data_->code, mode_.code) {}

std::shared_ptr<const EquationProgram> ModeEquations::constraints() const {
  return constraints_.get([this]() -> std::shared_ptr<const EquationProgram> {
    auto code = compiler_.constraints();
    return code == nullptr ? nullptr : bind_equations(std::move(code), data_);
  });
}

Result<std::shared_ptr<const system::EquationSet>> ModeEquations::derivative_array(int depth) const {
  const std::lock_guard lock(arrays_mutex_);
  const auto place = static_cast<std::size_t>(std::max(depth, 0));
  if (place < arrays_.size() && arrays_[place] != nullptr) {
    return arrays_[place];
  }
  Result<std::shared_ptr<const EquationCode>> code = compiler_.derivative_array(depth);
  if (!code) {
    return Unexpected(std::move(code).error());
  }
  arrays_.resize(std::max(arrays_.size(), place + 1));
  arrays_[place] = bind_equations(*std::move(code), data_);
  return arrays_[place];
}

std::shared_ptr<const ResidualForm> ModeEquations::residual_form() const {
  return residual_.get([this]() -> std::shared_ptr<const ResidualForm> {
    auto code = compiler_.residual_form();
    if (code == nullptr) {
      return nullptr;
    }
    auto equations = bind_equations(code->equations, data_);
    BlockSequence point = bind_sequence(code->point, *data_);
    return std::make_shared<const ResidualForm>(
        ResidualForm{std::move(code), std::move(equations), std::move(point)});
  });
}

std::shared_ptr<const Divisors> ModeEquations::divisors() const {
  return divisors_.get([this]() -> std::shared_ptr<const Divisors> {
    auto code = compiler_.divisors();
    if (code == nullptr) {
      return nullptr;
    }
    BlockSequence sequence = bind_sequence(code->sequence, *data_);
    return std::make_shared<const Divisors>(Divisors{std::move(code), std::move(sequence)});
  });
}

std::shared_ptr<const GuardValues> ModeEquations::guard_values() const {
  return guard_values_.get([this] {
    auto code = compiler_.guard_values();
    auto values = std::make_shared<GuardValues>();
    if (code->direct != nullptr) {
      values->direct.emplace(bind_sequence(code->direct, *data_));
    }
    if (code->solved != nullptr) {
      values->solved.emplace(bind_sequence(code->solved, *data_));
    }
    values->code = std::move(code);
    return std::shared_ptr<const GuardValues>(std::move(values));
  });
}

std::shared_ptr<const WrittenProgram> ModeEquations::written() const {
  return written_.get([this] { return std::make_shared<const WrittenProgram>(compiler_.written(), data_); });
}

std::shared_ptr<const system::WrittenCoefficients> ModeEquations::written_coefficients() const {
  return coefficients_.get([this] { return bind_coefficients(); });
}

std::shared_ptr<const system::WrittenCoefficients> ModeEquations::bind_coefficients() const {
  const std::shared_ptr<const system::WrittenCoefficients> code = compiler_.written_coefficients();
  if (code == nullptr) {
    return nullptr;
  }
  auto bound = std::make_shared<system::WrittenCoefficients>(*code);
  if (mode_.code.causalized.uncombined.empty()) {
    bound->equations = *derivative_array(0);
  } else {
    bound->equations = bind_equations(compiler_.uncombined(), data_);
  }
  return bound;
}

std::shared_ptr<const system::MixedEquations> ModeEquations::mixed() const {
  return mixed_.get([this] { return bind_mixed(); });
}

std::shared_ptr<const system::MixedEquations> ModeEquations::bind_mixed() const {
  const std::shared_ptr<const MixedCode> code = compiler_.mixed();
  if (code == nullptr) {
    return nullptr;
  }
  auto bound = std::make_shared<system::MixedEquations>(code->relations);
  bound->rows = bind_equations(code->rows, data_);
  const std::vector<system::SlotInfo>& slots = code->rows->slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    bound->starts.push_back(slots[i].order == 0 ? data_->scales[code->rows->sized_as()[i].index()].guess
                                                : 0.0);
  }
  return bound;
}

}  // namespace saltus::program

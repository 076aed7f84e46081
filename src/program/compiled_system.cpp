#include "program/compiled_system.hpp"

#include <utility>

#include "program/compiled_model.hpp"
#include "program/model_parts.hpp"
#include "program/structure_variants.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

class CompiledSystem final : public system::HybridSystem {
 public:
  CompiledSystem(std::shared_ptr<const SystemData> data, StructureVariants variants)
      : data_(std::move(data)), code_(*data_->code), variants_(std::move(variants)) {
    for (std::size_t mode = 0; mode < data_->modes.size(); ++mode) {
      locked_.push_back(make_locked(data_, mode));
    }
  }

  const std::vector<system::VariableInfo>& variables() const override { return code_.columns; }
  const std::vector<Index>& discrete() const override { return code_.discrete; }
  const std::vector<system::ModeInfo>& modes() const override { return code_.mode_infos; }
  const std::vector<system::GuardInfo>& guards() const override { return code_.guard_infos; }
  const std::vector<system::ActionInfo>& actions() const override { return code_.actions.infos; }
  const std::vector<system::BodyMessageInfo>& messages() const override { return code_.actions.messages; }
  Index n_clocks() const override { return static_cast<Index>(code_.conditions.clocks().size()); }
  system::ClockTimes clock_times(Index clock) const override { return data_->scheduler->clock(clock); }
  bool has_rounds() const override { return code_.has_rounds; }

  ModeId initial_mode() const override { return ModeId(code_.initial_mode); }
  Result<system::InitialPoint> initial(double t) const override {
    return variants_.empty() ? initial_of(data_, t) : variants_.initial(t);
  }
  Result<system::InitialPoint> initial_in(const system::Configuration& asked, double t) const override {
    auto data = data_of(variants_.of(asked));
    return data ? initial_of(*data, t, &asked) : Unexpected(std::move(data).error());
  }
  system::Configuration start_configuration(double t) const override {
    return program::start_configuration(*data_, t);
  }
  bool has_structures() const override { return !variants_.empty(); }
  system::StructureId structure_of(const system::Configuration& configuration) const override {
    return variants_.of(configuration);
  }
  void structure_fields(Archive& a, system::StructureId& structure) const override {
    variants_.structure_fields(a, structure);
  }
  std::span<const Index> structure_groups(ModeId mode) const override {
    return variants_.empty() ? std::span<const Index>() : variants_.groups(place_of(mode));
  }
  const system::ModelParts* parts() const override {
    return code_.parts
        .get([this] { return std::make_shared<const system::ModelParts>(find_model_parts(code_)); })
        .get();
  }
  Result<std::shared_ptr<const system::LockedDae>> lock(const system::StructureId& structure) const override {
    if (structure.number == 0) {
      return locked_[place_of(structure.mode)];
    }
    return variants_.lock(structure);
  }
  Result<std::unique_ptr<system::RoundSolver>> rounds(const system::StructureId& structure) const override {
    auto data = data_of(structure);
    if (!data) {
      return Unexpected(std::move(data).error());
    }
    return code_.has_rounds ? make_round_solver(*data, place_of(structure.mode)) : nullptr;
  }
  std::vector<double> entry_states(const system::StructureId& structure) const override {
    const auto data = data_of(structure);
    return data ? (*data)->modes[place_of(structure.mode)].entry_states : std::vector<double>();
  }
  void next_scheduled(const system::Configuration& configuration, double t, double direction, double scale,
                      bool inclusive, system::Schedule& schedule) const override {
    data_->scheduler->next(configuration, t, direction, scale, inclusive, schedule);
  }

 private:
  // An invalid id is the only mode of a model without modes.
  [[nodiscard]] std::size_t place_of(ModeId mode) const {
    SALTUS_EXPECT(mode.valid() ? mode.index() < locked_.size() : locked_.size() == 1, "no such mode");
    return mode.valid() ? mode.index() : 0;
  }
  [[nodiscard]] Result<std::shared_ptr<const SystemData>> data_of(
      const system::StructureId& structure) const {
    if (structure.number == 0) {
      return data_;
    }
    return variants_.data(structure);
  }

  std::shared_ptr<const SystemData> data_;
  const SystemCode& code_;
  StructureVariants variants_;
  std::vector<std::shared_ptr<const system::LockedDae>> locked_;
};

}  // namespace

std::shared_ptr<const system::HybridSystem> make_system(std::shared_ptr<const SystemData> data,
                                                        GivenValues given) {
  StructureVariants variants(data, std::move(given));
  return std::make_shared<const CompiledSystem>(std::move(data), std::move(variants));
}

Result<std::shared_ptr<const system::HybridSystem>> build_system(std::shared_ptr<const flat::Model> model,
                                                                 const ParameterOverrides& overrides,
                                                                 const BuildOptions& options) {
  return CompiledModel(std::move(model)).system(overrides, options);
}

}  // namespace saltus::program

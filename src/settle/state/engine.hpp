/// What moves a state through time: methods at work, event search, decisions. One for each list of states, shared by the modes
/// that have it.
///
/// Choices      Modes with the same method share its stepper; each mode has its own test of stiffness and may change its method
///              once, from an explicit one to MethodChoice::stiff_method. It keeps that when it is entered again.
///              A method that was at work before goes on with its own step size when it is taken up again: the sizes of two
///              methods have little to do with each other.
#pragma once

#include <memory>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/stiffness.hpp"
#include "locate/event_search.hpp"
#include "settle/state/drive.hpp"
#include "slide/decide/decision.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::settle {

class Engine {
 public:
  /// For the first mode that has these states; `options` outlive the engine.
  Engine(const system::HybridSystem& system, const Options& options, ModeId mode,
         const system::LockedDae& locked, system::Evaluator& evaluator, integrate::Tolerances tolerances);

  [[nodiscard]] bool fits(const system::LockedDae& locked) const;
  [[nodiscard]] Index n_states() const { return static_cast<Index>(names_.size()); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// What identifies the states; names are for messages.
  [[nodiscard]] const std::vector<system::Quantity>& quantities() const { return quantities_; }
  [[nodiscard]] const std::vector<double>& nominal() const { return nominal_; }

  /// The method of a mode takes over; a restart must follow. The evaluator and the system are the first ones of a method that
  /// was not at work before.
  void enter(ModeId mode, system::Evaluator& evaluator, const system::LockedDae& locked);
  /// The method that the mode has now.
  [[nodiscard]] const integrate::Method& method_of(ModeId mode) const;

  [[nodiscard]] const integrate::Method& method() const { return *mode_->drive->method; }
  /// The mode whose method is at work.
  [[nodiscard]] ModeId mode() const { return mode_->id; }
  /// Whether there is another method to change to.
  [[nodiscard]] bool can_change_method() const { return mode_->other_method != nullptr; }
  /// After every accepted step, while it is open: h|λ| where the steps have been held down by stability long enough, else 0.
  [[nodiscard]] double looks_stiff();
  /// Goes on with the other method from an accepted point of this one. False: it cannot start there, nothing has changed.
  [[nodiscard]] bool change_method(system::Evaluator& evaluator, const system::LockedDae& locked);
  /// After loading (base/archive.hpp): the evaluator with which the method at work was saved.
  void rejoin(system::Evaluator& evaluator) {
    stepper().rejoin(evaluator);
    search_.rejoin(evaluator);
  }
  /// Of all methods together.
  [[nodiscard]] integrate::Statistics statistics() const;

  [[nodiscard]] integrate::Stepper& stepper() { return *mode_->drive->stepper; }
  [[nodiscard]] const integrate::Stepper& stepper() const { return *mode_->drive->stepper; }
  [[nodiscard]] integrate::Advance& advance() { return *mode_->drive->advance; }
  [[nodiscard]] locate::EventSearch& search() { return search_; }
  [[nodiscard]] const locate::EventSearch& search() const { return search_; }
  [[nodiscard]] slide::Decider& decider() { return decider_; }
  [[nodiscard]] const slide::Decider& decider() const { return decider_; }

  void fields(Archive& a);

 private:
  // What a mode does with these states.
  struct ModeChoice {
    ModeId id;
    Drive* drive = nullptr;
    const integrate::Method* other_method = nullptr;
    integrate::StiffnessTest stiffness;
  };

  void drive_fields(Archive& a);
  void mode_fields(Archive& a);
  [[nodiscard]] Drive& drive_for(const integrate::Method& method, const MethodChoice& choice,
                                 system::Evaluator& evaluator, const system::LockedDae& locked);

  std::vector<std::string> names_;
  std::vector<system::Quantity> quantities_;
  std::vector<double> nominal_;
  const Options& options_;
  integrate::Tolerances tolerances_;
  system::Evaluator* first_evaluator_;
  // Segments of the last step of a method may still be looked at after another has taken over: they are all kept.
  std::vector<std::unique_ptr<Drive>> drives_;
  std::vector<std::unique_ptr<ModeChoice>> modes_;  // by mode; null: not entered with these states
  ModeChoice* mode_ = nullptr;
  locate::EventSearch search_;
  slide::Decider decider_;
};

}  // namespace saltus::settle

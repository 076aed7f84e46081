#include "hybrid/start_structures.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace saltus::hybrid {
namespace {

// Every other structure costs an analysis: four diodes can be tried in all ways, a hundred near what the starts say.
constexpr std::size_t kMostStructures = 64;

bool is_usable(const Result<ConsistentStart>& start) {
  return start && start->singularity.empty();
}

class StructureSearch {
 public:
  StructureSearch(const system::HybridSystem& system, double t, system::Configuration base)
      : system_(system), t_(t), base_(std::move(base)) {
    base_.latched.resize(system.guards().size(), 0.0);
    base_.discrete.resize(system.discrete().size(), 0.0);
    tried_.push_back(system.structure_of(base_));
    find_choices();
  }

  Result<ConsistentStart> run(Result<ConsistentStart> first) {
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (Result<ConsistentStart> start = attempt({i}); is_usable(start)) {
        return start;
      }
    }
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      for (std::size_t j = i + 1; j < choices_.size(); ++j) {
        if (Result<ConsistentStart> start = attempt({i, j}); is_usable(start)) {
          return start;
        }
      }
    }
    return first;
  }

 private:
  struct Choice {
    bool is_guard = false;
    std::size_t place = 0;
    double value = 0.0;
  };

  void consider(const Choice& choice) {
    system::Configuration other = base_;
    double& value = (choice.is_guard ? other.latched : other.discrete)[choice.place];
    value = choice.value;
    if (!(system_.structure_of(other) == tried_.front())) {
      choices_.push_back(choice);
    }
  }

  void find_choices() {
    for (std::size_t i = 0; i < system_.guards().size(); ++i) {
      for (const double side : {-1.0, 1.0}) {
        if (system_.guards()[i].kind == system::GuardInfo::Kind::relation && base_.latched[i] != side) {
          consider({true, i, side});
        }
      }
    }
    for (std::size_t i = 0; i < system_.discrete().size(); ++i) {
      const auto column = static_cast<std::size_t>(system_.discrete()[i]);
      if (system_.variables()[column].is_boolean) {
        consider({false, i, base_.discrete[i] != 0.0 ? 0.0 : 1.0});
      }
    }
  }

  Result<ConsistentStart> attempt(const std::vector<std::size_t>& changes) {
    system::Configuration configuration = base_;
    for (const std::size_t change : changes) {
      const Choice& choice = choices_[change];
      (choice.is_guard ? configuration.latched : configuration.discrete)[choice.place] = choice.value;
    }
    const system::StructureId structure = system_.structure_of(configuration);
    if (tried_.size() > kMostStructures ||
        std::find(tried_.begin(), tried_.end(), structure) != tried_.end()) {
      return Unexpected(Diagnostics());
    }
    tried_.push_back(structure);
    Result<system::InitialPoint> initial = system_.initial_in(structure, t_);
    if (!initial) {
      return Unexpected(std::move(initial).error());
    }
    if (initial->problem != nullptr) {
      auto problem = std::make_shared<system::InitialProblem>(*initial->problem);
      problem->configuration = configuration;
      initial->configuration = configuration;
      initial->problem = std::move(problem);
    }
    Result<ConsistentStart> start = complete_start(system_, *std::move(initial), t_);
    if (start && !(system_.structure_of(start->point.configuration) == structure)) {
      return Unexpected(Diagnostics());
    }
    return start;
  }

  const system::HybridSystem& system_;
  double t_;
  system::Configuration base_;
  std::vector<system::StructureId> tried_;
  std::vector<Choice> choices_;
};

}  // namespace

Result<ConsistentStart> find_start(const system::HybridSystem& system, double t) {
  Result<system::InitialPoint> initial = system.initial(t);
  system::Configuration base;
  base.mode = system.initial_mode();
  if (initial) {
    base = initial->configuration;
  }
  Result<ConsistentStart> start = initial ? complete_start(system, *std::move(initial), t)
                                          : Result<ConsistentStart>(Unexpected(std::move(initial).error()));
  if (is_usable(start) || !system.has_structures()) {
    return start;
  }
  return StructureSearch(system, t, std::move(base)).run(std::move(start));
}

}  // namespace saltus::hybrid

// saltus_instants N SEED [--only FAMILY[,FAMILY…]] [--jobs J]   N models of discrete logic from SEED on, held against the oracle
// saltus_instants --model FAMILY:SEED                           the text of one model, and what was found
// saltus_instants --file FILE                                   the same for a model of the class in a file
//
// Exit code 0: every run that was compared agrees. docs/campaign.md says what is compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "campaign/worker_pool.hpp"
#include "support/oracle/instants/compare_run.hpp"
#include "support/oracle/instants/random_logic.hpp"

namespace saltus::campaign {
namespace {

using test::instants::Comparison;
using test::instants::LogicFamily;

constexpr unsigned kSecondsPerModel = 60;

LogicFamily family_named(const std::string& name) {
  for (int i = 0; i < test::instants::kLogicFamilies; ++i) {
    if (to_string(static_cast<LogicFamily>(i)) == name) {
      return static_cast<LogicFamily>(i);
    }
  }
  throw std::invalid_argument("no family " + name);
}

int show(const std::string& text) {
  const Comparison comparison = test::instants::compare(text);
  std::printf("%s%s: %s\n", text.c_str(), to_string(comparison.verdict), comparison.what.c_str());
  return comparison.verdict == Comparison::Verdict::agrees || comparison.verdict == Comparison::Verdict::aside
             ? 0
             : 1;
}

struct Plan {
  std::size_t n = 100;
  std::uint32_t first = 1;
  std::size_t n_jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<LogicFamily> families{};
};

int run(const Plan& plan) {
  const auto family_of = [&](std::size_t task) { return plan.families[task % plan.families.size()]; };
  const auto seed_of = [&](std::size_t task) {
    return plan.first + static_cast<std::uint32_t>(task / plan.families.size());
  };
  std::map<std::string, std::map<std::string, std::size_t>> counts;
  std::map<std::string, std::size_t> reasons;  // of models that are set aside
  std::size_t n_instants = 0;
  std::size_t n_wrong = 0;
  run_tasks(
      plan.n, plan.n_jobs, kSecondsPerModel,
      [&](std::size_t task) {
        const Comparison comparison = test::instants::compare(random_logic(family_of(task), seed_of(task)));
        return std::string(to_string(comparison.verdict)) + " " + std::to_string(comparison.instants) + " " +
               comparison.what;
      },
      [&](const TaskResult& result) {
        const std::string family = to_string(family_of(result.task));
        std::istringstream in(result.end.empty() ? result.output : "crash 0 " + result.end);
        std::string verdict;
        std::size_t instants = 0;
        std::string what;
        in >> verdict >> instants;
        std::getline(in, what);
        ++counts[family][verdict];
        ++counts["all"][verdict];
        n_instants += instants;
        // Without names of variables.
        const std::string reason = what.substr(0, std::min(what.find('('), what.find(" for ")));
        reasons[reason] += verdict == "aside" ? 1 : 0;
        if (verdict != "agrees" && verdict != "aside") {
          ++n_wrong;
          std::printf("%s:%u %s%s\n", family.c_str(), seed_of(result.task), verdict.c_str(), what.c_str());
          std::fflush(stdout);
        }
      });
  std::printf("\n");
  for (const auto& [family, verdicts] : counts) {
    std::printf("%-10s", family.c_str());
    for (const auto& [verdict, count] : verdicts) {
      std::printf("  %s %zu", verdict.c_str(), count);
    }
    std::printf("\n");
  }
  for (const auto& [reason, count] : reasons) {
    if (count > 0) {
      std::printf("aside:%s: %zu\n", reason.c_str(), count);
    }
  }
  std::printf("%zu instants compared, %zu models differ\n", n_instants, n_wrong);
  return n_wrong == 0 ? 0 : 1;
}

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--model") {
    const std::size_t colon = arguments[1].find(':');
    const auto seed = static_cast<std::uint32_t>(std::strtoul(arguments[1].c_str() + colon + 1, nullptr, 10));
    return show(random_logic(family_named(arguments[1].substr(0, colon)), seed));
  }
  if (arguments.size() == 2 && arguments[0] == "--file") {
    std::ostringstream text;
    text << std::ifstream(arguments[1]).rdbuf();
    return show(text.str());
  }
  Plan plan;
  if (arguments.size() < 2 || std::atol(arguments[0].c_str()) <= 0) {
    std::fprintf(stderr,
                 "saltus_instants N SEED [--only FAMILY,…] [--jobs J] | --model FAMILY:SEED | --file FILE\n");
    return 2;
  }
  plan.n = std::strtoul(arguments[0].c_str(), nullptr, 10);
  plan.first = static_cast<std::uint32_t>(std::strtoul(arguments[1].c_str(), nullptr, 10));
  for (std::size_t i = 2; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--jobs") {
      plan.n_jobs = std::max(1UL, std::strtoul(arguments[i + 1].c_str(), nullptr, 10));
    } else if (arguments[i] == "--only") {
      std::istringstream names(arguments[i + 1]);
      for (std::string name; std::getline(names, name, ',');) {
        plan.families.push_back(family_named(name));
      }
    }
  }
  const bool is_all = plan.families.empty();
  for (int family = 0; is_all && family < test::instants::kLogicFamilies; ++family) {
    plan.families.push_back(static_cast<LogicFamily>(family));
  }
  return run(plan);
}

}  // namespace
}  // namespace saltus::campaign

int main(int argc, char** argv) {
  try {
    return saltus::campaign::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "saltus_instants: %s\n", error.what());
    return 2;
  }
}

// saltus_circuits N SEED [--only FAMILY[,FAMILY…]] [--jobs J]   N networks of ideal diodes from SEED on, held against brute force
// saltus_circuits --model FAMILY:SEED                           the text of one network, and what was found
// saltus_circuits --text FAMILY:SEED                            its text alone
//
// Exit code 0: every run that was compared agrees. docs/campaign.md says what is compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "campaign/worker_pool.hpp"
#include "support/oracle/circuits/compare_circuit.hpp"
#include "support/oracle/circuits/random_circuit.hpp"
#include "support/oracle/circuits/write_network.hpp"

namespace saltus::campaign {
namespace {

using test::circuits::CircuitCheck;
using test::circuits::Family;
using test::circuits::Network;

constexpr unsigned kSecondsPerModel = 120;
const std::vector<std::string> kMethods = {"auto", "radau5", "bdf"};

Family family_named(const std::string& name) {
  for (int i = 0; i < test::circuits::kFamilies; ++i) {
    if (to_string(static_cast<Family>(i)) == name) {
      return static_cast<Family>(i);
    }
  }
  throw std::invalid_argument("no family " + name);
}

Network network_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) {
    throw std::invalid_argument("FAMILY:SEED, not " + name);
  }
  const auto seed = static_cast<std::uint32_t>(std::strtoul(name.c_str() + colon + 1, nullptr, 10));
  return random_circuit(family_named(name.substr(0, colon)), seed);
}

bool is_fine(const CircuitCheck& check) {
  return check.verdict == CircuitCheck::Verdict::agrees || check.verdict == CircuitCheck::Verdict::aside;
}

int show(const Network& network) {
  std::printf("%s", write(network).text.c_str());
  bool is_right = true;
  for (const CircuitCheck& check : compare(network, kMethods)) {
    std::printf("%-7s %s: %s [%zu instants, largest error %.3g bounds]\n", check.method.c_str(),
                to_string(check.verdict), check.what.c_str(), check.n_instants, check.worst);
    is_right = is_right && is_fine(check);
  }
  return is_right ? 0 : 1;
}

/// Of most diodes of the network.
std::string spelling_of(const Network& network) {
  const std::vector<std::size_t> diodes = network.of_kind(test::circuits::Element::Kind::diode);
  if (diodes.empty()) {
    return "none";
  }
  const test::circuits::Element& first = network.elements[diodes.front()];
  for (const std::size_t diode : diodes) {
    if (network.elements[diode].spelling != first.spelling) {
      return "mixed";
    }
  }
  return std::string(to_string(first.spelling)) + (first.ron == 0 ? " ideal" : " resistive");
}

struct Plan {
  std::size_t n = 100;
  std::uint32_t first = 1;
  std::size_t n_jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Family> families{};
};

using Counts = std::map<std::string, std::map<std::string, std::size_t>>;

void print(const char* title, const Counts& counts) {
  std::printf("\n%s\n", title);
  for (const auto& [name, verdicts] : counts) {
    std::printf("%-22s", name.c_str());
    for (const auto& [verdict, count] : verdicts) {
      std::printf("  %s %zu", verdict.c_str(), count);
    }
    std::printf("\n");
  }
}

int run(const Plan& plan) {
  const auto family_of = [&](std::size_t task) { return plan.families[task % plan.families.size()]; };
  const auto seed_of = [&](std::size_t task) {
    return plan.first + static_cast<std::uint32_t>(task / plan.families.size());
  };
  Counts by_family;
  Counts by_spelling;
  Counts by_method;
  std::map<std::string, std::size_t> reasons;  // of networks that are set aside
  std::size_t n_instants = 0;
  std::size_t n_differ = 0;
  double worst = 0;
  run_tasks(
      plan.n, plan.n_jobs, kSecondsPerModel,
      [&](std::size_t task) {
        std::ostringstream out;
        for (const CircuitCheck& check : compare(random_circuit(family_of(task), seed_of(task)), kMethods)) {
          out << (check.method.empty() ? "oracle" : check.method) << " " << to_string(check.verdict) << " "
              << check.n_instants << " " << check.worst << " " << check.what << "\n";
        }
        return out.str();
      },
      [&](const TaskResult& result) {
        const std::string family = to_string(family_of(result.task));
        const std::string spelling =
            spelling_of(random_circuit(family_of(result.task), seed_of(result.task)));
        std::istringstream in(result.end.empty() ? result.output : "all crash 0 0 " + result.end + "\n");
        std::string verdict_of_all = "agrees";
        for (std::string line; std::getline(in, line);) {
          std::istringstream words(line);
          std::string method;
          std::string verdict;
          std::string ratio;
          std::size_t instants = 0;
          std::string what;
          words >> method >> verdict >> instants >> ratio;
          std::getline(words, what);
          n_instants += instants;
          ++by_method[method][verdict];
          verdict_of_all = verdict_of_all == "agrees" ? verdict : verdict_of_all;
          reasons[what.substr(0, what.find(" at "))] += verdict == "aside" ? 1 : 0;
          if (verdict == "agrees") {
            worst = std::max(worst, std::strtod(ratio.c_str(), nullptr));
          } else if (verdict != "aside") {
            std::printf("%s:%u %s, %s, %s:%s\n", family.c_str(), seed_of(result.task), spelling.c_str(),
                        method.c_str(), verdict.c_str(), what.c_str());
            std::fflush(stdout);
          }
        }
        ++by_family[family][verdict_of_all];
        ++by_spelling[spelling][verdict_of_all];
        n_differ += verdict_of_all == "agrees" || verdict_of_all == "aside" ? 0 : 1;
      });
  print("by family, models:", by_family);
  print("by spelling of the diodes, models:", by_spelling);
  print("by method, runs:", by_method);
  for (const auto& [reason, count] : reasons) {
    if (count > 0) {
      std::printf("aside:%s: %zu\n", reason.c_str(), count);
    }
  }
  std::printf("%zu instants compared, largest error of runs that agree %.3g bounds, %zu models differ\n",
              n_instants, worst, n_differ);
  return n_differ == 0 ? 0 : 1;
}

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--model") {
    return show(network_named(arguments[1]));
  }
  if (arguments.size() == 2 && arguments[0] == "--text") {
    std::printf("%s", write(network_named(arguments[1])).text.c_str());
    return 0;
  }
  Plan plan;
  if (arguments.size() < 2 || std::atol(arguments[0].c_str()) <= 0) {
    std::fprintf(
        stderr,
        "saltus_circuits N SEED [--only FAMILY,…] [--jobs J] | --model FAMILY:SEED | --text FAMILY:SEED\n");
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
  for (int family = 0; is_all && family < test::circuits::kFamilies; ++family) {
    plan.families.push_back(static_cast<Family>(family));
  }
  return run(plan);
}

}  // namespace
}  // namespace saltus::campaign

int main(int argc, char** argv) {
  try {
    return saltus::campaign::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "saltus_circuits: %s\n", error.what());
    return 2;
  }
}

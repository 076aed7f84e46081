#include "campaign/comparison.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "campaign/worker_pool.hpp"

namespace saltus::campaign {
namespace {

using Counts = std::map<std::string, std::map<std::string, std::size_t>>;

struct Plan {
  std::size_t n = 100;
  std::uint32_t first = 1;
  std::size_t n_jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::size_t> families{};

  [[nodiscard]] std::size_t family_of(std::size_t task) const { return families[task % families.size()]; }
  [[nodiscard]] std::uint32_t seed_of(std::size_t task) const {
    return first + static_cast<std::uint32_t>(task / families.size());
  }
};

struct Named {
  std::size_t family = 0;
  std::uint32_t seed = 0;
};

std::size_t family_named(const Comparison& comparison, const std::string& name) {
  const auto found = std::find(comparison.families.begin(), comparison.families.end(), name);
  if (found == comparison.families.end()) {
    throw std::invalid_argument("no family " + name);
  }
  return static_cast<std::size_t>(found - comparison.families.begin());
}

Named model_named(const Comparison& comparison, const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) {
    throw std::invalid_argument("FAMILY:SEED, not " + name);
  }
  return {family_named(comparison, name.substr(0, colon)),
          static_cast<std::uint32_t>(std::strtoul(name.c_str() + colon + 1, nullptr, 10))};
}

bool is_fine(const std::string& verdict) {
  return verdict == "agrees" || verdict == "aside";
}

int show(const Comparison& comparison, const Named& named) {
  std::printf("%s", comparison.text(named.family, named.seed).c_str());
  bool is_right = true;
  for (const Finding& finding : comparison.compare(named.family, named.seed)) {
    std::printf("%-7s %s: %s [%zu instants, largest error %.3g bounds]\n", finding.method.c_str(),
                finding.verdict.c_str(), finding.what.c_str(), finding.n_instants, finding.worst);
    is_right = is_right && is_fine(finding.verdict);
  }
  return is_right ? 0 : 1;
}

/// A finding as a line between processes.
std::string line_of(const Finding& finding) {
  std::ostringstream out;
  out << (finding.method.empty() ? "all" : finding.method) << " " << finding.verdict << " "
      << finding.n_instants << " " << finding.worst << " " << finding.what << "\n";
  return out.str();
}

Finding read_line(const std::string& line) {
  std::istringstream words(line);
  Finding finding;
  std::string worst;
  words >> finding.method >> finding.verdict >> finding.n_instants >> worst;
  finding.worst = std::strtod(worst.c_str(), nullptr);
  std::getline(words, finding.what);
  return finding;
}

/// Without numbers and names, as far as they come last.
std::string reason_of(const std::string& what) {
  return what.substr(0,
                     std::min({what.find(" at "), what.find('('), what.find(" for "), what.find(" than ")}));
}

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

int run(const Comparison& comparison, const Plan& plan) {
  Counts by_family;
  Counts by_group;
  Counts by_method;
  std::map<std::string, std::size_t> reasons;  // of models that are set aside
  std::size_t n_instants = 0;
  std::size_t n_differ = 0;
  double worst = 0;
  run_tasks(
      plan.n, plan.n_jobs, comparison.seconds_per_model,
      [&](std::size_t task) {
        std::string text;
        for (const Finding& finding : comparison.compare(plan.family_of(task), plan.seed_of(task))) {
          text += line_of(finding);
        }
        return text;
      },
      [&](const TaskResult& result) {
        const std::size_t family = plan.family_of(result.task);
        const std::uint32_t seed = plan.seed_of(result.task);
        const std::string group = comparison.group ? comparison.group(family, seed) : "";
        std::istringstream in(result.end.empty() ? result.output : "all crash 0 0 " + result.end + "\n");
        std::string of_all = "agrees";
        for (std::string line; std::getline(in, line);) {
          const Finding finding = read_line(line);
          n_instants += finding.n_instants;
          ++by_method[finding.method][finding.verdict];
          of_all = of_all == "agrees" ? finding.verdict : of_all;
          reasons[reason_of(finding.what)] += finding.verdict == "aside" ? 1 : 0;
          if (finding.verdict == "agrees") {
            worst = std::max(worst, finding.worst);
          } else if (finding.verdict != "aside") {
            std::printf("%s:%u%s%s, %s, %s:%s\n", comparison.families[family].c_str(), seed,
                        group.empty() ? "" : " ", group.c_str(), finding.method.c_str(),
                        finding.verdict.c_str(), finding.what.c_str());
            std::fflush(stdout);
          }
        }
        ++by_family[comparison.families[family]][of_all];
        ++by_family["all"][of_all];
        if (!group.empty()) {
          ++by_group[group][of_all];
        }
        n_differ += is_fine(of_all) ? 0 : 1;
      });
  print("by family, models:", by_family);
  if (!by_group.empty()) {
    print("by group, models:", by_group);
  }
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

}  // namespace

int run_comparison(const Comparison& comparison, const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--model") {
    return show(comparison, model_named(comparison, arguments[1]));
  }
  if (arguments.size() == 2 && arguments[0] == "--text") {
    const Named named = model_named(comparison, arguments[1]);
    std::printf("%s", comparison.text(named.family, named.seed).c_str());
    return 0;
  }
  Plan plan;
  if (arguments.size() < 2 || std::atol(arguments[0].c_str()) <= 0) {
    std::fprintf(stderr,
                 "%s N SEED [--only FAMILY,…] [--jobs J] | --model FAMILY:SEED | --text FAMILY:SEED\n",
                 comparison.program.c_str());
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
        plan.families.push_back(family_named(comparison, name));
      }
    }
  }
  const bool is_all = plan.families.empty();
  for (std::size_t family = 0; is_all && family < comparison.families.size(); ++family) {
    plan.families.push_back(family);
  }
  return run(comparison, plan);
}

int main_of_comparison(const Comparison& comparison, int argc, char** argv) {
  try {
    return run_comparison(comparison, {argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", comparison.program.c_str(), error.what());
    return 2;
  }
}

}  // namespace saltus::campaign

// saltus_campaign N SEED [--only RECIPE[,RECIPE…]] [--jobs J]   N models from SEED on, all methods, three tolerances
// saltus_campaign --model RECIPE:SEED [FILE]                    writes the text of one model and checks it
// saltus_campaign --text RECIPE:SEED                            its text alone, on standard output
// saltus_campaign --recipes                                     lists the kinds of models
//
// Exit code 0: every run was right. docs/campaign.md says what is checked.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "campaign/tally.hpp"
#include "campaign/worker_pool.hpp"
#include "saltus/model.hpp"
#include "support/known_solutions/recipes.hpp"
#include "support/known_solutions/run_check.hpp"

namespace saltus::campaign {
namespace {

using test::known::KnownModel;
using test::known::RunCheck;

constexpr double kTolerances[] = {1e-4, 1e-6, 1e-8};
/// Of all runs of one model.
constexpr unsigned kSecondsPerModel = 400;

std::vector<RunCheck> check_model(const KnownModel& known) {
  std::vector<RunCheck> checks;
  const auto model = Model::from_text("known.mo", known.text);
  if (!model.has_value()) {
    RunCheck check{
        .method = "-", .tolerance = 0.0, .failure = "refused", .message = render_text(model.error())};
    return {check};
  }
  for (const std::string& method : test::known::methods_for(known)) {
    for (const double tolerance : kTolerances) {
      checks.push_back(test::known::check_run(*model, known, method, tolerance));
    }
  }
  return checks;
}

KnownModel model_named(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) {
    throw std::invalid_argument("a model is named RECIPE:SEED, not " + name);
  }
  const auto seed = static_cast<std::uint32_t>(std::strtoul(name.c_str() + colon + 1, nullptr, 10));
  return test::known::known_model(name.substr(0, colon), seed);
}

int write_text(const std::string& name) {
  std::printf("%s", model_named(name).text.c_str());
  return 0;
}

int write_one(const std::string& name, const char* file) {
  const KnownModel known = model_named(name);
  if (file != nullptr) {
    std::ofstream(file) << known.text;
  } else {
    std::printf("%s\n", known.text.c_str());
  }
  bool is_right = true;
  for (const RunCheck& check : check_model(known)) {
    std::printf("%s %s\n", check.is_right() ? "right" : "WRONG", check.text().c_str());
    is_right = is_right && check.is_right();
  }
  return is_right ? 0 : 1;
}

int list_recipes() {
  for (const test::known::Recipe& recipe : test::known::recipes()) {
    std::printf("%-12s %s\n", std::string(recipe.name).c_str(), std::string(recipe.meaning).c_str());
  }
  return 0;
}

struct Plan {
  std::size_t n = 100;
  std::uint32_t first = 1;
  std::size_t n_jobs = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::string> recipes{};
};

int run(const Plan& plan) {
  const auto recipe_of = [&](std::size_t task) { return plan.recipes[task % plan.recipes.size()]; };
  const auto seed_of = [&](std::size_t task) {
    return plan.first + static_cast<std::uint32_t>(task / plan.recipes.size());
  };
  Tally tally;
  std::size_t n_done = 0;
  run_tasks(
      plan.n, plan.n_jobs, kSecondsPerModel,
      [&](std::size_t task) {
        const KnownModel known = test::known::known_model(recipe_of(task), seed_of(task));
        std::string text;
        for (const RunCheck& check : check_model(known)) {
          text += line_of(known.name(), check);
        }
        return text;
      },
      [&](const TaskResult& result) {
        const std::string recipe = recipe_of(result.task);
        tally.add_model(recipe);
        if (!result.end.empty()) {
          tally.add_crash(recipe, recipe + ":" + std::to_string(seed_of(result.task)), result.end);
        }
        std::istringstream lines(result.output);
        for (std::string line; std::getline(lines, line);) {
          tally.add(recipe, run_line(line));
        }
        if (++n_done % 1000 == 0) {
          std::fprintf(stderr, "%zu of %zu models, %zu runs wrong\n", n_done, plan.n, tally.n_wrong());
        }
      });
  tally.print();
  return tally.n_wrong() == 0 ? 0 : 1;
}

int usage() {
  std::fprintf(
      stderr,
      "campaign N SEED [--only RECIPE[,RECIPE…]] [--jobs J]   N models from SEED on\n"
      "campaign --model RECIPE:SEED [FILE]                    one model: its text, and all its runs\n"
      "campaign --recipes                                     the kinds of models\n");
  return 2;
}

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "--recipes") {
    return list_recipes();
  }
  if (arguments.size() == 2 && arguments[0] == "--text") {
    return write_text(arguments[1]);
  }
  if (arguments.size() >= 2 && arguments[0] == "--model") {
    return write_one(arguments[1], arguments.size() > 2 ? arguments[2].c_str() : nullptr);
  }
  if (arguments.size() < 2 || std::atol(arguments[0].c_str()) <= 0) {
    return usage();
  }
  Plan plan;
  plan.n = std::strtoul(arguments[0].c_str(), nullptr, 10);
  plan.first = static_cast<std::uint32_t>(std::strtoul(arguments[1].c_str(), nullptr, 10));
  for (std::size_t i = 2; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--jobs") {
      plan.n_jobs = std::max(1UL, std::strtoul(arguments[i + 1].c_str(), nullptr, 10));
    } else if (arguments[i] == "--only") {
      std::istringstream names(arguments[i + 1]);
      for (std::string name; std::getline(names, name, ',');) {
        plan.recipes.push_back(name);
      }
    } else {
      return usage();
    }
  }
  if (plan.recipes.empty()) {
    for (const test::known::Recipe& recipe : test::known::recipes()) {
      plan.recipes.emplace_back(recipe.name);
    }
  }
  return run(plan);
}

}  // namespace
}  // namespace saltus::campaign

int main(int argc, char** argv) {
  try {
    return saltus::campaign::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "campaign: %s\n", error.what());
    return 2;
  }
}

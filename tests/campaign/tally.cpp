#include "campaign/tally.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace saltus::campaign {

std::string line_of(const std::string& model, const test::known::RunCheck& check) {
  std::string text = check.text();
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::ostringstream line;
  line << model << ' ' << check.method << ' ' << check.tolerance << ' '
       << (check.failure.empty() ? "-" : check.failure) << ' ' << check.rows_wrong << ' ' << check.n_events
       << ' ' << check.missed << ' ' << check.doubled << ' ' << check.worst_ratio << ' ' << check.seconds
       << ' ' << text << '\n';
  return line.str();
}

RunLine run_line(const std::string& line) {
  std::istringstream in(line);
  RunLine run;
  std::string ratio;
  in >> run.model >> run.method >> run.tolerance >> run.failure >> run.rows_wrong >> run.events >>
      run.missed >> run.doubled >> ratio >> run.seconds;
  run.ratio = std::strtod(ratio.c_str(), nullptr);
  std::getline(in, run.text);
  if (run.failure == "-") {
    run.failure.clear();
  }
  return run;
}

void Tally::Counts::add(const RunLine& run) {
  ++runs;
  events += run.events;
  runs_with_wrong_rows += run.rows_wrong > 0 ? 1 : 0;
  missed += run.missed;
  doubled += run.doubled;
  const bool is_limit = run.failure == "step_limit" || run.failure == "time_limit";
  no_progress += is_limit ? 1 : 0;
  failed += !run.failure.empty() && !is_limit ? 1 : 0;
  ratios.push_back(run.ratio);
  seconds += run.seconds;
}

void Tally::add(const std::string& recipe, const RunLine& run) {
  by_recipe_[recipe].add(run);
  by_recipe_["all"].add(run);
  by_method_[run.method + " " + run.tolerance].add(run);
  if (!run.failure.empty()) {
    failures_[run.failure].push_back(run.model + " " + run.method + " " + run.tolerance);
  }
  auto& [n_wrong, n_runs] = wrong_of_[recipe][run.method];
  ++n_runs;
  if (!run.failure.empty() || run.rows_wrong + run.missed + run.doubled > 0) {
    ++n_wrong;
    ++n_wrong_;
    std::printf("%s%s\n", run.model.c_str(), run.text.c_str());
    std::fflush(stdout);
  }
}

void Tally::add_crash(const std::string& recipe, const std::string& model, const std::string& end) {
  Counts& counts = by_recipe_[recipe];
  ++counts.failed;
  ++by_recipe_["all"].failed;
  failures_[end].push_back(model);
  ++n_wrong_;
  std::printf("%s %s\n", model.c_str(), end.c_str());
}

void Tally::print(const std::string& name, std::size_t models, Counts counts) {
  std::sort(counts.ratios.begin(), counts.ratios.end());
  const auto share = [&](double part) {
    return counts.ratios.empty()
               ? 0.0
               : counts.ratios[std::min(
                     counts.ratios.size() - 1,
                     static_cast<std::size_t>(part * static_cast<double>(counts.ratios.size())))];
  };
  std::printf("%-14s %7zu %8zu %10zu %9zu %7zu %8zu %9zu %7zu %9.1e %9.1e %9.1e %9.1f\n", name.c_str(),
              models, counts.runs, counts.runs_with_wrong_rows, counts.events, counts.missed, counts.doubled,
              counts.no_progress, counts.failed, share(0.5), share(0.99), share(1.0), counts.seconds);
}

void Tally::print_wrong_runs() const {
  const char* const methods[] = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};
  std::printf("\n%-14s", "wrong of runs");
  for (const char* method : methods) {
    std::printf(" %15s", method);
  }
  std::printf("\n");
  for (const auto& [recipe, counts] : wrong_of_) {
    std::printf("%-14s", recipe.c_str());
    for (const char* method : methods) {
      const auto found = counts.find(method);
      const auto [n_wrong, n_runs] =
          found == counts.end() ? std::pair<std::size_t, std::size_t>{} : found->second;
      std::printf(" %6zu of %5zu", n_wrong, n_runs);
    }
    std::printf("\n");
  }
}

void Tally::print() const {
  const char* const head[] = {"models",   "runs",   "rows wrong",  "events", "missed",  "doubled",
                              "no progr", "failed", "median err/", "99%",    "largest", "seconds"};
  std::printf("\n%-14s %7s %8s %10s %9s %7s %8s %9s %7s %9s %9s %9s %9s\n", "", head[0], head[1], head[2],
              head[3], head[4], head[5], head[6], head[7], head[8], head[9], head[10], head[11]);
  std::size_t models = 0;
  for (const auto& [recipe, counts] : by_recipe_) {
    if (recipe != "all") {
      const auto found = models_.find(recipe);
      const std::size_t n = found == models_.end() ? 0 : found->second;
      models += n;
      print(recipe, n, counts);
    }
  }
  for (const auto& [method, counts] : by_method_) {
    print(method, 0, counts);
  }
  if (const auto all = by_recipe_.find("all"); all != by_recipe_.end()) {
    print("all", models, all->second);
  }
  std::printf("(errors are divided by their bound 10·tolerance·K)\n");
  print_wrong_runs();
  for (const auto& [reason, list] : failures_) {
    constexpr std::size_t kShown = 12;
    std::printf("\n%s: %zu\n", reason.c_str(), list.size());
    for (std::size_t i = 0; i < std::min(kShown, list.size()); ++i) {
      std::printf("  %s\n", list[i].c_str());
    }
  }
}

}  // namespace saltus::campaign

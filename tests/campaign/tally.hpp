/// What a campaign counts, and its tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/known_solutions/run_check.hpp"

namespace saltus::campaign {

/// A run without its details, as it comes from a worker.
struct RunLine {
  std::string model;  ///< recipe:seed
  std::string method;
  std::string tolerance;
  std::string failure;
  std::size_t rows_wrong = 0;
  std::size_t events = 0;
  std::size_t missed = 0;
  std::size_t doubled = 0;
  double ratio = 0.0;
  double seconds = 0.0;
  std::string text;
};

[[nodiscard]] std::string line_of(const std::string& model, const test::known::RunCheck& check);
[[nodiscard]] RunLine run_line(const std::string& line);

class Tally {
 public:
  void add_model(const std::string& recipe) { ++models_[recipe]; }
  /// A run that is not right is printed at once.
  void add(const std::string& recipe, const RunLine& run);
  void add_crash(const std::string& recipe, const std::string& model, const std::string& end);

  /// By recipe, by method and tolerance, failures by reason with their models.
  void print() const;
  [[nodiscard]] std::size_t n_wrong() const { return n_wrong_; }

 private:
  struct Counts {
    std::size_t runs = 0;
    std::size_t events = 0;
    std::size_t runs_with_wrong_rows = 0;
    std::size_t missed = 0;
    std::size_t doubled = 0;
    std::size_t no_progress = 0;
    std::size_t failed = 0;
    std::vector<double> ratios{};
    double seconds = 0.0;

    void add(const RunLine& run);
  };
  static void print(const std::string& name, std::size_t models, Counts counts);
  void print_wrong_runs() const;

  std::map<std::string, std::size_t> models_;
  std::map<std::string, Counts> by_recipe_;
  std::map<std::string, Counts> by_method_;
  std::map<std::string, std::map<std::string, std::pair<std::size_t, std::size_t>>>
      wrong_of_;                                              // recipe, method: wrong runs, runs
  std::map<std::string, std::vector<std::string>> failures_;  // by reason
  std::size_t n_wrong_ = 0;
};

}  // namespace saltus::campaign

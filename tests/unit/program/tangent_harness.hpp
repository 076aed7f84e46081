// A model as text with everything that tangents are compared with: the same system with other parameters, and differences of order 4.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "program/compiled_model.hpp"
#include "support/compile_text.hpp"
#include "support/source_folder.hpp"

namespace saltus::program::test {

/// How everything moves in one direction.
struct Direction {
  std::string name;
  std::string parameter = {};  ///< that moves; empty: none
  double time = 0.0;
  double x = 0.0;         ///< size of random moves of the states
  double discrete = 0.0;  ///< … of the discrete variables
};

/// Of a function of one number at 0, from three steps: the best of them, and how well it is known.
struct Difference {
  std::vector<double> value;
  std::vector<double> error;
};
using Curve = std::function<std::vector<double>(double)>;  // empty: no value

inline Difference differentiate(const Curve& f) {
  Difference result;
  std::vector<std::vector<double>> found;
  std::vector<double> sizes;
  for (const double h : {4e-3, 1e-3, 2.5e-4, 6e-5}) {
    const std::vector<double> at[4] = {f(h), f(-h), f(2 * h), f(-2 * h)};
    std::vector<double> value(at[0].size());
    for (const std::vector<double>& one : at) {
      if (one.size() != value.size() || one.empty()) {
        return {};
      }
    }
    sizes.resize(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i] = (8 * (at[0][i] - at[1][i]) - (at[2][i] - at[3][i])) / (12 * h);
      sizes[i] = std::max(sizes[i], std::abs(at[0][i]));
    }
    found.push_back(value);
  }
  result.value = found[0];
  result.error.assign(found[0].size(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 1; k < found.size(); ++k) {
    for (std::size_t i = 0; i < result.value.size(); ++i) {
      const double error = std::abs(found[k][i] - found[k - 1][i]);
      if (error < result.error[i]) {
        result.error[i] = error;
        result.value[i] = found[k][i];
      }
    }
  }
  for (std::size_t i = 0; i < result.error.size(); ++i) {
    result.error[i] += 1e-12 * sizes[i];
  }
  return result;
}

class TangentModel {
 public:
  explicit TangentModel(const std::string& text, lang::Dialect dialect = lang::Dialect::modelica)
      : model_(std::make_shared<const flat::Model>(saltus::test::compile_text(text, dialect))),
        system_(model_.system({})) {}
  static TangentModel example(const std::string& file) {
    std::ifstream in(saltus::test::source_folder() + "/examples/" + file);
    std::stringstream text;
    text << in.rdbuf();
    return TangentModel(text.str(),
                        file.ends_with(".saltus") ? lang::Dialect::saltus : lang::Dialect::modelica);
  }

  [[nodiscard]] const CompiledModel& compiled() const { return model_; }
  [[nodiscard]] const flat::Model& flat() const { return *model_.flat(); }
  [[nodiscard]] const system::HybridSystem& system() const { return *system_.value(); }
  [[nodiscard]] bool ok() const { return system_.has_value(); }

  /// Real parameters that are not zero, at most so many.
  [[nodiscard]] std::vector<std::string> parameters(std::size_t most) const {
    std::vector<std::string> names;
    Diagnostics diagnostics(flat().source);
    const std::vector<double> values = ParameterValues(flat()).all(diagnostics);
    for (std::size_t i = 0; i < values.size() && names.size() < most; ++i) {
      if (flat().parameters[i].type == flat::Type::real && values[i] != 0.0 && std::isfinite(values[i]) &&
          with(flat().parameters[i].name, 1e-3) != nullptr) {
        names.push_back(flat().parameters[i].name);
      }
    }
    return names;
  }
  /// With a parameter moved by so many times its size; null: it cannot be.
  [[nodiscard]] std::shared_ptr<const system::HybridSystem> with(const std::string& parameter,
                                                                 double s) const {
    auto built = model_.system({{parameter, value(parameter) * (1.0 + s)}});
    return built ? *built : nullptr;
  }
  /// How all parameters move with it: by differences, which are exact for what depends on it linearly.
  [[nodiscard]] std::vector<double> moved(const std::string& parameter) const {
    const Difference difference = differentiate([&](double s) {
      Diagnostics diagnostics(flat().source);
      return ParameterValues(flat(), {{parameter, value(parameter) * (1.0 + s)}}).all(diagnostics);
    });
    std::vector<double> result = difference.value;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (std::abs(result[i]) <= difference.error[i]) {
        result[i] = 0.0;
      }
    }
    return result;
  }
  [[nodiscard]] double value(const std::string& parameter) const {
    return ParameterValues(flat()).of(model_.parameter(parameter)).value();
  }

  [[nodiscard]] std::vector<Direction> directions(std::size_t most_parameters) const {
    std::vector<Direction> result = {{.name = "x", .x = 1.0},
                                     {.name = "time", .time = 1.0},
                                     {.name = "discrete", .discrete = 1.0},
                                     {.name = "all", .time = 0.5, .x = -0.5, .discrete = 0.7}};
    for (const std::string& name : parameters(most_parameters)) {
      result.push_back({.name = name, .parameter = name, .x = result.size() % 2 == 0 ? 0.3 : 0.0});
    }
    return result;
  }
  [[nodiscard]] system::ParameterDirections parameter_directions(
      std::span<const Direction> directions) const {
    system::ParameterDirections result{.n_directions = std::ssize(directions), .parameters = {}};
    result.parameters.assign(flat().parameters.size() * directions.size(), 0.0);
    for (std::size_t k = 0; k < directions.size(); ++k) {
      if (directions[k].parameter.empty()) {
        continue;
      }
      const std::vector<double> tangents = moved(directions[k].parameter);
      for (std::size_t i = 0; i < tangents.size(); ++i) {
        result.parameters[i * directions.size() + k] = tangents[i];
      }
    }
    return result;
  }

 private:
  CompiledModel model_;
  Result<std::shared_ptr<const system::HybridSystem>> system_;
};

/// A point of a mode beside the start.
struct Point {
  system::Configuration configuration;
  system::StructureId structure;
  double t = 0.1;
  std::vector<double> x;
  std::vector<double> guess;
};

inline Point point_of(const system::HybridSystem& system, std::size_t mode) {
  Point point;
  auto initial = system.initial(0.1);
  if (initial) {
    point.configuration = initial->configuration;
    if (initial->configuration.mode == ModeId(mode)) {
      point.x = initial->x;
      point.guess = initial->guess;
    }
  }
  point.configuration.mode = ModeId(mode);
  point.configuration.latched.resize(system.guards().size(), 1.0);
  point.configuration.discrete.resize(system.discrete().size(), 0.5);
  point.structure = system.structure_of(point.configuration);
  if (auto locked = system.lock(point.structure); !locked) {
    point.structure = point.configuration.mode;
  }
  if (point.x.size() != system.lock(point.structure).value()->states().size()) {
    point.x = system.entry_states(point.structure);
    point.guess = {};
  }
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    const double value = std::isfinite(point.x[i]) ? point.x[i] : 0.3;
    point.x[i] = value + 0.02 * std::max(std::abs(value), 0.05) * std::sin(1.0 + static_cast<double>(i));
  }
  return point;
}

/// Numbers of structures belong to a system.
inline system::StructureId structure_in(const system::HybridSystem& system, const Point& point) {
  return point.structure.number == 0 ? point.structure : system.structure_of(point.configuration);
}

/// Random moves [quantity][direction], in the size of the quantities.
inline std::vector<double> random_moves(std::span<const double> values, std::span<const double> sizes,
                                        std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> moves;
  for (const double value : values) {
    for (const double size : sizes) {
      const double scale = std::isfinite(value) ? std::max(std::abs(value), 0.1) : 0.0;
      moves.push_back(size == 0.0 ? 0.0
                                  : size * scale * std::uniform_real_distribution<double>(-1, 1)(random));
    }
  }
  return moves;
}

/// Of discrete variables: Booleans and Integers rest.
inline std::vector<double> discrete_moves(const system::HybridSystem& system, std::span<const double> values,
                                          std::span<const double> sizes, std::uint32_t seed) {
  std::vector<double> moves = random_moves(values, sizes, seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const system::VariableInfo& info = system.variables()[static_cast<std::size_t>(system.discrete()[i])];
    if (info.is_boolean || info.is_integer) {
      std::fill_n(moves.begin() + static_cast<std::ptrdiff_t>(i * sizes.size()), sizes.size(), 0.0);
    }
  }
  return moves;
}

/// values + s·moves[…][direction]
inline std::vector<double> moved_by(std::span<const double> values, std::span<const double> moves,
                                    std::size_t n_directions, std::size_t direction, double s) {
  std::vector<double> result(values.begin(), values.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] += s * moves[i * n_directions + direction];
  }
  return result;
}

/// Files of all examples, in the order of their names.
inline std::vector<std::string> all_examples() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(saltus::test::source_folder() + "/examples")) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".mo") || file.ends_with(".saltus")) {
      files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Compares tangents in one direction; gives how many were.
inline int expect_tangents(std::span<const double> tangents, std::size_t n_directions, std::size_t direction,
                           const Curve& curve, const std::string& what) {
  const Difference expected = differentiate(curve);
  int n_compared = 0;
  for (std::size_t i = 0; i < expected.value.size(); ++i) {
    if (!std::isfinite(expected.value[i])) {
      continue;
    }
    const double found = tangents[i * n_directions + direction];
    const double tolerance =
        1e-9 * std::max(std::abs(found), std::abs(expected.value[i])) + 10.0 * expected.error[i] + 1e-11;
    EXPECT_NEAR(found, expected.value[i], tolerance) << what << ", quantity " << i;
    n_compared += expected.error[i] <= 1e-7 * std::max(std::abs(expected.value[i]), 1e-3) ? 1 : 0;
  }
  return n_compared;
}

}  // namespace saltus::program::test

// From equations in unknowns to a model text: substitution of variables, mixed and scaled equations, shuffled order.
#include <algorithm>
#include <cmath>

#include "support/known_solutions/known_model.hpp"

namespace saltus::test::known {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix identity(std::size_t n) {
  Matrix matrix(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i][i] = 1.0;
  }
  return matrix;
}

/// z = forward·u, u = backward·z.
struct Substitution {
  Matrix forward;
  Matrix backward;
};

/// A few sums zᵢ = uᵢ + k uⱼ, one after the other.
Substitution random_substitution(const Canonical& canonical, Random& random, const Disguise& disguise) {
  const std::size_t n = canonical.unknowns.size();
  Substitution substitution{identity(n), identity(n)};
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < n; ++i) {
    if (disguise.mixes_all_unknowns || (disguise.mixes_unknowns && canonical.unknowns[i].is_differential)) {
      places.push_back(i);
    }
  }
  if (places.size() < 2) {
    return substitution;
  }
  const std::size_t n_sums = 1 + random.below(places.size());
  for (std::size_t sum = 0; sum < n_sums; ++sum) {
    const std::size_t i = places[random.below(places.size())];
    const std::size_t j = places[random.below(places.size())];
    if (i == j) {
      continue;
    }
    const double k = random.signed_between(0.2, 0.8);
    for (std::size_t row = 0; row < n; ++row) {
      substitution.forward[row][j] += k * substitution.forward[row][i];
    }
    for (std::size_t column = 0; column < n; ++column) {
      substitution.backward[i][column] -= k * substitution.backward[j][column];
    }
  }
  return substitution;
}

/// Rows of a product of plane rotations.
Matrix random_mixing(std::size_t n, Random& random, bool mixes) {
  Matrix matrix = identity(n);
  if (!mixes || n < 2) {
    return matrix;
  }
  for (std::size_t turn = 0; turn < n; ++turn) {
    const std::size_t i = random.below(n);
    const std::size_t j = random.below(n);
    if (i == j) {
      continue;
    }
    const double cosine = random.between(0.3, 0.95);
    const double sine = std::round(1000.0 * std::sqrt(1.0 - cosine * cosine)) / 1000.0;
    for (std::size_t column = 0; column < n; ++column) {
      const double a = matrix[i][column];
      const double b = matrix[j][column];
      matrix[i][column] = cosine * a + sine * b;
      matrix[j][column] = cosine * b - sine * a;
    }
  }
  return matrix;
}

class Writer {
 public:
  Writer(const KnownModel& model, const Substitution& substitution)
      : model_(model), substitution_(substitution) {}

  /// The text with @3, @d3, @s3, @t3 replaced.
  [[nodiscard]] std::string filled(const std::string& text) const {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '@') {
        result += text[at++];
        continue;
      }
      ++at;
      const char kind = text[at];
      at += kind == 'd' || kind == 's' || kind == 't' ? 1 : 0;
      std::size_t end = at;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
        ++end;
      }
      const std::size_t i = std::stoul(text.substr(at, end - at));
      const ClosedForm& exact = model_.canonical.unknowns[i].exact;
      result += kind == 's'   ? "(" + exact.text(0) + ")"
                : kind == 't' ? "(" + exact.text(1) + ")"
                              : unknown(i, kind == 'd');
      at = end;
    }
    return result;
  }

 private:
  /// zᵢ or its derivative in the variables of the model.
  [[nodiscard]] std::string unknown(std::size_t i, bool is_derivative) const {
    std::string sum;
    std::size_t n_terms = 0;
    for (std::size_t j = 0; j < model_.variables.size(); ++j) {
      const double coefficient = substitution_.forward[i][j] / model_.variables[j].scale;
      if (substitution_.forward[i][j] == 0.0) {
        continue;
      }
      const std::string& name = model_.variables[j].name;
      sum += (n_terms++ == 0 ? "" : " + ") + (coefficient == 1.0 ? "" : text_of(coefficient) + "*") +
             (is_derivative ? "der(" + name + ")" : name);
      const ModelVariable& variable = model_.variables[j];
      if (variable.jump != 0.0 && !is_derivative) {
        sum += " - " + text_of(substitution_.forward[i][j] * variable.jump) + "*" +
               model_.clauses[variable.jump_clause].counter;
      }
    }
    return sum.find_first_of(" *") == std::string::npos ? sum : "(" + sum + ")";
  }

  const KnownModel& model_;
  const Substitution& substitution_;
};

void choose_variables(KnownModel& model, Random& random, const Disguise& disguise,
                      const Substitution& substitution) {
  const std::size_t n = model.canonical.unknowns.size();
  std::vector<std::size_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = i + 1;
  }
  random.shuffle(numbers);
  double weight = 1.0;
  double rows = 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    ModelVariable variable{.name = "x" + std::to_string(numbers[j]), .exact = {}, .scale = 1.0, .gains = {}};
    if (disguise.largest_scale > 1.0 && random.chance(0.6)) {
      variable.scale = random.of_magnitude(1.0 / disguise.largest_scale, disguise.largest_scale);
    }
    double row = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      variable.gains.push_back(std::abs(substitution.backward[j][i]));
      row += std::abs(substitution.forward[j][i]);
      if (substitution.backward[j][i] != 0.0) {
        variable.exact.add(model.canonical.unknowns[i].exact, substitution.backward[j][i] * variable.scale);
      }
    }
    rows = std::max(rows, row);
    weight = std::max(weight, 1.0 + sizes_of(variable.exact, model.canonical.stop).value / variable.scale);
    model.variables.push_back(std::move(variable));
  }
  model.injection = std::sqrt(static_cast<double>(n)) * weight * rows;
}

/// A differential variable that every firing of a clause moves, with the counter taking the move back in all equations.
void choose_jump(KnownModel& model, Random& random) {
  std::vector<std::size_t> places;
  for (std::size_t j = 0; j < model.variables.size(); ++j) {
    if (model.canonical.unknowns[j].is_differential) {
      places.push_back(j);
    }
  }
  if (model.clauses.empty() || places.empty()) {
    return;
  }
  ModelVariable& variable = model.variables[places[random.below(places.size())]];
  variable.jump = random.signed_between(0.2, 1.0);
  variable.jump_clause = random.below(model.clauses.size());
  // Weights grow with the variable.
  model.injection *=
      1.0 + std::abs(variable.jump) * static_cast<double>(model.clauses[variable.jump_clause].times.size());
}

std::string jump_equations(const KnownModel& model, const Clause& clause) {
  std::string text;
  for (const ModelVariable& variable : model.variables) {
    if (variable.jump != 0.0 && model.clauses[variable.jump_clause].counter == clause.counter) {
      text += "    " + variable.name + " = pre(" + variable.name + ") + " +
              text_of(variable.jump * variable.scale) + ";\n";
    }
  }
  return text;
}

std::string declarations(const KnownModel& model, Random& random, const Disguise& disguise) {
  std::vector<std::string> lines;
  // Where equations hide their constraints, exact values are close to consistent but for rounding: they are starts, not fixed.
  const bool may_fix = model.canonical.index <= 1 && !disguise.mixes_all_unknowns;
  for (std::size_t j = 0; j < model.variables.size(); ++j) {
    const ModelVariable& variable = model.variables[j];
    const bool is_fixed = may_fix && model.canonical.unknowns[j].is_differential;
    lines.push_back("  Real " + variable.name + "(start = " + text_of(variable.exact.value(0.0)) +
                    (is_fixed ? ", fixed = true" : "") +
                    (variable.scale == 1.0 ? "" : ", nominal = " + text_of(variable.scale)) + ");\n");
  }
  random.shuffle(lines);
  for (const Clause& clause : model.clauses) {
    lines.push_back("  Integer " + clause.counter + "(start = 0, fixed = true);\n");
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

std::string equation_text(const Writer& writer, const std::vector<Equation>& equations,
                          const std::vector<double>& row, double scale) {
  std::string left;
  std::string right;
  const auto n_terms = std::count_if(row.begin(), row.end(), [](double entry) { return entry != 0.0; });
  for (std::size_t j = 0; j < equations.size(); ++j) {
    if (row[j] == 0.0) {
      continue;
    }
    const double factor = n_terms == 1 ? scale : scale * row[j] / equations[j].size;
    const std::string prefix = (left.empty() ? "" : " + ") + (factor == 1.0 ? "(" : text_of(factor) + "*(");
    left += prefix + writer.filled(equations[j].text) + ")";
    right += prefix + writer.filled(starred(equations[j].text)) + ")";
  }
  return "  " + left + " = " + right + ";\n";
}

}  // namespace

void write_model(KnownModel& model, Random& random, const Disguise& disguise) {
  const Substitution substitution = random_substitution(model.canonical, random, disguise);
  choose_variables(model, random, disguise, substitution);
  if (disguise.jumps) {
    choose_jump(model, random);
  }
  const Writer writer(model, substitution);
  const std::vector<Equation>& equations = model.canonical.equations;
  const Matrix mixing = random_mixing(equations.size(), random, disguise.mixes_equations);
  std::vector<std::string> lines;
  for (const std::vector<double>& row : mixing) {
    const double scale = disguise.largest_scale > 1.0 && random.chance(0.5)
                             ? random.of_magnitude(1.0 / disguise.largest_scale, disguise.largest_scale)
                             : 1.0;
    lines.push_back(equation_text(writer, equations, row, scale));
  }
  for (const Clause& clause : model.clauses) {
    lines.push_back("  when " + writer.filled(clause.guard.text()) + (clause.is_falling ? " < " : " > ") +
                    text_of(clause.level) + " then\n    " + clause.counter + " = pre(" + clause.counter +
                    ") + 1;\n" + jump_equations(model, clause) + "  end when;\n");
  }
  random.shuffle(lines);
  model.text =
      "// " + model.name() + ": index " + std::to_string(model.canonical.index) +
      (model.canonical.stiffness > 0.0 ? ", rates up to " + text_of(model.canonical.stiffness) : "") + "\n";
  for (const ModelVariable& variable : model.variables) {
    model.text += "// " + variable.name + " = " + variable.exact.text() +
                  (variable.jump == 0.0 ? ""
                                        : " + " + text_of(variable.jump * variable.scale) + "*" +
                                              model.clauses[variable.jump_clause].counter) +
                  "\n";
  }
  for (const Clause& clause : model.clauses) {
    model.text += "// " + clause.counter + " fires at";
    for (const double time : clause.times) {
      model.text += " " + text_of(time);
    }
    model.text += clause.times.empty() ? " no time\n" : "\n";
  }
  model.text += "model Known\n" + declarations(model, random, disguise) + "equation\n";
  for (const std::string& line : lines) {
    model.text += line;
  }
  model.text += "  annotation(experiment(StopTime = " + text_of(model.canonical.stop) + "));\nend Known;\n";
}

}  // namespace saltus::test::known

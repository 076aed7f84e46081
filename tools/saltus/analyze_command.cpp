#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "asked_model.hpp"
#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "interrupt.hpp"
#include "saltus/analysis.hpp"

namespace saltus::tool {
namespace {

// Lists of names and constraints longer than this are cut in the table; JSON has all.
constexpr std::size_t kMostNames = 12;
constexpr std::size_t kMostConstraints = 20;

std::string number(const std::optional<int>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kMostNames ? fmt::format("{}, … ({} in all)", text, names.size()) : text;
}

// A matrix with names before its rows; a column is a combination.
std::string matrix_text(const std::string& title, const std::vector<std::string>& names,
                        const Matrix& matrix) {
  if (matrix.empty() || matrix[0].empty()) {
    return {};
  }
  std::string text = fmt::format("    {}\n", title);
  for (std::size_t i = 0; i < matrix.size() && i < kMostConstraints; ++i) {
    text += "     ";
    for (const double entry : matrix[i]) {
      text += fmt::format(" {:>12.5g}", entry);
    }
    text += i < names.size() ? "   " + names[i] + "\n" : "\n";
  }
  return matrix.size() > kMostConstraints
             ? text + fmt::format("      … ({} rows in all; --format json has them)\n", matrix.size())
             : text;
}

std::string projectors_text(const ModeProjectors& projectors) {
  const std::vector<std::string>& rows = projectors.rows;
  std::string text = fmt::format(
      "  ranks: smallest gap {:.2g}{}, largest number that counted as zero {:.2g}, condition {:.2g}\n",
      projectors.smallest_gap, projectors.is_unclear ? " (unclear)" : "", projectors.largest_dropped,
      projectors.condition);
  if (projectors.local) {
    const PairValues& local = *projectors.local;
    text += fmt::format("  equations as they stand: r = {}, a = {}, s = {}, d = {}, u = {}, v = {}\n",
                        local.rank, local.algebraic, local.strangeness, local.differential,
                        local.undetermined, local.vanishing);
  }
  text += "  projectors (columns are combinations of rows, or directions of unknowns):\n";
  text += matrix_text("Z1, differential", rows, projectors.z1);
  for (std::size_t i = 0; i < projectors.z_between.size(); ++i) {
    text += matrix_text(fmt::format("Z of order {}", i + 1), rows, projectors.z_between[i]);
  }
  text += matrix_text("Z2, algebraic", rows, projectors.z2);
  text += matrix_text("Z3, redundant", rows, projectors.z3);
  text += matrix_text("T2, free under the algebraic ones", projectors.unknowns, projectors.t2);
  text += matrix_text("undetermined", projectors.unknowns, projectors.free);
  text += fmt::format("  reduced equations, linearised (columns: {}):\n", list(projectors.unknowns));
  for (std::size_t i = projectors.reduced.size(); i-- > 0;) {
    text += matrix_text(fmt::format("of derivatives of order {}", i), {}, projectors.reduced[i]);
  }
  return text;
}

std::string derivatives_text(const std::vector<DataDerivative>& derivatives) {
  std::vector<std::string> texts;
  for (const DataDerivative& one : derivatives) {
    texts.push_back(fmt::format("'{}' ({})", one.equation, one.order));
  }
  return texts.empty() ? "none" : list(texts);
}

std::string second_order_text(const ModeAnalysis& mode) {
  std::string text;
  if (!mode.data_derivatives.empty()) {
    text += fmt::format("  equations that are differentiated (how often): {}\n",
                        derivatives_text(mode.data_derivatives));
  }
  if (mode.merged) {
    const MergedForm& merged = *mode.merged;
    text += fmt::format(
        "  of order {}, without {}: {} equations, index {}, d2 = {}, d1 = {}, a = {}, u = {}, v = {}\n",
        merged.order, list(merged.rates), merged.equations, merged.index, merged.d2, merged.d1, merged.a,
        merged.u, merged.v);
    text += fmt::format("    equations that are differentiated (how often): {}\n",
                        derivatives_text(merged.data_derivatives));
  }
  if (mode.companion) {
    text += fmt::format(
        "  companion form, with derivatives of all unknowns as unknowns: {} unknowns, index {}\n"
        "    equations that are differentiated (how often): {}\n",
        mode.companion->size, mode.companion->index, derivatives_text(mode.companion->data_derivatives));
  }
  return text;
}

std::string numbers(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
  }
  return text.empty() ? "none" : text;
}

std::string eigenvalues_text(const std::vector<std::complex<double>>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < kMostNames; ++i) {
    text += i == 0 ? "" : ", ";
    text += values[i].imag() == 0.0
                ? fmt::format("{:.6g}", values[i].real())
                : fmt::format("{:.6g} {} {:.6g}i", values[i].real(), values[i].imag() < 0.0 ? '-' : '+',
                              std::abs(values[i].imag()));
  }
  return values.empty()               ? "none"
         : values.size() > kMostNames ? fmt::format("{}, … ({} in all)", text, values.size())
                                      : text;
}

std::string pencil_text(const ModePencil& pencil) {
  const PencilStructure& structure = pencil.structure;
  std::string text = fmt::format(
      "  pencil of {} equations and {} unknowns{}:\n", pencil.rows.size(), pencil.unknowns.size(),
      pencil.is_constant ? ""
                         : ", linearised at this point (its coefficients vary: index and free values of "
                           "the equations are those above)");
  if (structure.blocks) {
    const PencilBlocks& blocks = *structure.blocks;
    text += blocks.is_regular ? fmt::format("    regular, index {}\n", *blocks.index) : "    singular\n";
    text += fmt::format("    finite eigenvalues: {}\n", eigenvalues_text(blocks.eigenvalues));
    text += fmt::format("    sizes of infinite blocks: {}\n", numbers(blocks.infinite));
    if (!blocks.is_regular) {
      text += fmt::format("    right minimal indices (undetermined): {}\n", numbers(blocks.right));
      text += fmt::format("    left minimal indices (redundant): {}\n", numbers(blocks.left));
    }
    text += fmt::format("    consistent subspace: {} of {} dimensions\n", blocks.consistent_dimension,
                        pencil.unknowns.size());
  } else {
    text += fmt::format("    structure left open: {}\n", structure.doubt);
  }
  text +=
      fmt::format("    ranks (tolerance {:.1e}):{:>24} {:>9} {:>5} {:>6} {:>14} {:>16}\n",
                  structure.tolerance, "step", "size", "rank", "exact", "smallest kept", "largest dropped");
  for (const PencilRank& rank : structure.ranks) {
    text += fmt::format("      {:<43} {:>3} {:>9} {:>5} {:>6} {:>14} {:>16.1e}{}\n", rank.of, rank.step,
                        fmt::format("{} x {}", rank.rows, rank.columns), rank.rank, number(rank.exact_rank),
                        rank.rank > 0 ? fmt::format("{:.1e}", rank.smallest_kept) : "-", rank.largest_dropped,
                        rank.is_clear ? "" : "  unclear");
  }
  return text;
}

std::string form_text(const std::string& title, const std::optional<StructuredEquations>& form,
                      const std::vector<std::string>& unknowns) {
  if (!form) {
    return {};
  }
  std::string text = "    " + title + ":\n";
  text += matrix_text("E", {}, form->e);
  text += matrix_text("A", {}, form->a);
  return text + matrix_text("the unknowns by those of the form", unknowns, form->unknowns);
}

std::string structure_text(const ModeStructure& structure) {
  if (structure.kind == PairKind::none) {
    return fmt::format("  structure: none; {}\n", structure.reason);
  }
  const bool is_symmetric = structure.kind == PairKind::symmetric;
  std::string text = fmt::format(
      "  structure: {}, order {}, {}\n",
      is_symmetric             ? "symmetric"
      : !structure.is_constant ? "self-adjoint"
      : structure.order == 1   ? "self-adjoint (E skew-symmetric, A symmetric)"
                               : "self-adjoint (M and K symmetric, C skew-symmetric)",
      structure.order,
      structure.is_constant ? "constant coefficients"
                            : fmt::format("compared at {} times with derivatives", structure.times.size()));
  for (std::size_t i = 0; i < structure.unknowns.size() && i < kMostConstraints; ++i) {
    text += fmt::format("    {:<12} {} {}\n", structure.unknowns[i], structure.signs[i] < 0 ? '-' : '+',
                        structure.equations[i]);
  }
  if (structure.values) {
    const StructuredValues& values = *structure.values;
    text += fmt::format("    r = {}, a = {}, s = {}, d = {}, u = {}; index {}{}\n", values.rank,
                        values.algebraic, values.strangeness, values.differential, values.undetermined,
                        values.index ? number(values.index) : "not 0 or 1",
                        values.is_semidefinite ? " (E is positive semidefinite: at most 1)" : "");
    text += form_text("of index 0 and the same structure", values.strangeness_free, structure.unknowns);
    text += form_text("the same by minimal extension", values.extended, structure.unknowns);
  }
  return structure.reason.empty() ? text : text + fmt::format("    not kept: {}\n", structure.reason);
}

std::string table(const Analysis& analysis) {
  std::size_t width = 4;
  for (const ModeAnalysis& mode : analysis.modes) {
    width = std::max(width, mode.name.size());
  }
  std::string text =
      fmt::format("{:<{}}  {:>9} {:>8} {:>5} {:>10} {:>10} {:>4} {:>4} {:>4} {:>4}  {:<6} {}\n", "mode",
                  width, "equations", "unknowns", "index", "diff.index", "structural", "d", "a", "u", "v",
                  "linear", "reduced by");
  for (const ModeAnalysis& mode : analysis.modes) {
    text +=
        fmt::format("{:<{}}  {:>9} {:>8} {:>5} {:>10} {:>10} {:>4} {:>4} {:>4} {:>4}  {:<6} {}\n", mode.name,
                    width, mode.equations, mode.unknowns, number(mode.index),
                    number(mode.differentiation_index), number(mode.structural_index), mode.d, mode.a, mode.u,
                    mode.v, mode.is_linear ? "yes" : "no", mode.by_structure ? "structure" : "ranks");
  }
  for (const ModeAnalysis& mode : analysis.modes) {
    text += fmt::format("\n{}: {} free initial value{}", mode.name, mode.degrees_of_freedom,
                        mode.degrees_of_freedom == 1 ? "" : "s");
    text += mode.states.empty() ? "\n" : fmt::format(": {}\n", list(mode.states));
    if (mode.d2 > 0) {
      text +=
          fmt::format("  d = 2*{} + {}: of second-order and of first-order equations\n", mode.d2, mode.d1);
    }
    text += second_order_text(mode);
    if (!mode.undetermined.empty()) {
      text += fmt::format("  not determined by the equations: {}\n", list(mode.undetermined));
    }
    if (!mode.hidden_constraints.empty()) {
      text += mode.by_structure ? "  hidden constraints:\n"
                                : "  constraints, as combinations of equations and of their derivatives:\n";
    }
    for (std::size_t i = 0; i < mode.hidden_constraints.size() && i < kMostConstraints; ++i) {
      text += "    " + mode.hidden_constraints[i] + "\n";
    }
    if (mode.hidden_constraints.size() > kMostConstraints) {
      text += fmt::format("    … ({} in all; --format json lists them)\n", mode.hidden_constraints.size());
    }
    text += mode.projectors ? projectors_text(*mode.projectors) : "";
    text += mode.pencil ? pencil_text(*mode.pencil) : "";
    text += mode.structure ? structure_text(*mode.structure) : "";
  }
  return text;
}

}  // namespace

int analyze_command(const Console& console, const AnalyzeArguments& arguments, Diagnostics problems) {
  SimulationOptions values;  // the time and the values have the form of a run's
  for (const auto& [name, value] : arguments.options) {
    problems.append(set_option(values, name, value));
  }
  bool as_json = false;
  if (arguments.format == "json") {
    as_json = true;
  } else if (!arguments.format.empty() && arguments.format != "text") {
    problems.error(kWrongUsage, fmt::format("--format takes text or json, not '{}'", arguments.format));
  }
  AnalysisOptions options;
  options.projectors = arguments.projectors;
  if (arguments.equilibrate == "off") {
    options.equilibrate = false;
  } else if (!arguments.equilibrate.empty() && arguments.equilibrate != "on") {
    problems.error(kWrongUsage,
                   fmt::format("--equilibrate takes on or off, not '{}'", arguments.equilibrate));
  }
  if (arguments.ranks == "qr") {
    options.by_pivoted_qr = true;
  } else if (!arguments.ranks.empty() && arguments.ranks != "svd") {
    problems.error(kWrongUsage, fmt::format("--ranks takes svd or qr, not '{}'", arguments.ranks));
  }
  options.structure = arguments.structure;
  options.pencil = arguments.pencil || !arguments.pencil_tolerance.empty();
  if (!arguments.pencil_tolerance.empty()) {
    const std::string& text = arguments.pencil_tolerance;
    double tolerance = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tolerance);
    if (error != std::errc() || end != text.data() + text.size() || !(tolerance >= 0.0 && tolerance < 1.0)) {
      problems.error(kWrongUsage,
                     fmt::format("--pencil-tolerance takes a number from 0 to below 1, not '{}'", text));
    }
    options.pencil_tolerance = tolerance;
  }
  if (!arguments.run_to.empty()) {
    SimulationOptions to;  // a time in the form of a run's
    problems.append(set_option(to, "stop", arguments.run_to));
    options.run_to = to.stop;
  }
  if (arguments.model.path.empty()) {
    problems.error(kWrongUsage, "MODEL is required");
  }
  if (problems.has_errors()) {
    console.print(problems);
    return kExitWrongInput;
  }
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  const Result<Model> model = load_model(request_of(arguments.model), limits);
  if (!model) {
    console.print(model.error());
    return exit_code_of(model.error());
  }
  options.at = values.start;
  options.set = values.set;
  options.limits = limits;
  const Result<Analysis> analysis = analyze(*model, options);
  if (!analysis) {
    console.print(analysis.error());
    return kExitEndedEarly;
  }
  console.print(analysis->warnings);
  return finish_output(console, as_json ? render_json(*analysis) : table(*analysis), kExitSuccess);
}

}  // namespace saltus::tool

#include "structure/singular_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "structure/match/diagnostic_codes.hpp"
#include "structure/match/names.hpp"

namespace saltus::structure {
namespace {

constexpr std::size_t kMostReports = 5;  // of one kind; the first ones usually explain the rest
constexpr std::size_t kMostParts = 20;   // looked at before parts that overlap are merged
constexpr std::size_t kMostNotes = 8;    // places listed for one report

std::string count(std::size_t n, std::string_view singular) {
  return fmt::format("{} {}{}", n, singular, n == 1 ? "" : "s");
}

// A part and the row or column left over from which it was found.
struct FoundPart {
  std::uint32_t origin = kNone;
  Part part;
};

bool intersect(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return !common.empty();
}

void unite(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& more) {
  std::vector<std::uint32_t> all;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(all));
  into = std::move(all);
}

// Parts that share something are one problem; at most kMostReports are kept.
std::vector<FoundPart> merged(std::vector<FoundPart> parts) {
  std::vector<FoundPart> result;
  for (FoundPart& next : parts) {
    for (std::size_t i = result.size(); i-- > 0;) {
      if (!intersect(result[i].part.rows, next.part.rows) &&
          !intersect(result[i].part.columns, next.part.columns)) {
        continue;
      }
      unite(next.part.rows, result[i].part.rows);
      unite(next.part.columns, result[i].part.columns);
      next.origin = result[i].origin;
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(i));
    }
    result.push_back(std::move(next));
  }
  std::sort(result.begin(), result.end(),
            [](const FoundPart& a, const FoundPart& b) { return a.origin < b.origin; });
  if (result.size() > kMostReports) {
    result.erase(result.begin() + kMostReports, result.end());
  }
  return result;
}

class SingularReport {
 public:
  SingularReport(flat::Model& model, std::span<const flat::Equation> equations,
                 const Classification& classification, Severity severity, Diagnostics& diagnostics)
      : model_(model),
        equations_(equations),
        severity_(severity),
        diagnostics_(diagnostics),
        unknowns_(with_discrete(classification)),
        slots_(model.graph, with_inputs(unknowns_, classification), classification.states),
        rows_(equations.size()) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    n_required_ = static_cast<std::uint32_t>(unknowns_.size());
    actual_ = find_incidence(model.graph, equations, slots_, slots_.n_unknowns());
    // Every order of a variable counts as the variable: states stand for the unknown of their variable.
    std::vector<std::uint32_t> column_of_variable(model.variables.size(), kNone);
    for (std::uint32_t column = 0; column < slots_.n_unknowns(); ++column) {
      column_of_variable[slots_[column].variable.index()] = column;
    }
    for (std::uint32_t slot = slots_.n_unknowns(); slot < slots_.n_slots(); ++slot) {
      slots_.set_representative(slot, {.slot = column_of_variable[slots_[slot].variable.index()]});
    }
    any_order_ = find_incidence(model.graph, equations, slots_, slots_.n_unknowns());
  }

  void run() {
    const Matching of_any_order = match(any_order_);
    const Matching of_actual = match(actual_);
    const Missing missing = missing_in(of_any_order);
    const Missing actually_missing = missing_in(of_actual);
    if (missing.rows == 0 && missing.columns == 0) {
      diagnostics_.add(severity_, kUnknownCancels,
                       "the equations determine less than they contain: unknowns cancel, or occur in "
                       "relations only",
                       equations_.front().span, "add an equation that contains what is missing");
      return;
    }
    // If states count as known without making it worse, the parts are smaller and name derivatives.
    const bool states_are_known = missing.rows == actually_missing.rows &&
                                  missing.columns == actually_missing.columns &&
                                  !leaves_out_constraints(of_actual);
    const Incidence& incidence = states_are_known ? actual_ : any_order_;
    const Matching& matching = states_are_known ? of_actual : of_any_order;
    report_overdetermined(incidence, matching, states_are_known);
    report_underdetermined(incidence, matching, states_are_known);
  }

 private:
  // Rows and required columns without a partner.
  struct Missing {
    std::ptrdiff_t rows = 0;
    std::ptrdiff_t columns = 0;
  };
  Missing missing_in(const Matching& matching) const {
    return {.rows = std::count(matching.column_of_row.begin(), matching.column_of_row.end(), kNone),
            .columns = std::count(matching.row_of_column.begin(),
                                  matching.row_of_column.begin() + n_required_, kNone)};
  }

  // A row left over that contains states and nothing else would be named without unknowns.
  bool leaves_out_constraints(const Matching& matching) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](std::uint32_t row) {
      return matching.column_of_row[row] == kNone && actual_.row(row).empty() && !any_order_.row(row).empty();
    });
  }

  static std::vector<Unknown> with_discrete(const Classification& classification) {
    std::vector<Unknown> unknowns = classification.unknowns;
    unknowns.insert(unknowns.end(), classification.discrete.begin(), classification.discrete.end());
    std::sort(unknowns.begin(), unknowns.end());
    return unknowns;
  }

  static std::vector<Unknown> with_inputs(const std::vector<Unknown>& unknowns,
                                          const Classification& classification) {
    std::vector<Unknown> columns = unknowns;
    columns.insert(columns.end(), classification.inputs.begin(), classification.inputs.end());
    return columns;
  }

  Matching match(const Incidence& incidence) const {
    Matching matching = empty_matching(incidence);
    extend_matching(incidence, rows_, n_required_, matching);
    extend_matching(incidence, rows_, incidence.n_columns, matching);
    return matching;
  }

  std::string totals() const {
    return fmt::format("the model has {} for {}", count(rows_.size(), "equation"),
                       count(unknowns_.size(), "unknown"));
  }

  std::vector<std::string> names_of(std::span<const std::uint32_t> columns, bool with_order) const {
    std::vector<std::string> names;
    for (const std::uint32_t column : columns) {
      const Unknown& unknown = slots_[column];
      names.push_back(
          name_of(model_, {.variable = unknown.variable, .order = with_order ? unknown.order : 0}));
    }
    return names;
  }

  void add_equation_notes(Diagnostic& diagnostic, std::span<const std::uint32_t> rows) const {
    for (std::size_t i = 0; i < rows.size() && i < kMostNotes; ++i) {
      const flat::Equation& equation = equations_[rows[i]];
      const auto names = names_of(any_order_.row(rows[i]), false);
      diagnostic.notes.push_back(
          {.message = names.empty() ? std::string("this equation contains no unknown")
                                    : fmt::format("this equation contains {}", list_names(names)),
           .span = equation.span});
    }
    if (rows.size() > kMostNotes) {
      diagnostic.notes.push_back(
          {.message = fmt::format("and {} more equations", rows.size() - kMostNotes), .span = std::nullopt});
    }
  }

  void report_overdetermined(const Incidence& incidence, const Matching& matching, bool with_order) {
    std::vector<FoundPart> found;
    for (const std::uint32_t row : rows_) {
      if (matching.column_of_row[row] == kNone && found.size() < kMostParts) {
        found.push_back({.origin = row, .part = overdetermined_part(incidence, matching, row)});
      }
    }
    for (const auto& [row, part] : merged(std::move(found))) {
      const flat::Equation& equation = equations_[row];
      const bool holds_by_chance = any_order_.row(row).empty();
      std::string message =
          holds_by_chance
              ? fmt::format("{} contains no unknown, so it can only hold by chance", quote(model_, equation))
              : fmt::format("too many equations: {} for {}: {}", count(part.rows.size(), "equation"),
                            count(part.columns.size(), "unknown"),
                            list_names(names_of(part.columns, with_order)));
      message += " (" + totals() + ")";
      Diagnostic& diagnostic = diagnostics_.add(
          holds_by_chance ? Severity::error : severity_, kTooManyEquations, std::move(message), equation.span,
          holds_by_chance ? "remove it, or write what was meant"
                          : "the equations can only hold together if they agree: remove one "
                            "of them, or add an unknown to one");
      if (part.rows.size() > 1) {
        add_equation_notes(diagnostic, part.rows);
      }
    }
  }

  void report_underdetermined(const Incidence& incidence, const Matching& matching, bool with_order) {
    const Incidence transposed = transpose(incidence);
    std::vector<FoundPart> found;
    for (std::uint32_t column = 0; column < n_required_; ++column) {
      if (matching.row_of_column[column] == kNone && found.size() < kMostParts) {
        found.push_back({.origin = column, .part = underdetermined_part(transposed, matching, column)});
      }
    }
    for (const auto& [column, part] : merged(std::move(found))) {
      const flat::Variable& variable = model_[slots_[column].variable];
      std::string message = part.rows.empty() ? nothing_for(column)
                                              : fmt::format("too few equations: {} for {}: {}",
                                                            count(part.rows.size(), "equation"),
                                                            count(part.columns.size(), "unknown"),
                                                            list_names(names_of(part.columns, with_order)));
      message += " (" + totals() + ")";
      Diagnostic& diagnostic =
          diagnostics_.add(severity_, kTooFewEquations, std::move(message), variable.span,
                           "add an equation for one of these unknowns, or make one a parameter");
      add_equation_notes(diagnostic, part.rows);
    }
  }

  std::string nothing_for(std::uint32_t column) const {
    const Unknown& unknown = slots_[column];
    const bool occurs =
        std::find(any_order_.columns.begin(), any_order_.columns.end(), column) != any_order_.columns.end();
    return occurs ? fmt::format("no equation determines {}", name_of(model_, unknown))
                  : fmt::format("{} occurs in no equation", model_[unknown.variable].name);
  }

  flat::Model& model_;
  std::span<const flat::Equation> equations_;
  Severity severity_;
  Diagnostics& diagnostics_;
  std::vector<Unknown> unknowns_;
  SlotTable slots_;
  std::vector<std::uint32_t> rows_;
  std::uint32_t n_required_ = 0;
  Incidence actual_;
  Incidence any_order_;
};

}  // namespace

void report_singular(flat::Model& model, std::span<const flat::Equation> equations,
                     const Classification& classification, Severity severity, Diagnostics& diagnostics) {
  SingularReport(model, equations, classification, severity, diagnostics).run();
}

void report_repeated(const flat::Model& model, std::span<const flat::Equation> equations,
                     std::span<const std::uint32_t> repeated, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < repeated.size() && i < kMostReports; ++i) {
    const flat::Equation& equation = equations[repeated[i]];
    diagnostics.warning(kRepeatedEquation,
                        fmt::format("{} repeats what other equations say", quote(model, equation)),
                        equation.span, "remove it, or write what was meant");
  }
}

}  // namespace saltus::structure

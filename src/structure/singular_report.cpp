#include "structure/singular_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "structure/diagnostic_codes.hpp"
#include "structure/names.hpp"

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
                 const Classification& classification, Diagnostics& diagnostics)
      : model_(model),
        equations_(equations),
        diagnostics_(diagnostics),
        unknowns_(with_discrete(classification)),
        states_(classification.states),
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
      report_high_index(of_actual);
      return;
    }
    // If states count as known without making it worse, the parts are smaller and name derivatives.
    const bool states_are_known =
        missing.rows == actually_missing.rows && missing.columns == actually_missing.columns;
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
      std::string message =
          part.columns.empty()
              ? fmt::format("{} contains no unknown, so it can only hold by chance", quote(model_, equation))
              : fmt::format("too many equations: {} for {}: {}", count(part.rows.size(), "equation"),
                            count(part.columns.size(), "unknown"),
                            list_names(names_of(part.columns, with_order)));
      message += " (" + totals() + ")";
      Diagnostic& diagnostic =
          diagnostics_.error(kTooManyEquations, std::move(message), equation.span,
                             "models with more equations than unknowns are not run yet: remove one of these "
                             "equations, or add an unknown to one");
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
      Diagnostic& diagnostic = diagnostics_.error(
          kTooFewEquations, std::move(message), variable.span,
          "models with fewer equations than unknowns are not run yet: add an equation for one "
          "of these unknowns, or make one a parameter");
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

  // Equations left over when only highest derivatives and algebraic unknowns may be determined.
  void report_high_index(const Matching& matching) {
    std::vector<std::string> lacking;
    for (std::uint32_t column = 0; column < n_required_; ++column) {
      if (matching.row_of_column[column] == kNone) {
        lacking.push_back(name_of(model_, slots_[column]));
      }
    }
    std::size_t n_reports = 0;
    for (const std::uint32_t row : rows_) {
      if (matching.column_of_row[row] != kNone || n_reports == kMostReports) {
        continue;
      }
      ++n_reports;
      const Part part = overdetermined_part(actual_, matching, row);
      const std::vector<std::string> states = states_in(part.rows);
      const flat::Equation& equation = equations_[row];
      const std::string subject = part.rows.size() == 1 ? quote(model_, equation)
                                                        : fmt::format("these {} equations", part.rows.size());
      Diagnostic& diagnostic = diagnostics_.error(
          kHighIndexNotYet,
          fmt::format(
              "not yet: needs index reduction; {} {} states {}{}", subject,
              part.rows.size() == 1 ? "constrains" : "constrain", list_names(states),
              lacking.empty() ? "" : fmt::format(", and no equation is left for {}", list_names(lacking))),
          equation.span, "replace the constraint by its time derivatives, or use fewer states");
      if (part.rows.size() > 1) {
        add_equation_notes(diagnostic, part.rows);
      }
    }
  }

  // Names of the states that occur in the rows.
  std::vector<std::string> states_in(std::span<const std::uint32_t> rows) {
    std::vector<flat::Equation> chosen;
    for (const std::uint32_t row : rows) {
      chosen.push_back(equations_[row]);
    }
    const SlotTable state_slots(model_.graph, states_, {});
    const Incidence incidence = find_incidence(model_.graph, chosen, state_slots, state_slots.n_unknowns());
    std::vector<std::uint32_t> columns = incidence.columns;
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<std::string> names;
    for (const std::uint32_t column : columns) {
      names.push_back(name_of(model_, state_slots[column]));
    }
    return names;
  }

  flat::Model& model_;
  std::span<const flat::Equation> equations_;
  Diagnostics& diagnostics_;
  std::vector<Unknown> unknowns_;
  const std::vector<Unknown>& states_;
  SlotTable slots_;
  std::vector<std::uint32_t> rows_;
  std::uint32_t n_required_ = 0;
  Incidence actual_;
  Incidence any_order_;
};

}  // namespace

void report_singular(flat::Model& model, std::span<const flat::Equation> equations,
                     const Classification& classification, const AliasReport& aliases,
                     Diagnostics& diagnostics) {
  if (aliases.repeated.empty()) {
    SingularReport(model, equations, classification, diagnostics).run();
    return;
  }
  for (std::size_t i = 0; i < aliases.repeated.size() && i < kMostReports; ++i) {
    const flat::Equation& equation = equations[aliases.repeated[i]];
    diagnostics.error(kRepeatedEquation,
                      fmt::format("{} repeats what other equations say", quote(model, equation)),
                      equation.span, "remove it, or write what was meant");
  }
}

}  // namespace saltus::structure

/// Expressions of a flat model as text of the language.
///
/// Contract   the text, compiled in a model with the same names, gives the same nodes and conditions (readable form:
///            for people, without quotes and without noEvent and smooth).
/// Choices    conditions are written as the relation they stand for; selects on kinks as abs, min or max where they
///            came from one, else inside smooth; plain operations on continuous values inside noEvent, or as a call
///            of a helper function where their operands contain conditions, which noEvent would silence.
/// Cost       linear in the length of the text, which ends with " …" after some 2000 bytes in the forms for people; no recursion.
/// Checked by tests/corpus/corpus_test.cpp
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flat/canonical_guard.hpp"
#include "flat/model.hpp"
#include "flat/variability.hpp"

namespace saltus::flat {

/// A name as the language needs it: quoted unless it is an identifier.
[[nodiscard]] std::string quoted_name(std::string_view name);
/// A string literal with escapes.
[[nodiscard]] std::string quoted_text(std::string_view text);

class ExpressionPrinter {
 public:
  enum class Form {
    exact,
    readable,
    as_written,  ///< readable, and relations in the words of the source
  };

  ExpressionPrinter(const Model& model, Form form);

  /// `on_left`: as the left side of an equation, where `if` needs parentheses.
  void write(NodeId node, bool as_boolean, std::string& out, bool on_left = false);
  [[nodiscard]] bool is_boolean(NodeId node) const { return is_boolean_[node.index()]; }
  /// Number of nodes written for this one.
  [[nodiscard]] double text_size(NodeId node) const { return sizes_[node.index()]; }
  /// Operations for which a helper function is called; see helper_function().
  [[nodiscard]] const std::set<expr::Op>& helpers() const { return helpers_; }
  /// The text of such a function.
  [[nodiscard]] static std::string helper_function(expr::Op op);

 private:
  struct Item {
    std::string text;
    NodeId node;  ///< valid: written after being taken apart
    bool as_boolean = false;
    int precedence = 0;
  };

  void analyse();
  void take_apart(const Item& item, std::vector<Item>& parts);
  void write_leaf(const Item& item, const expr::Node& node, std::vector<Item>& parts);
  void write_condition(const Condition& condition, int precedence, std::vector<Item>& parts);
  [[nodiscard]] bool write_angle(NodeId select, std::vector<Item>& parts);
  [[nodiscard]] bool write_direction(const expr::Node& select, std::vector<Item>& parts);
  void write_select(const Item& item, const expr::Node& node, std::vector<Item>& parts);
  void write_plain(const Item& item, const expr::Node& node, std::vector<Item>& parts);
  void write_infix(const Item& item, const expr::Node& node, std::vector<Item>& parts);
  void write_truncation(NodeId argument, std::vector<Item>& parts);
  /// How smooth the kinks in a condition are; -1: it has none.
  [[nodiscard]] int continuity_of(NodeId condition) const;
  /// The guard g of a difference that stands for sign(g); invalid if it is another one.
  [[nodiscard]] GuardId guard_of_sign(const expr::Node& difference) const;
  [[nodiscard]] const char* kink_function(const expr::Node& select);
  [[nodiscard]] std::string name(std::string_view text) const;

  const Model& model_;
  Form form_;
  VariabilityOfNodes variability_;
  std::unique_ptr<expr::Graph>
      scratch_;  ///< a copy to rebuild guards in; only if the model has kinks or angles
  std::unique_ptr<GuardCanonicalizer> canonicalizer_;
  std::vector<bool> is_boolean_;
  std::vector<bool> has_condition_;
  std::vector<double> sizes_;
  std::set<expr::Op> helpers_;
};

}  // namespace saltus::flat

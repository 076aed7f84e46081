// Models from C++: the same that the language can say.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/result.hpp"

namespace saltus {

namespace api {
struct ExpressionNode;
struct BuilderData;
struct ClauseData;
struct ModeText;
}  // namespace api

/// An expression of a model: numbers, truths, names and what is made of them. Cheap to copy. Types are those of the language and are checked when the
/// model is built.
class Expression {
 public:
  Expression(double value);  // NOLINT(google-explicit-constructor): 2*x is to be written as 2*x
  Expression(int value);     // NOLINT(google-explicit-constructor)
  Expression(bool value);    // NOLINT(google-explicit-constructor)
  /// A name of the model, or an expression as the language writes it.
  [[nodiscard]] static Expression text(std::string_view written);
  [[nodiscard]] static Expression string(std::string_view value);

  explicit Expression(std::shared_ptr<const api::ExpressionNode> node) : node_(std::move(node)) {}
  [[nodiscard]] const api::ExpressionNode& node() const { return *node_; }
  [[nodiscard]] const std::shared_ptr<const api::ExpressionNode>& shared() const { return node_; }

 private:
  std::shared_ptr<const api::ExpressionNode> node_;
};

[[nodiscard]] Expression operator+(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator-(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator*(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator/(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator-(const Expression& a);
[[nodiscard]] Expression operator<(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator<=(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator>(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator>=(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator&&(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator||(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator!(const Expression& a);
/// Of discrete values; names instead of operators, because == of two expressions is no bool.
[[nodiscard]] Expression equal(const Expression& a, const Expression& b);
[[nodiscard]] Expression not_equal(const Expression& a, const Expression& b);
[[nodiscard]] Expression pow(const Expression& base, const Expression& exponent);
[[nodiscard]] Expression if_else(const Expression& condition, const Expression& if_true,
                                 const Expression& if_false);
/// Any function of the language, or of ModelBuilder::add_text, by its name.
[[nodiscard]] Expression call(std::string_view function, const std::vector<Expression>& arguments);
/// {a, b, …}
[[nodiscard]] Expression array(const std::vector<Expression>& elements);

[[nodiscard]] Expression time();
[[nodiscard]] Expression der(const Expression& a);
[[nodiscard]] Expression pre(const Expression& a);
[[nodiscard]] Expression edge(const Expression& a);
[[nodiscard]] Expression change(const Expression& a);
[[nodiscard]] Expression initial();
[[nodiscard]] Expression terminal();
[[nodiscard]] Expression sample(const Expression& start, const Expression& interval);
[[nodiscard]] Expression no_event(const Expression& a);
[[nodiscard]] Expression smooth(int continuous_derivatives, const Expression& a);
[[nodiscard]] Expression sin(const Expression& a);
[[nodiscard]] Expression cos(const Expression& a);
[[nodiscard]] Expression tan(const Expression& a);
[[nodiscard]] Expression asin(const Expression& a);
[[nodiscard]] Expression acos(const Expression& a);
[[nodiscard]] Expression atan(const Expression& a);
[[nodiscard]] Expression atan2(const Expression& y, const Expression& x);
[[nodiscard]] Expression sinh(const Expression& a);
[[nodiscard]] Expression cosh(const Expression& a);
[[nodiscard]] Expression tanh(const Expression& a);
[[nodiscard]] Expression exp(const Expression& a);
[[nodiscard]] Expression log(const Expression& a);
[[nodiscard]] Expression log10(const Expression& a);
[[nodiscard]] Expression sqrt(const Expression& a);
[[nodiscard]] Expression abs(const Expression& a);
[[nodiscard]] Expression sign(const Expression& a);
[[nodiscard]] Expression floor(const Expression& a);
[[nodiscard]] Expression ceil(const Expression& a);
[[nodiscard]] Expression integer(const Expression& a);
[[nodiscard]] Expression mod(const Expression& a, const Expression& b);
[[nodiscard]] Expression div(const Expression& a, const Expression& b);
[[nodiscard]] Expression rem(const Expression& a, const Expression& b);
[[nodiscard]] Expression min(const Expression& a, const Expression& b);
[[nodiscard]] Expression max(const Expression& a, const Expression& b);

/// What a declaration says besides type and name; what is not given is not written.
struct Attributes {
  std::optional<Expression> start{};
  std::optional<bool> fixed{};
  std::optional<Expression> nominal{};
  std::optional<Expression> min{};
  std::optional<Expression> max{};
  std::string unit{};
  std::string description{};
  std::optional<Expression> value{};  ///< a declaration equation; of a parameter its value
  std::string display_unit{};
};

/// What happens when a clause or a transition fires.
class Body {
 public:
  Body(std::string& text, std::vector<std::string>& problems) : text_(text), problems_(problems) {}
  Body& set(const Expression& discrete, const Expression& value);
  Body& reinit(const Expression& state, const Expression& value);
  /// A jump equation between pre(…) and new values.
  Body& equation(const Expression& left, const Expression& right);
  Body& require(const Expression& condition, std::string_view message);  ///< assert
  Body& terminate(std::string_view message);

 private:
  std::string& text_;
  std::vector<std::string>& problems_;  // numbers that are not finite, and the like
};

/// `when … elsewhen … end when`.
class Clause {
 public:
  Clause& elsewhen(const Expression& condition, const std::function<void(Body&)>& body);

 private:
  friend class ModelBuilder;
  friend class ModeBuilder;
  explicit Clause(std::shared_ptr<api::ClauseData> data) : data_(std::move(data)) {}
  std::shared_ptr<api::ClauseData> data_;
};

/// Equations, clauses and transitions of one mode.
class ModeBuilder {
 public:
  /// A variable that exists in this mode only.
  Expression real(std::string_view name, const Attributes& attributes = {});
  void equation(const Expression& left, const Expression& right);
  Clause when(const Expression& condition, const std::function<void(Body&)>& body);
  void transition_to(std::string_view mode, const Expression& condition,
                     const std::function<void(Body&)>& body = {});

 private:
  friend class ModelBuilder;
  explicit ModeBuilder(api::ModeText& mode) : mode_(mode) {}
  api::ModeText& mode_;
};

/// Collects what a model consists of; build() compiles it as the language would, with the same diagnostics, and text() is what it would be written as. A
/// model with modes is one of the dialect .saltus, any other of .mo (docs/language.md 5 says what differs).
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string_view name, std::string_view description = {});
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;
  ~ModelBuilder();

  // Declarations; each returns the name as an expression. A name that is no identifier is quoted.
  Expression parameter(std::string_view name, const Expression& value, Attributes attributes = {});
  Expression real(std::string_view name, const Attributes& attributes = {});
  Expression discrete_real(std::string_view name, const Attributes& attributes = {});
  Expression integer(std::string_view name, const Attributes& attributes = {});
  Expression boolean(std::string_view name, const Attributes& attributes = {});
  Expression input(std::string_view name, const Attributes& attributes = {});
  Expression output(std::string_view name, const Attributes& attributes = {});
  /// An array of Reals; the elements as expressions. Attributes hold for each.
  std::vector<Expression> reals(std::string_view name, int size, const Attributes& attributes = {});

  void equation(const Expression& left, const Expression& right);
  void initial_equation(const Expression& left, const Expression& right);
  Clause when(const Expression& condition, const std::function<void(Body&)>& body);
  void require(const Expression& condition, std::string_view message);  ///< assert, at all times
  void terminate_when(const Expression& condition, std::string_view message);

  void mode(std::string_view name, const std::function<void(ModeBuilder&)>& contents);
  void initial_mode(std::string_view name, const std::function<void(ModeBuilder&)>& contents);
  void sliding_mode(std::string_view name, std::string_view one, std::string_view other,
                    const std::function<void(ModeBuilder&)>& contents);

  /// annotation(experiment(…)) and annotation(__saltus(name = "value")).
  void experiment(double start, double stop, std::optional<double> tolerance = {},
                  std::optional<double> interval = {});
  void option(std::string_view name, std::string_view value);
  /// Functions and types, as the language writes them, before the model.
  void add_text(std::string_view text);

  [[nodiscard]] std::string text() const;
  /// The error holds every problem, with places in text(); numbers that are not finite and expressions too large to be written among them.
  [[nodiscard]] Result<Model> build() const;

 private:
  Expression declare(std::string_view prefix, std::string_view name, const Attributes& attributes);
  std::unique_ptr<api::BuilderData> data_;
};

}  // namespace saltus

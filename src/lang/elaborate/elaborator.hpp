/// From the syntax tree of one model to the flat hybrid DAE.
///
/// Names are resolved, types and sizes checked, sizes and compile-time decisions computed, arrays and loops written out
/// element by element, functions inlined, discontinuities lowered to conditions. The class is one because the
/// parts call each other in all directions (a size may call a function whose loop needs a size); its member functions
/// are grouped by subject, each group in the file named beside it.
///
/// Order of work: names are collected; components are declared (sizes) in the order of the text or earlier when
/// a size needs them; parameters are bound to their values; equations are lowered; bodies of clauses and transitions
/// come last, because a relation in a body means the truth value of the model's condition if there is one.
///
/// After an error the work goes on with a failed value, from which nothing further is reported. A text with errors of
/// syntax is elaborated too, as far as it could be read (Damage); what may only follow from those errors is not said.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/taylor.hpp"
#include "flat/model.hpp"
#include "flat/table.hpp"
#include "flat/variability.hpp"
#include "lang/elaborate/arithmetic.hpp"
#include "lang/elaborate/array_operations.hpp"
#include "lang/elaborate/compile_options.hpp"
#include "lang/elaborate/condition_table.hpp"
#include "lang/elaborate/intrinsics.hpp"
#include "lang/elaborate/value.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/syntax/damage.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

/// What a name of the model stands for.
struct Entity {
  enum class Kind { component, function, type, mode };
  enum class Progress { none, running, done };

  Kind kind = Kind::component;
  Symbol name;
  SourceSpan span;
  const Component* component = nullptr;
  std::uint32_t class_index = 0;  ///< of a function or type
  ModeId mode;                    ///< that declares it; the mode itself for kind mode

  // Of a component.
  Progress declared = Progress::none;
  Progress bound = Progress::none;
  bool failed = false;
  bool is_parameter = false;
  bool is_constant = false;
  bool is_free = false;  ///< a parameter with fixed = false, which is a variable here
  flat::Type type = flat::Type::real;
  Shape shape;
  std::uint32_t first = 0;        ///< id of the first element among the variables or parameters
  NodeId first_leaf;              ///< leaves of the elements follow each other in the graph
  std::vector<Scalar> constants;  ///< values of a constant
  std::vector<const Modification*> modifications;  ///< of the type's aliases, then its own
};

/// A loop variable, or a variable of a function that is being inlined.
struct Local {
  enum class Role { iterator, input, output, inner };
  Symbol name;
  Role role = Role::iterator;
  Value value;
};

/// What equations and assertions are added to.
struct EquationSink {
  std::vector<flat::Equation>* equations = nullptr;
  ModeId mode;
  bool initial = false;
  bool in_branch = false;           ///< of an if-equation decided while the model runs
  Scalar path = known_scalar(1.0);  ///< the truth value under which the equations hold
};

class Elaborator {
 public:
  Elaborator(const Ast& ast, const Class& main, std::shared_ptr<const SourceText> source,
             const CompileOptions& options, const Damage& damage, Diagnostics& diagnostics);

  /// The model; meaningless if errors were reported.
  [[nodiscard]] flat::Model run();

 private:
  /// What holds where an expression stands; saved and restored around parts of the text.
  struct Context {
    Watching watching = Watching::events;
    int continuity = -1;  ///< the largest p of the smooth(p, ...) around it
    bool repeated = false;
    bool in_body = false;
    bool in_function = false;
    ModeId mode;            ///< whose own variables are visible
    ModeId pre_mode;        ///< whose own variables pre(...) means
    std::size_t frame = 0;  ///< first visible local
  };
  class SavedContext {
   public:
    explicit SavedContext(Elaborator& owner) : owner_(owner), saved_(owner.context_) {}
    ~SavedContext() { owner_.context_ = saved_; }
    SavedContext(const SavedContext&) = delete;
    SavedContext& operator=(const SavedContext&) = delete;

   private:
    Elaborator& owner_;
    Context saved_;
  };

  // watched_truths.cpp
  void watch_truths();

  // collect_names.cpp
  void collect_names();
  void check_modified_once(List<Modification> list);
  void check_function_names(const Class& function);
  std::uint32_t add_entity(Entity entity);
  void check_element_names();

  // elaborator.cpp: order of work, reporting
  void check_overrides();
  Diagnostic& error(DiagnosticCode code, std::string message, SourceSpan span, std::string hint = {});
  /// Whether an error may be nothing but a consequence of what the parser could not read.
  [[nodiscard]] bool may_follow_from_damage(DiagnosticCode code, SourceSpan span) const;
  Value fail(DiagnosticCode code, std::string message, SourceSpan span, std::string hint = {});
  /// The value, or the phrase reported at the span.
  Value checked(ArrayResult result, SourceSpan span);
  [[nodiscard]] std::string quoted(Symbol name) const;
  [[nodiscard]] SourceSpan span_of(ExpressionId id) const { return ast_[id].span; }
  [[nodiscard]] RelationContext relation_context(SourceSpan span) const;
  /// Counts work whose amount the text controls; false (reported once) when the limit is reached.
  [[nodiscard]] bool spend(double amount, SourceSpan span);

  // declarations.cpp
  struct ResolvedType {
    flat::Type type = flat::Type::real;
    bool failed = false;
    std::vector<const Modification*> modifications;
    std::vector<ExpressionId> dimensions;
  };
  [[nodiscard]] ResolvedType resolve_type(Symbol name, SourceSpan span);
  void declare(std::uint32_t entity);
  [[nodiscard]] std::optional<Shape> declared_shape(const Entity& entity,
                                                    const std::vector<ExpressionId>& dimensions);
  void create_parameters(Entity& entity);
  void create_variables(Entity& entity);
  void bind(std::uint32_t entity);
  void bind_parameter(Entity& entity);
  void bind_constants(Entity& entity, const Value& value);
  /// The value that a parameter or an element has from outside; null: none.
  [[nodiscard]] const ParameterSetting* setting_of(const Entity& entity, std::string_view name) const;
  void apply_overrides(const Entity& entity);
  void apply_setting(Entity& entity, const ParameterSetting& setting);
  void declaration_equation(const Entity& entity, EquationSink& sink);
  void give_default_values();
  [[nodiscard]] bool says_not_fixed(const Entity& entity);
  void free_parameter_equations(const Entity& entity);
  /// Refuses a component prefix or form that the language does not have.
  [[nodiscard]] bool check_component(const Component& component);

  // attributes.cpp
  void bind_attributes(Entity& entity);
  void apply_attribute(Entity& entity, const Modification& modification);
  void apply_state_select(Entity& entity, const Modification& modification);
  void apply_text_attribute(Entity& entity, std::string_view name, const std::string& text);
  [[nodiscard]] std::shared_ptr<const flat::Declared>& declared_of(const Entity& entity, std::size_t element);
  void apply_number_attribute(Entity& entity, const Modification& modification, const Value& value);
  [[nodiscard]] bool check_attribute_shape(const Entity& entity, const Modification& modification,
                                           const Value& value);

  // compile_time.cpp
  /// The number a node has with the parameters as they are now; marks these as structural.
  [[nodiscard]] std::optional<double> evaluate_now(const Scalar& scalar, SourceSpan span,
                                                   std::string_view what);
  /// The value where it is known without making any more parameters structural: constants, and parameters that sizes are made of.
  [[nodiscard]] std::optional<double> settled_now(const Scalar& scalar, SourceSpan span);
  struct OperandsNow {
    std::array<NodeId, 3> ids;
    int n = 0;
  };
  [[nodiscard]] std::uint8_t& state_now(NodeId id);
  [[nodiscard]] std::optional<OperandsNow> operands_now(NodeId id, SourceSpan span, std::string_view what);
  [[nodiscard]] bool visit_operands(NodeId id, const OperandsNow& operands, std::vector<NodeId>& stack,
                                    SourceSpan span, std::string_view what);
  [[nodiscard]] double value_now(NodeId id, const OperandsNow& operands) const;
  [[nodiscard]] std::optional<Index> integer_now(ExpressionId id, std::string_view what);
  void find_parameter_cycles();
  [[nodiscard]] flat::NodeVariability variability(const Scalar& scalar);
  [[nodiscard]] flat::NodeVariability variability(const Value& value);

  // names.cpp
  [[nodiscard]] const Local* find_local(Symbol name) const;
  [[nodiscard]] std::optional<std::uint32_t> find_entity(Symbol name) const;
  [[nodiscard]] Symbol joined_symbol(std::span<const NamePart> parts) const;
  [[nodiscard]] Value lower_name(ExpressionId id);
  [[nodiscard]] Value unknown_name(std::string_view name, SourceSpan span);
  [[nodiscard]] Value entity_value(std::uint32_t entity, SourceSpan span, List<ExpressionId> subscripts);
  [[nodiscard]] Value chosen_elements(const Entity& entity, SourceSpan span, List<ExpressionId> subscripts);
  [[nodiscard]] std::string suggestion(std::string_view name) const;

  // subscripts.cpp
  /// One subscript: the chosen positions from 0, and whether the dimension is kept.
  struct Selection {
    std::vector<Index> positions;
    bool keeps_dimension = false;
    bool failed = false;
  };
  [[nodiscard]] Selection selection(ExpressionId id, Index size, std::size_t dimension,
                                    std::string_view name);
  /// The position of the element if all subscripts are known single numbers in range (the common case, without
  /// allocation); nothing if they must be looked at more closely or, with `failed`, if one is wrong and reported.
  [[nodiscard]] std::optional<std::size_t> single_element(const Shape& shape, List<ExpressionId> subscripts,
                                                          bool& failed);
  /// Positions of the chosen elements in row-major order and the shape they have.
  struct ElementSelection {
    Shape shape;
    std::vector<std::size_t> positions;
    bool failed = false;
  };
  [[nodiscard]] ElementSelection select_elements(const Shape& shape, List<ExpressionId> subscripts,
                                                 SourceSpan span, std::string_view name);
  [[nodiscard]] Value subscripted(const Value& value, List<ExpressionId> subscripts, SourceSpan span,
                                  std::string_view name);

  // expressions.cpp
  [[nodiscard]] Value lower(ExpressionId id);
  [[nodiscard]] Value lower_kind(ExpressionId id, const Expression& expression);
  [[nodiscard]] Value lower_unary(ExpressionId id, const Expression& expression);
  [[nodiscard]] Value lower_binary(ExpressionId id, const Expression& expression);
  [[nodiscard]] Value lower_chain(ExpressionId id);
  [[nodiscard]] Value lower_logical_chain(ExpressionId id);
  [[nodiscard]] Value lower_relation(ExpressionId id, const Expression& expression);
  [[nodiscard]] Value lower_conditional(ExpressionId id);
  [[nodiscard]] Value lower_range(ExpressionId id);
  [[nodiscard]] Value combine_checked(Operator op, const Value& a, const Value& b, SourceSpan span);
  [[nodiscard]] Value equality(bool negated, const Value& a, const Value& b, SourceSpan span);
  [[nodiscard]] Scalar lower_condition(ExpressionId id, std::string_view what);
  [[nodiscard]] bool merge_types(Value& a, Value& b, SourceSpan span);
  [[nodiscard]] bool check_finite(const Value& value, SourceSpan span);

  // array_expressions.cpp
  [[nodiscard]] Value lower_array(ExpressionId id);
  [[nodiscard]] Value stacked(std::vector<Value> parts, SourceSpan span);
  [[nodiscard]] Value lower_matrix(ExpressionId id);
  [[nodiscard]] Value lower_comprehension(ExpressionId body, std::span<const Iterator> iterators,
                                          SourceSpan span);
  /// Runs `visit` with the iterators set to each combination, the last one fastest; false if a range is wrong.
  bool iterate(std::span<const Iterator> iterators, const std::function<bool()>& visit);
  [[nodiscard]] Value lower_reduction(Intrinsic intrinsic, ExpressionId body,
                                      std::span<const Iterator> iterators, SourceSpan span);

  // intrinsic_calls.cpp, array_intrinsics.cpp, event_intrinsics.cpp, total_derivative.cpp
  [[nodiscard]] Value lower_call(ExpressionId id);
  [[nodiscard]] Value lower_intrinsic(Intrinsic intrinsic, ExpressionId id, const Call& call);
  [[nodiscard]] Value elementary(const IntrinsicInfo& info, const std::vector<Value>& arguments,
                                 SourceSpan span);
  [[nodiscard]] Value discontinuous(Intrinsic intrinsic, const std::vector<Value>& arguments,
                                    const Call& call, SourceSpan span);
  [[nodiscard]] Value extremum(Intrinsic intrinsic, const std::vector<Value>& arguments, const Call& call,
                               SourceSpan span);
  [[nodiscard]] Value quotient(Intrinsic intrinsic, const std::vector<Value>& arguments, const Call& call,
                               SourceSpan span);
  [[nodiscard]] Value array_intrinsic(Intrinsic intrinsic, const std::vector<Value>& arguments,
                                      const Call& call, SourceSpan span);
  [[nodiscard]] Value new_array(Intrinsic intrinsic, const std::vector<Value>& arguments, const Call& call,
                                SourceSpan span);
  [[nodiscard]] Value direction_of(const std::vector<Value>& values, const Call& call, SourceSpan span);
  [[nodiscard]] Value skew_matrix(const Value& x, const Call& call, SourceSpan span);
  [[nodiscard]] Value vector_product(Intrinsic intrinsic, const std::vector<Value>& arguments,
                                     const Call& call, SourceSpan span);
  /// Whether the arguments fit; if not, what is needed is reported.
  [[nodiscard]] bool needs_shape(bool fits, std::string_view what, const Value& given, const Call& call,
                                 SourceSpan span);
  [[nodiscard]] std::optional<Shape> shape_arguments(const std::vector<Value>& arguments, std::size_t first,
                                                     const Call& call);
  /// Arguments of assert or terminate: condition (true for terminate), message and level.
  struct MessageCall {
    Scalar condition;
    std::string text;
    bool is_warning = false;
  };
  void add_function_assertion(const MessageCall& message, SourceSpan span);
  /// A variable of a function has a size before it has a value.
  Value lower_for_shape(ExpressionId id);
  [[nodiscard]] Value size_of(const std::vector<Value>& arguments, const Call& call, SourceSpan span);
  [[nodiscard]] Value event_intrinsic(Intrinsic intrinsic, ExpressionId id, const Call& call);
  [[nodiscard]] Value derivative(const Value& argument, SourceSpan span);
  struct Jump {
    std::string reason;
    std::string hint;
  };
  /// Why the value may jump while the model runs; nothing if it is continuous. The variables it depends on are noted
  /// as differentiated.
  [[nodiscard]] std::optional<Jump> find_jump(NodeId root);
  [[nodiscard]] Value previous(ExpressionId argument, SourceSpan span, std::string_view function);
  [[nodiscard]] Value sample(const Call& call, SourceSpan span);
  [[nodiscard]] Value homotopy(const Call& call, SourceSpan span);
  [[nodiscard]] Value smooth_or_no_event(Intrinsic intrinsic, const Call& call, SourceSpan span);
  [[nodiscard]] bool check_numbers(const std::vector<Value>& arguments, const Call& call);

  // interpolation.cpp
  struct TableCall;
  [[nodiscard]] Value lower_interpolate(const Call& call, SourceSpan span);
  [[nodiscard]] std::optional<std::vector<Numbers>> table_rows(const Value& data, SourceSpan span);
  [[nodiscard]] std::optional<std::vector<Numbers>> file_rows(const std::string& name, SourceSpan span,
                                                              std::vector<std::string>& names);
  [[nodiscard]] bool read_table_option(const Argument& argument, TableCall& table);
  [[nodiscard]] bool check_points(std::string_view argument, const Numbers& points, const TableCall& table);
  [[nodiscard]] const flat::Pieces& pieces(const Numbers& points, const std::vector<Numbers>& columns,
                                           flat::Interpolation rule);
  [[nodiscard]] NodeId interpolant_of(const flat::Pieces& pieces, std::size_t column, const Scalar& argument,
                                      SourceSpan span);
  [[nodiscard]] Scalar interpolate_line(const TableCall& table, const Scalar& x, SourceSpan span);
  [[nodiscard]] Scalar interpolate_plane(const TableCall& table, const Scalar& x, const Scalar& y,
                                         SourceSpan span);

  // functions.cpp
  struct InlinedOutputs {
    std::vector<Value> values;
    bool failed = false;
  };
  [[nodiscard]] InlinedOutputs inline_function(const Class& function, const Call& call, SourceSpan span);
  struct GivenInputs {
    std::vector<const Component*> inputs;
    std::vector<std::optional<Value>> values;
    std::vector<SourceSpan> spans;
  };
  [[nodiscard]] bool match_arguments(const Class& function, const Call& call, SourceSpan span,
                                     GivenInputs& given);
  [[nodiscard]] InlinedOutputs inline_given(const Class& function, GivenInputs given, SourceSpan span);
  [[nodiscard]] bool declare_local(const Component& component, std::optional<Value> given, SourceSpan span);
  [[nodiscard]] bool fits_declaration(const Component& component, Value& value, SourceSpan span);
  [[nodiscard]] Value call_function(const Class& function, const Call& call, SourceSpan span);

  /// What the variables of a function name, by their positions among its components.
  struct VariableOrder {
    std::vector<std::size_t> in_text;  ///< inputs first
    bool is_text_order = true;         ///< each comes after what it names
    std::vector<std::vector<std::size_t>> of_size;
    std::vector<std::vector<std::size_t>> of_value;
  };
  struct OrderInWork {
    enum class State : std::uint8_t { open, running, done };
    std::vector<State> state;
    std::vector<std::size_t> order;
  };
  const VariableOrder& order_of(const Class& function);
  [[nodiscard]] bool add_in_order(const Class& function, const std::vector<bool>& given, std::size_t variable,
                                  OrderInWork& work);
  [[nodiscard]] std::optional<std::vector<std::size_t>> variables_in_order(const Class& function,
                                                                           const GivenInputs& given);

  // given_derivatives.cpp
  struct FunctionInput {
    const Component* component = nullptr;
    Value value;
  };
  /// Of derivative annotations that are used.
  static constexpr int kHighestGivenOrder = 2;
  struct GivenDerivative {
    const Class* function = nullptr;
    const Modification* annotation = nullptr;
    int order = 1;
    std::vector<Symbol> resting;     ///< inputs without a derivative among the inputs of the function
    std::vector<Symbol> not_moving;  ///< those of them that may change all the same
  };
  /// What is known of the rates of the outputs of a call.
  struct Rates {
    std::vector<Value> values;                ///< of the inputs
    std::vector<Shape> shapes;                ///< of the derivatives of inputs
    std::vector<NodeId> numbers;              ///< whose derivatives these are; invalid: it rests
    std::size_t n_outputs = 0;                ///< numbers of Real outputs
    std::vector<Scalar> rests;                ///< of each number of the outputs
    std::vector<std::vector<Scalar>> slopes;  ///< of each number of the outputs along `numbers`
  };
  void give_rates(const Class& function, const std::vector<FunctionInput>& inputs, InlinedOutputs& outputs);
  [[nodiscard]] std::optional<GivenDerivative> read_derivative(const Class& function,
                                                               const Modification& annotation);
  [[nodiscard]] std::optional<GivenDerivative> find_derivative(const Class& function, int order,
                                                               const std::vector<FunctionInput>& inputs);
  [[nodiscard]] bool fits_derivative(const Class& function, const GivenDerivative& given,
                                     const std::vector<Symbol>& moving);
  [[nodiscard]] std::optional<std::vector<Scalar>> derivative_numbers(
      const GivenDerivative& given, const Rates& rates, const std::vector<std::vector<double>>& derivatives);
  [[nodiscard]] bool find_slopes(const GivenDerivative& given, Rates& rates);
  void compare_with_own(const GivenDerivative& given, const InlinedOutputs& outputs, const Rates& rates);
  [[nodiscard]] bool is_own_rate(const Scalar& value, const Scalar& rest, const std::vector<Scalar>& slopes,
                                 const Rates& rates);
  void warn_of_another_derivative(const GivenDerivative& given);
  void warn_unused_derivative(const Modification& annotation, std::string message);
  [[nodiscard]] bool find_second_slopes(const GivenDerivative& first, Rates& rates);
  struct SecondSlopes;
  [[nodiscard]] bool find_curvature(const GivenDerivative& second, const Rates& rates, SecondSlopes& slopes);
  struct Term {
    double factor = 1.0;
    Scalar value;
  };
  [[nodiscard]] bool is_sum_everywhere(const Scalar& whole, const std::vector<Term>& terms);
  [[nodiscard]] Scalar with_rate(const Scalar& value, const Scalar& rest, const std::vector<Scalar>& slopes,
                                 const Rates& rates);

  // statements.cpp
  enum class Flow { next, broken, returned, failed };
  [[nodiscard]] Flow execute(std::span<const Statement> statements);
  [[nodiscard]] Flow execute_one(const Statement& statement);
  [[nodiscard]] Flow execute_assignment(const Statement& statement);
  [[nodiscard]] bool assign(ExpressionId target, Value value, SourceSpan span);
  [[nodiscard]] Flow execute_if(const Statement& statement);
  [[nodiscard]] Flow execute_runtime_if(const Statement& statement, std::size_t first,
                                        const Scalar& condition);
  [[nodiscard]] Flow execute_for(const Statement& statement);
  [[nodiscard]] Flow execute_while(const Statement& statement);
  [[nodiscard]] bool leaves(std::span<const Statement> statements) const;

  // equations.cpp, if_equations.cpp
  void lower_equations(std::span<const Statement> statements, EquationSink& sink);
  void lower_equation(const Statement& statement, EquationSink& sink);
  void lower_tuple_equation(const Statement& statement, EquationSink& sink);
  void add_equations(const Value& left, const Value& right, SourceSpan span, EquationSink& sink);
  void note_discrete_equation(const flat::Equation& equation, bool is_real);
  [[nodiscard]] bool check_sides(Value& left, Value& right, SourceSpan span);
  void lower_if(const Statement& statement, EquationSink& sink);
  void lower_runtime_if(const Statement& statement, std::size_t first, EquationSink& sink);
  void merge_branches(const Statement& statement, const std::vector<Scalar>& conditions,
                      std::vector<std::vector<flat::Equation>>& branches, EquationSink& sink);
  void lower_call_statement(const Statement& statement, EquationSink& sink);
  void lower_contact(const Call& call, SourceSpan span, EquationSink& sink);
  [[nodiscard]] std::optional<MessageCall> message_call(const Call& call, SourceSpan span);
  [[nodiscard]] std::optional<bool> is_warning_level(ExpressionId id);
  void tell_failed_assertion(const MessageCall& message, SourceSpan span);
  /// The chosen branch if all conditions up to it are known from parameters; npos: none holds; nothing: undecided.
  struct BranchChoice {
    std::optional<std::size_t> chosen;
    bool decided = false;
    bool failed = false;
  };
  [[nodiscard]] BranchChoice choose_branch(const Statement& statement);

  // when_clauses.cpp, bodies.cpp
  void lower_when(const Statement& statement, EquationSink& sink);
  [[nodiscard]] bool is_initial_call(ExpressionId id) const;
  void lower_when_condition(ExpressionId id, flat::WhenBranch& branch);
  struct DeferredBody {
    std::span<const Statement> statements;
    std::vector<Local> locals;
    Context context;
    std::function<flat::Body&(flat::Model&)> place;
    std::size_t clause = 0;  ///< number of the clause or transition, for the rule that a variable is set once
    SourceSpan span;
  };
  void defer_body(std::span<const Statement> statements, std::size_t clause,
                  std::function<flat::Body&(flat::Model&)> place, SourceSpan span);
  void lower_bodies();
  /// A body that is being lowered; the maps give the place of a variable in the lists.
  struct OpenBody : flat::Body {
    std::unordered_map<std::uint32_t, std::size_t> assignment_of;
    std::unordered_map<std::uint32_t, std::size_t> reinit_of;
  };
  void lower_body(std::span<const Statement> statements, const Scalar& path, OpenBody& body);
  void lower_body_equation(const Statement& statement, OpenBody& body);
  void add_body_equations(const Value& left, const Value& right, SourceSpan span, OpenBody& body);
  void lower_body_call(const Statement& statement, const Scalar& path, OpenBody& body);
  void lower_reinit(const Call& call, SourceSpan span, OpenBody& body);
  void lower_body_if(const Statement& statement, std::size_t first, const Scalar& path, OpenBody& body);
  void merge_bodies(const Scalar& condition, OpenBody& chosen, OpenBody& other, SourceSpan span,
                    OpenBody& body);
  void merge_assignments(const Scalar& condition, const OpenBody& chosen, const OpenBody& other,
                         bool is_reinit, OpenBody& body);
  void check_body(const flat::Body& body);
  void set_in_body(flat::Body::Assignment assignment, bool is_reinit, OpenBody& body);
  void note_setter(VariableId variable, std::size_t clause, SourceSpan span);
  void find_discrete_reals();
  void scan_when_targets(std::span<const Statement> statements, bool in_when);
  void mark_when_target(ExpressionId target);

  // modes.cpp
  void collect_modes();
  void lower_modes();
  void lower_transition(const lang::Transition& transition, ModeId from);
  void lower_initial_mode();
  void check_own_variables();
  /// Own variables of the mode entered that need a value and get none.
  void check_entry_values(const flat::Transition& transition, std::vector<bool>& reported);
  [[nodiscard]] std::optional<ModeId> find_mode(Symbol name, SourceSpan span);
  [[nodiscard]] Scalar mode_choice(ExpressionId id);

  // annotations.cpp
  void lower_annotations();
  void lower_annotation_list(std::span<const Modification> annotations, ModeId mode);
  void lower_experiment(const Modification& modification);
  void lower_options(const Modification& modification, ModeId mode);

  const Ast& ast_;
  const Class& main_;
  const CompileOptions& options_;
  const Damage& damage_;
  Diagnostics& diagnostics_;
  Diagnostic unsaid_;  ///< what error() returns for an error that is not reported
  flat::Model model_;
  Arithmetic arithmetic_;
  flat::VariabilityOfNodes variability_;
  ConditionTable conditions_;
  expr::TaylorExpansion total_derivatives_;

  std::vector<Entity> entities_;
  std::vector<std::uint32_t> entity_of_symbol_;  ///< kNoEntity where a symbol names nothing
  std::unordered_map<std::string_view, Symbol> dotted_symbols_;
  struct OwnEntities {
    std::vector<std::pair<Symbol, std::uint32_t>> in_order;
    std::unordered_map<std::uint32_t, std::uint32_t> of_symbol;
  };
  std::vector<OwnEntities> own_entities_;  ///< of each mode
  std::vector<Intrinsic> intrinsic_of_symbol_;
  using TableKey = std::tuple<Numbers, std::vector<Numbers>, flat::Interpolation>;
  std::map<TableKey, flat::Pieces> tables_;
  std::vector<std::uint32_t> entity_of_parameter_;
  std::vector<std::uint32_t> entity_of_variable_;
  std::unordered_map<std::string_view, const ParameterSetting*> overrides_;  // of options_

  std::set<const Modification*> seen_derivatives_;      ///< annotations looked at
  std::set<const Modification*> compared_derivatives_;  ///< those that are told to be others
  int given_depth_ = 0;                                 ///< calls of derivative functions within each other
  std::vector<Local> locals_;
  Context context_;
  std::vector<Index> end_sizes_;  ///< what `end` means, innermost last
  int depth_ = 0;
  int inlining_depth_ = 0;
  std::vector<Scalar> function_path_;  ///< what holds where a statement of a function stands
  int declaration_depth_ = 0;
  double work_ = 0.0;
  bool limit_reported_ = false;
  bool depth_reported_ = false;
  std::int64_t total_elements_ = 0;

  std::vector<bool> is_differentiated_;  ///< by symbol: der(name) occurs
  std::vector<bool> is_when_target_;     ///< by symbol: alone on the left in a when clause
  std::vector<double> evaluated_;        ///< of evaluate_now: by node
  std::vector<std::uint8_t> evaluation_state_;

  struct Setter {
    std::size_t clause = 0;
    ModeId mode;
    SourceSpan span;
  };
  std::vector<std::vector<Setter>> setters_;  ///< by variable; several only where modes keep them apart
  std::size_t current_clause_ =
      0;  ///< 0: equations; kTransitionClause: transitions; others number the when clauses
  std::size_t n_clauses_ = 0;
  std::unordered_map<const Class*, VariableOrder> orders_;
  std::vector<DeferredBody> bodies_;
};

inline constexpr std::uint32_t kNoEntity = 0xffffffffU;

}  // namespace saltus::lang

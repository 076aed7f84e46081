/// From classes to one flat model text.
///
/// The parts of the class call each other in all directions (a size needs the value of a parameter, which needs a name,
/// which needs a class that a modification redeclares), so it is one; its functions are grouped by the chapters of the
/// Modelica specification that they implement, each group in the file named beside it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/instance/class_tree.hpp"
#include "lang/instance/flat_writer.hpp"
#include "lang/instance/instance.hpp"
#include "lang/instance/known_value.hpp"
#include "lang/instance/references.hpp"
#include "lang/instance/subtypes.hpp"

namespace saltus::lang {

/// A model of the flattened language, and what was decided while it was made.
struct FlatText {
  std::string text;
  std::vector<Origin> origins;
  std::set<std::string> structural;  ///< parameters whose values it depends on; they are final in it
  std::map<std::string, std::string>
      types;  ///< full names of the types of components that are none of the language
};

/// The value that a parameter has from outside.
using KnownSettings = std::map<std::string, KnownValue, std::less<>>;

class Instantiator {
 public:
  Instantiator(ClassTree& tree, Reports& reports, const KnownSettings& settings);

  /// Nothing if errors were reported.
  std::optional<FlatText> flatten(ClassDef& model);

 private:
  // lookup.cpp (Modelica 5.3)
  struct Found {
    Instance* holder = nullptr;
    Element* element = nullptr;
    BuiltIn built_in = BuiltIn::none;
    bool from_enclosing = false;  ///< of another class around the one in which the name stands
    explicit operator bool() const { return element != nullptr || built_in != BuiltIn::none; }
  };
  Found find_simple(Name name, Context from);
  Element* find_visible(Instance& instance, std::uint32_t part, Name name);
  Element* find_member(Instance& instance, Name name);
  Found find_import(const Part& part, Name name);
  Found find_from_top(std::string_view path);
  Element* read_class(Instance& instance, std::uint32_t part, std::uint32_t end, Name name);
  Instance& class_instance(Instance& holder, Element& element);
  struct FoundClass {
    ClassUse use;
    BuiltIn built_in = BuiltIn::none;
  };
  /// A class by its dotted name; nothing (reported) if there is none.
  std::optional<FoundClass> find_class(std::string_view path, Context from, FilePlace place);
  /// The class that a call names; null: a function of the language, or nothing.
  Instance* class_of_call(const ClassFile& file, const Call& call, Context from);
  [[nodiscard]] Instance* class_of_path(std::string_view path, Context from);
  [[nodiscard]] std::string where(Context context) const;

  // inheritance.cpp (Modelica 7.1)
  void expand(Instance& instance);
  std::uint32_t add_part(Instance& instance, const ClassUse& use, const Modifier* modifier, int depth);
  void add_base(Instance& instance, std::uint32_t part, std::string_view base, FilePlace place, Context from,
                const Modifier* modifier, int depth);
  void add_elements(Instance& instance, std::uint32_t part, const Modifier* modifier);
  void add_element(Instance& instance, std::uint32_t part, Element element, const Modifier* modifier);
  void replace_original(Element& element, Element& original);
  void split_inner_outer(Instance& instance, std::uint32_t part, Element& element, std::uint32_t offset);
  void apply_built_in(Instance& instance, BuiltIn type, const Modifier* modifier);
  void check_modified_names(const Instance& instance);
  [[nodiscard]] std::vector<Element*> in_order(Instance& instance);

  struct Target;
  // restrictions.cpp (Modelica 4.4, 4.7, 7.1, 7.3.3, 9.3)
  void check_base(const Instance& instance, std::uint32_t part, const ClassUse& base, FilePlace place);
  void check_simple_type(const Instance& instance);
  void check_redeclared(const Element& element, const Element& original);
  void check_duplicate(const Element& first, const Element& second);
  void check_prefixes(const Node& node);
  void check_protected(const Node& node);
  void check_redeclarable(const Element& element, FilePlace place);
  void check_outer(const Node& node);
  bool check_public(const Element& member, const std::string& path, FilePlace place);

  // modification.cpp (Modelica 7.2)
  const Modifier* modifier_of(const ClassFile& file, List<Modification> list, Context where);
  const Modifier* modifier_of(const ClassFile& file, const Modification& item, Context where);
  /// What both say; the outer one where they differ.
  const Modifier* merged(const Modifier* outer, const Modifier* inner);
  const Modifier* joined(const Modifier* first, const Modifier* second, const std::string& path);
  const Modifier* part_of(const Modifier* modifier, Name name) const;
  const Modifier* element_of(const Modifier* modifier, const std::vector<std::int64_t>& subscripts);
  const Modifier* member_of(const Modifier& record, const Element& member);
  Binding peeled(Binding binding);
  Instance* record_of(const ClassFile& file, const Call& call, Context from);
  static bool is_constructor_input(const Element& element);
  ExpressionId constructor_argument(const ClassFile& file, const Call& call, Instance& record, Name member);

  // redeclaration.cpp (Modelica 7.3)
  Redeclaration redeclared_after(const Redeclaration& outer, const Modifier& inner);
  const Component* with_prefixes_of(const Component& replaced, const Component& component);
  void redeclare(Element& element, const Redeclaration& redeclaration, const Modifier& modifier);
  void resize(Element& element, const Redeclaration& redeclaration);
  const Modifier* kept_modifier(const Element& element, bool is_replaced);

  // strings.cpp (Modelica 3.7.2)
  std::optional<KnownValue> evaluate_string(const ClassFile& file, const Call& call, Context from,
                                            const Locals* locals);
  bool gives_text(Target target, const ClassFile& file, const Statement& statement, Context from);
  bool is_known_text(Node& node);

  // subtypes.cpp (Modelica 6.3, 6.4)
  std::optional<KnownType> type_of(const TypeName& name);
  static TypeName declared_type(const Element& element);
  TypeName constraint_of(const Element& element);
  std::string misfit(const KnownType& given, const KnownType& wanted, bool compares_sizes);
  void note_replacement(const Element& element, TypeName given, TypeName wanted, FilePlace place);
  void check_replacements();
  void check_inner(Node& node);

  // enumerations.cpp (Modelica 4.9.5, 10.5)
  /// An enumeration, or null for a number; nothing: not known, or of another type.
  using ValueType = std::optional<const ClassDef*>;
  ValueType enumeration_of(const ClassFile& file, ExpressionId id, Context from, const Locals* locals);
  ValueType enumeration_of(const Binding& binding);
  ValueType enumeration_of_call(const ClassFile& file, const Call& call, Context from, const Locals* locals);
  static ValueType type_of_values(const Node& node);
  std::optional<const ClassDef*> type_of_size(const Size& size);
  [[nodiscard]] static std::int64_t n_values(const ClassDef* type);
  ValueType type_of_iterator(const ClassFile& file, const Iterator& iterator, Context from,
                             const Locals* locals);
  void check_enumerations(ValueType a, ValueType b, FilePlace place, std::string_view first,
                          std::string_view second);
  void check_given(const Node& node, const Binding& given, std::string_view what);
  void check_sides(Target target, const ClassFile& file, ExpressionId left, ExpressionId right, Context from);
  void check_alike(Target target, const ClassFile& file, std::span<const ExpressionId> list, Context from,
                   std::string_view what);
  void check_number(Target target, const ClassFile& file, ExpressionId id, Context from,
                    std::string_view what);
  void check_operands(Target target, const ClassFile& file, ExpressionId id, Context from);
  void check_calculation(Target target, const ClassFile& file, const Call& call, Context from);
  void check_argument_types(Target target, const ClassFile& file, const Call& call,
                            const std::vector<Node*>& inputs, Context from);
  void check_subscript(const Node& node, std::size_t dimension, const ClassFile& file, ExpressionId subscript,
                       Context from, const Locals* locals);

  // components.cpp (Modelica 4.4, 5.4)
  Node& node_of(Instance& holder, Element& element);
  void make_node(Node& node);
  bool find_inner(Node& node);
  bool add_inner(Node& node);
  bool is_left_out(Node& node);
  bool evaluate_shape(Node& node, const std::vector<Size>& sizes);
  Instance& make_instance(const ClassUse& use, const Modifier* modifier, Node& node, std::string path);
  bool check_type(Node& node, const ClassDef& def);

  // evaluation.cpp: values that decide which components there are
  [[nodiscard]] static const Locals* find_local(const Locals* locals, Name name);
  std::optional<KnownValue> evaluate(const ClassFile& file, ExpressionId id, Context from,
                                     const Locals* locals);
  std::optional<KnownValue> evaluate_name(const ClassFile& file, ExpressionId id, Context from,
                                          const Locals* locals);
  std::optional<KnownValue> evaluate_call(const ClassFile& file, ExpressionId id, Context from,
                                          const Locals* locals);
  std::optional<KnownValue> evaluate_sizes(const ClassFile& file, const Call& call, Context from,
                                           const Locals* locals);
  std::optional<KnownValue> evaluate_chain(const ClassFile& file, ExpressionId id, Context from,
                                           const Locals* locals);
  std::optional<KnownValue> evaluate_range(const ClassFile& file, ExpressionId id, Context from,
                                           const Locals* locals);
  std::optional<KnownValue> evaluate_binding(const Binding& binding);
  std::optional<KnownValue> value_of(Node& node);
  [[nodiscard]] std::optional<KnownValue> setting_of(const Node& node) const;
  std::optional<KnownValue> size_value(const Size& size);
  std::optional<KnownValue> not_known(std::string reason, FilePlace place);
  /// The value, or an error that says what must be known.
  std::optional<KnownValue> decide(const ClassFile& file, ExpressionId id, Context from, const Locals* locals,
                                   std::string_view what);

  // loops.cpp (Modelica 11.2.2)
  std::optional<std::vector<KnownValue>> range_values(const ClassFile& file, const Iterator& iterator,
                                                      const LoopBody& body, Context from,
                                                      const Locals* locals);
  /// Of a loop without a range: its end as a text; nothing (reported) if it does not follow.
  std::optional<std::string> inferred_end(const ClassFile& file, const Iterator& iterator,
                                          const LoopBody& body, Context from, const Locals* locals);
  bool is_boolean_size(const Size& size);
  bool is_boolean_loop(const ClassFile& file, const Iterator& iterator, const LoopBody& body, Context from,
                       const Locals* locals);
  std::string subscripted_size(const ClassFile& file, const Subscripted& use, Context from,
                               const Locals* locals);
  void find_subscripted(const ClassFile& file, ExpressionId id, Name iterator,
                        std::vector<Subscripted>& found) const;
  void find_subscripted(const ClassFile& file, std::span<const Statement> list, Name iterator,
                        std::vector<Subscripted>& found) const;

  // references.cpp: what a name in an expression stands for
  std::optional<KnownValue> value_of(const Reference& reference, const ClassFile& file, Context from,
                                     const Locals* locals, FilePlace place);
  Reference resolve(const ClassFile& file, ExpressionId id, Context from, const Locals* locals,
                    const std::vector<Selector>& selectors = {});
  Reference selected(Reference of, const Selector& selector, const ClassFile& file, FilePlace place,
                     Context from, const Locals* locals);
  Reference resolve_steps(std::vector<NameStep> steps, const ClassFile& file, FilePlace place, Context from,
                          const Locals* locals);
  Reference resolve_class_member(const Found& found, std::span<const NameStep> steps, const ClassFile& file,
                                 FilePlace place, Context from, const Locals* locals);
  Reference resolve_in(Instance& holder, Element& element, std::span<const NameStep> steps,
                       const ClassFile& file, FilePlace place, Context from, const Locals* locals);
  Reference resolve_in_record(Node& node, std::span<const NameStep> steps, const ClassFile& file,
                              FilePlace place, Context from, const Locals* locals);
  Reference resolve_member(Node& node, Instance& instance, std::span<const NameStep> steps,
                           const ClassFile& file, FilePlace place, Context from, const Locals* locals);
  std::optional<Choice> choice(std::int64_t size, ExpressionId subscript, const ClassFile& file, Context from,
                               const Locals* locals, const std::string& path);
  std::optional<std::vector<Choice>> choices(const Node& node, const NameStep& step, const ClassFile& file,
                                             Context from, const Locals* locals);
  Reference resolve_elements(Node& node, const std::vector<Choice>& choices, std::size_t dimension,
                             std::size_t position, std::span<const NameStep> steps, const ClassFile& file,
                             FilePlace place, Context from, const Locals* locals);
  Reference unknown(const std::string& message, FilePlace place, std::string hint = {});

  // writing.cpp, calls.cpp: expressions in the names of the flat model
  struct Target {
    FlatWriter& out;
    const Locals* locals = nullptr;
  };
  void write(Target target, const ClassFile& file, ExpressionId id, Context from);
  void write_operand(Target target, const ClassFile& file, ExpressionId id, Context from);
  void write_list(Target target, const ClassFile& file, std::span<const ExpressionId> list, Context from,
                  std::string_view separator);
  void write_name(Target target, const ClassFile& file, ExpressionId id, Context from);
  bool is_known_constant(const ClassFile& file, ExpressionId id, Context from);
  void write_reference(Target target, const Reference& reference, const ClassFile& file, Context from,
                       FilePlace place);
  void write_subscripts(Target target, const std::vector<NameStep>& steps, const ClassFile& file,
                        Context from);
  void write_subscript(Target target, const NameStep& step, std::size_t dimension, const ClassFile& file,
                       ExpressionId subscript, Context from);
  void write_conditional(Target target, const ClassFile& file, ExpressionId id, Context from);
  void write_comprehension(Target target, const ClassFile& file, ExpressionId body,
                           std::span<const Iterator> iterators, Context from,
                           const std::vector<Selector>& selectors = {});
  void write_unrolled(Target target, const ClassFile& file, ExpressionId body,
                      std::span<const Iterator> iterators, Context from,
                      const std::vector<Selector>& selectors);
  void write_iterators(Target target, const ClassFile& file, std::span<const Iterator> iterators,
                       const LoopBody& body, Context from, std::deque<Locals>& locals);
  void write_binding(Target target, const Binding& binding);
  void write_call(Target target, const ClassFile& file, ExpressionId id, Context from);
  std::string message_text(const ClassFile& file, ExpressionId id, Context from, const Locals* locals);
  void write_arguments(Target target, const ClassFile& file, const Call& call, Context from);
  /// The function that a call means; null: one of the language, or none.
  Instance* function_of(const ClassFile& file, const Call& call, Context from);
  /// Of a function that stands for one of the language (external "builtin"); empty: it does not.
  [[nodiscard]] static std::string external_name(const Instance& function);
  std::string function_name(Instance& function);
  [[nodiscard]] std::string free_function_name(const Instance& function) const;
  /// A function of the flat model; with an output, one that returns this one alone.
  struct CalledFunction {
    Instance* function = nullptr;
    std::string name;
    const Node* output = nullptr;
  };
  void write_function(const CalledFunction& called);
  void write_derivatives(Instance& function, Target target);
  void write_function_variable(Node& node, CausalityPrefix role, bool has_value, const CalledFunction& called,
                               Target target);
  bool write_rewritten(Target target, const ClassFile& file, const Call& call, Context from);
  void write_cardinality(Target target, const ClassFile& file, const Call& call, Context from);
  [[nodiscard]] bool needs_unrolling(const ClassFile& file, ExpressionId id, Context from);
  [[nodiscard]] bool needs_unrolling(const ClassFile& file, List<Statement> body, Context from);
  bool chooses_component(const ClassFile& file, ExpressionId id, Context from);
  std::optional<std::size_t> chosen_branch(const ClassFile& file, std::span<const Branch> branches,
                                           Context from, const Locals* locals, bool& decided);
  [[nodiscard]] std::string iterator_name(Name name, Context from) const;

  // records.cpp, record_calls.cpp (Modelica 12.6)
  [[nodiscard]] std::string flat_name(const Node& node) const;
  std::vector<Leaf> leaves(Instance& record);
  /// Of the record, or the array of records, that an expression gives; nothing: it gives none.
  std::optional<std::vector<Leaf>> leaves_of(const ClassFile& file, ExpressionId id, Context from,
                                             const Locals* locals);
  [[nodiscard]] static std::vector<Selector> selectors_of(const Leaf& leaf);
  [[nodiscard]] std::string path_of(const Leaf& leaf) const;
  CausalityPrefix causality_of(Instance& function, Element& element);
  std::vector<Node*> interface_of(Instance& function, CausalityPrefix role);
  Instance& constructor_of(Instance& record);
  std::string name_for_leaf(Instance& function, const Leaf& leaf);
  std::string name_for_copy(const std::vector<Leaf>& of);
  /// One leaf of an expression that is no name and no condition; all selectors are members.
  void write_leaf(Target target, const Binding& binding);
  void write_leaf_of_call(Target target, const Binding& binding);
  void write_function_arguments(Target target, const ClassFile& file, const Call& call, Instance& function,
                                Context from);
  // record_values.cpp (Modelica 6.7, 12.6)
  void note_constructor(const ClassFile& file, const Call& call, Instance* record);
  void check_construction(const Construction& made);
  bool has_value(Node& member);
  void check_values();
  void check_record_value(Node& node, const Instance& record);
  std::optional<std::vector<Leaf>> leaves_of(const Binding& binding);
  void check_constant(Node& constant, const Binding& given, const Locals* locals);

  // value_shapes.cpp (Modelica 7.2.5)
  using Shape = std::vector<std::int64_t>;
  std::optional<Shape> shape_of_value(const ClassFile& file, ExpressionId id, Context from,
                                      const Locals* locals);
  std::optional<Shape> shape_of_operation(const ClassFile& file, ExpressionId id, Context from,
                                          const Locals* locals);
  std::optional<Shape> shape_of_call(const ClassFile& file, const Call& call, Context from,
                                     const Locals* locals);
  std::optional<Shape> shape_of_reference(const Reference& reference, const ClassFile& file, Context from,
                                          const Locals* locals);
  void check_sizes(Node& node, const Modifier& modifier, const std::string& path);
  void check_size(Node& node, const Binding& given, const std::string& path);
  void write_sizes_to_ask();

  bool check_same_leaves(const std::vector<Leaf>& left, const std::vector<Leaf>& right, FilePlace place);
  bool write_record_equation(Target target, const ClassFile& file, const Statement& statement, Context from);
  bool write_record_assignment(Target target, const ClassFile& file, const Statement& statement,
                               Context from);
  bool write_record_tuple(Target target, const ClassFile& file, const Statement& statement, Context from,
                          std::string_view sign);
  std::string size_of_record(const Reference& record, std::size_t dimension);
  bool write_size(Target target, const ClassFile& file, const Call& call, Context from);

  // equations.cpp (Modelica 8)
  void write_equations(Instance& instance);
  void write_statements(Target target, const ClassFile& file, std::span<const Statement> list, Context from);
  void write_statement(Target target, const ClassFile& file, const Statement& statement, Context from);
  void write_equation(Target target, const ClassFile& file, const Statement& statement, Context from);
  void write_if(Target target, const ClassFile& file, const Statement& statement, Context from);
  void write_for(Target target, const ClassFile& file, const Statement& statement, Context from);
  void for_each_value(const ClassFile& file, std::span<const Iterator> iterators, const LoopBody& body,
                      Context from, const Locals* locals, const std::function<void(const Locals*)>& visit);

  // start_values.cpp (Modelica 8.6)
  void write_initial_algorithm(const ClassFile& file, std::span<const Statement> list, Context from);
  bool write_simple_initial_algorithm(const ClassFile& file, std::span<const Statement> list, Context from);
  bool find_targets(const ClassFile& file, std::span<const Statement> list, Context from,
                    std::vector<Node*>& targets);
  bool write_interface(FlatWriter& out, Node& node, std::string_view role);
  void write_value_of_algorithm(const FlatWriter& body, Node& target, const std::vector<Node*>& targets,
                                const std::vector<Node*>& inputs, FilePlace place);
  bool is_start_equation(Target target, const ClassFile& file, const Statement& statement, Context from,
                         std::vector<Node*>& targets);
  void write_start_equations();
  /// Whether the start determines its value (fixed = false), or that of one that it is given by.
  bool is_free_parameter(Node& node);
  bool write_sample(Target target, const ClassFile& file, const Call& call, Context from);
  void write_clocks();

  // connections.cpp (Modelica 9)
  /// A scalar of a connector, seen from around its component or, of a flow, from inside it.
  struct Wire {
    Node* node = nullptr;
    std::size_t element = 0;
    bool inside = true;
  };
  void collect_connections(Instance& instance);
  void collect_connections(const ClassFile& file, std::span<const Statement> list, Context from,
                           const Locals* locals);
  void connect(const ClassFile& file, const Statement& statement, Context from, const Locals* locals);
  struct End {
    Node* node = nullptr;               ///< of a primitive
    Instance* instance = nullptr;       ///< of a composite
    std::vector<std::size_t> elements;  ///< of a primitive: which
    bool inside = true;
    Node* owner = nullptr;
  };
  bool ends_of(const Reference& reference, const ClassFile& file, ExpressionId id, Context from,
               const Locals* locals, std::vector<End>& ends);
  void check_connected_place(const Reference& reference, FilePlace place, Context from);
  static std::string prefix_conflict(const End& left, const End& right);
  void connect_ends(const End& left, const End& right, FilePlace place);
  [[nodiscard]] bool has_connections(const ClassFile& file, std::span<const Statement> list) const;
  std::size_t wire(const Wire& wire, FilePlace place);
  void join_wires(std::size_t a, std::size_t b);
  std::size_t source_of(const std::vector<std::size_t>& set);
  void add_flow_faces(Instance& instance, bool in_connector);
  std::optional<std::vector<std::int64_t>> shape_of(Node& node);
  /// Nothing (reported once) where it has too many elements to be connected.
  std::optional<std::vector<std::int64_t>> connected_shape(Node& node);
  void write_connections();
  [[nodiscard]] std::string wire_text(const Wire& wire);

  // flattening.cpp: order of work
  void visit_components(Instance& instance);
  void write_called_functions();
  void write_declarations(Instance& instance);
  void write_declaration(Node& node);
  void write_attributes(Node& node, Target target);
  void write_state_select(const Binding& binding, Target target);
  void write_type_and_name(Node& node, std::string_view name, Target target);
  void write_sizes(std::span<const Size> sizes, Target target);
  void write_text_of(FlatWriter& out, const ClassFile& file, SourceSpan span);
  bool spend_component(const Node& node);

  [[nodiscard]] Name name(const ClassFile& file, Symbol symbol) const { return file.names[symbol.index()]; }
  [[nodiscard]] const std::string& text(Name name) const { return tree_.text(name); }
  Modifier& new_modifier() { return modifiers_.emplace_back(); }

  ClassTree& tree_;
  Reports& reports_;
  const KnownSettings& settings_;
  std::deque<Instance> instances_;
  std::deque<Node> nodes_;
  std::deque<Modifier> modifiers_;
  std::deque<ClassUse> uses_;
  std::deque<Component> split_components_;  ///< with other prefixes than those written
  std::vector<Replacement> replacements_;
  std::deque<Element> originals_;  ///< that were redeclared
  Instance* top_ = nullptr;
  Instance* root_ = nullptr;
  std::size_t n_components_ = 0;
  bool limit_told_ = false;
  int n_in_work_ = 0;  ///< classes whose elements are being found

  std::set<std::string> structural_;
  std::map<std::string, std::string> types_;
  std::unordered_set<const Node*> evaluating_;
  std::unordered_map<const Node*, std::optional<KnownValue>> known_values_;
  std::vector<std::int64_t> end_sizes_;  ///< what `end` means, innermost last
  std::string unknown_reason_;
  FilePlace unknown_place_;
  int may_be_left_out_ = 0;    ///< > 0: what names a component that is left out may be taken back …
  bool met_left_out_ = false;  ///< … and one was named

  std::vector<Node*>* mentioned_ = nullptr;  ///< where what is written is noted; null: nowhere
  bool in_when_condition_ = false;
  std::map<const Node*, std::string> given_at_start_;  ///< parameters that an initial algorithm gives
  int n_start_functions_ = 0;
  bool in_algorithm_ = false;  ///< of a model
  bool mentions_time_ = false;
  bool writes_start_equations_ = false;
  /// An initial equation that may give parameters their values.
  struct StartEquation {
    const ClassFile* file = nullptr;
    const Statement* statement = nullptr;
    Context from;
    std::vector<Node*> targets;
  };
  std::vector<StartEquation> start_equations_;
  std::vector<FreeClock> clocks_;
  FlatWriter samples_;  ///< their declarations
  int n_samples_ = 0;

  FlatWriter functions_;
  FlatWriter declarations_;
  FlatWriter initial_equations_;
  FlatWriter equations_;
  std::unordered_map<const Instance*, std::string> function_names_;
  std::vector<CalledFunction> functions_to_write_;
  std::unordered_map<const Instance*, Instance*> constructors_;
  std::map<std::pair<const Instance*, std::string>, std::string> leaf_functions_;
  std::vector<Construction> constructions_;
  std::set<std::pair<const Call*, const Instance*>> noted_constructions_;
  std::size_t n_checked_constructions_ = 0;
  std::vector<Node*> composites_;  ///< components with values or sizes to be checked
  std::size_t n_checked_composites_ = 0;
  std::vector<SizeToAsk> sizes_to_ask_;        ///< that only elaboration knows
  std::map<std::string, std::string> copies_;  ///< functions that return their arguments, by their inputs
  std::unordered_map<std::string, int> taken_names_;
  std::unordered_map<std::string, Node*> constants_;
  std::vector<Node*> constants_in_order_;

  std::vector<Wire> wires_;
  std::vector<std::size_t> wire_sets_;  ///< union-find over wires
  std::vector<FilePlace> wire_places_;
  std::map<std::tuple<const Node*, std::size_t, bool>, std::size_t> wire_of_;
  std::unordered_set<const Node*> passed_on_;            ///< connected inside their own component
  std::unordered_map<std::string, int> connections_of_;  ///< by the path of the connector
};

}  // namespace saltus::lang

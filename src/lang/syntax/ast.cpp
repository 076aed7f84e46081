#include "lang/syntax/ast.hpp"

namespace saltus::lang {

std::string_view to_string(Operator op) {
  switch (op) {
    case Operator::none: return "";
    case Operator::add: return "+";
    case Operator::subtract: return "-";
    case Operator::multiply: return "*";
    case Operator::divide: return "/";
    case Operator::power: return "^";
    case Operator::elementwise_add: return ".+";
    case Operator::elementwise_subtract: return ".-";
    case Operator::elementwise_multiply: return ".*";
    case Operator::elementwise_divide: return "./";
    case Operator::elementwise_power: return ".^";
    case Operator::less: return "<";
    case Operator::less_equal: return "<=";
    case Operator::greater: return ">";
    case Operator::greater_equal: return ">=";
    case Operator::equal: return "==";
    case Operator::not_equal: return "<>";
    case Operator::logical_and: return "and";
    case Operator::logical_or: return "or";
    case Operator::logical_not: return "not";
  }
  return "";
}

std::string_view to_string(ClassKind kind) {
  switch (kind) {
    case ClassKind::model: return "model";
    case ClassKind::block: return "block";
    case ClassKind::record: return "record";
    case ClassKind::connector: return "connector";
    case ClassKind::package: return "package";
    case ClassKind::function: return "function";
    case ClassKind::type: return "type";
  }
  return "class";
}

const Class* Ast::main_model() const {
  const std::vector<const Class*> models = top_models();
  return models.empty() ? nullptr : models.back();
}

std::vector<const Class*> Ast::top_models() const {
  std::vector<const Class*> models;
  for (const Class& one : classes) {
    if (one.kind == ClassKind::model && !one.is_nested()) {
      models.push_back(&one);
    }
  }
  return models;
}

}  // namespace saltus::lang

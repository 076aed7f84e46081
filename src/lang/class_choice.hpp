/// Which class of a text is meant, and whether it is flat.
#pragma once

#include <optional>
#include <string>

#include "lang/instance/class_library.hpp"
#include "lang/syntax/ast.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::lang {

/// The full name of a class of the text: "P.M" of `package P … model M`, with what 'within' says before it.
[[nodiscard]] std::string path_of(const Ast& ast, const Class& item);

/// The name of a class as it is written in a text, `'P'.'a b'`, without its quotes; of any other text the text.
[[nodiscard]] std::string unquoted_path(const std::string& name);

/// The class with this name. Without a name: the last model or block with an `experiment` annotation, nested ones included, that is
/// not partial; else the last one at the top. A warning names it where there are several. Null: there is none (reported where a name
/// is given that is not there, and `elsewhere` is false).
[[nodiscard]] const Class* choose_class(const Ast& ast, const std::string& name, bool elsewhere,
                                        Diagnostics& diagnostics);

/// Whether the class is one model as it stands: built of types of the language alone, without classes of others in it. `library` may be
/// null.
[[nodiscard]] bool is_flat(const Ast& ast, const Class& item, const ClassLibrary* library);

}  // namespace saltus::lang

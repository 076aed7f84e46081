#include "commands.hpp"
#include "saltus/result_table.hpp"

namespace saltus::tool {

int convert_command(const Console& console, const ConvertArguments& arguments) {
  const Result<ResultTable> table = read_result_table(arguments.from);
  if (!table) {
    console.print(table.error());
    return kExitWrongInput;
  }
  const Diagnostics unwritten = write_result_table(*table, arguments.to);
  console.print(unwritten);
  return unwritten.has_errors() ? kExitWrongInput : kExitSuccess;
}

}  // namespace saltus::tool

#include "program/vm/slab_compiler.hpp"

#include "program/vm/slab_emitter.hpp"
#include "program/vm/slab_items.hpp"

namespace saltus::program {

SlabProgram compile_program(const expr::Graph& graph, const LeafBindings& bindings,
                            const ProgramRequest& request) {
  return emit_program(collect_items(graph, bindings, request), request);
}

}  // namespace saltus::program

/// From nodes of a graph to a slab program.
///
/// Problem      compute given roots with few, long instructions and a small working set.
/// Method       1. collect (slab_items.hpp): the nodes that each part needs and no earlier one has, root by
/// root, cut
///                 in strips of bounded size so that the values in flight stay in the first-level cache.
///              2. group: nodes of a strip with equal depth and equal shape (operation and shapes of
///              operands, leaves
///                 told apart by their memory space only) become one slab. The bodies of a loop are
///                 isomorphic, so a loop that was unrolled by the language is rolled up again, whoever wrote
///                 it.
///              3. emit (slab_emitter.hpp): order a slab so that its operands have constant strides, cut it
///              in maximal
///                 runs, gather operands that have no runs, reuse registers of slabs whose last use has
///                 passed.
/// Contract     every leaf that is reached is bound; no cycle runs through bindings to nodes. Each node is
/// computed by
///              the functions of expr/operation.hpp, so a program gives what expr::evaluate gives, bit for
///              bit.
/// Choices      what depends on parameters and constants alone moves to the prologue; what depends on held inputs besides,
///              which change at events only, to the held code. Values of an *iterated* part
///              (the residual of an implicit block, run once per Newton iteration) that depend on its
///              unknowns are not seen by later parts; the others move to a part of their own just before
///              it.
/// Cost         O(n log n) in the nodes needed (sorting inside strips).
/// Checked by   tests/unit/program/slab_compiler_test.cpp
#pragma once

#include <span>
#include <vector>

#include "program/vm/leaf_bindings.hpp"
#include "program/vm/slab_program.hpp"

namespace saltus::program {

/// A piece of the program that is run on its own; output i is the value of roots[i].
struct PartRequest {
  std::vector<NodeId> roots;
  /// Input registers that change while this part is run again and again; empty: the part runs once.
  std::vector<std::uint32_t> iterated_inputs = {};
};

struct CompileLimits {
  /// Nodes of a strip. Measured on a chain of 10,000 cells (bench/slab_programs): flat between 1000 and 3000, where
  /// the values in flight fill a third of a 48 KiB first-level cache; twice the time at 20,000.
  std::uint32_t strip_nodes = 2048;
};

struct ProgramRequest {
  std::uint32_t n_states = 0;
  std::uint32_t n_inputs = 1;  ///< time included
  std::uint32_t n_held = 0;    ///< inputs 1 to n_held keep their values from run to run
  std::uint32_t n_parameters = 0;
  std::vector<PartRequest> parts;
  CompileLimits limits = {};
};

/// The program has parts[2·i] (what request i needs but does not iterate; no outputs) and parts[2·i+1]
/// (request i itself) for every request i.
[[nodiscard]] SlabProgram compile_program(const expr::Graph& graph, const LeafBindings& bindings,
                                          const ProgramRequest& request);

}  // namespace saltus::program

#include "structure/solve_instant.hpp"

#include <cstdint>
#include <utility>

#include "saltus/contract.hpp"
#include "structure/index/tearing.hpp"
#include "structure/match/alias.hpp"
#include "structure/match/blocks.hpp"
#include "structure/match/incidence.hpp"
#include "structure/match/matching.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {

Result<std::vector<Block>> solve_instant(flat::Model& model, const InstantSystem& system) {
  Diagnostics diagnostics(model.source);
  SlotTable slots(model.graph, system.unknowns, {});
  std::vector<int> ranks(slots.n_slots(), kKnownRank);
  for (std::uint32_t slot = 0; slot < system.first_representative; ++slot) {
    ranks[slot] = alias_rank(model, slots[slot]);
  }
  const AliasReport aliases = eliminate_aliases(model.graph, system.equations, ranks, slots);
  const Incidence incidence = find_incidence(model.graph, system.equations, slots, slots.n_unknowns());
  std::vector<std::uint8_t> is_used(system.equations.size(), 0);
  for (const Alias& alias : aliases.aliases) {
    is_used[alias.row] = 1;
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    if (is_used[row] == 0) {
      rows.push_back(row);
    }
  }
  Matching matching = empty_matching(incidence);
  const std::size_t n_matched = extend_matching(incidence, rows, incidence.n_columns, matching);
  SALTUS_EXPECT(n_matched == rows.size() && system.equations.size() == system.unknowns.size(),
                "the equations of an instant determine its unknowns");
  std::vector<Block> blocks = build_blocks(model,
                                           {.equations = system.equations,
                                            .slots = slots,
                                            .incidence = incidence,
                                            .matching = matching,
                                            .aliases = aliases.aliases},
                                           diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  return tear_blocks(model, std::move(blocks));
}

}  // namespace saltus::structure

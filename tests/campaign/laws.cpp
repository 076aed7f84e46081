// saltus_laws N SEED [--only FAMILY[,FAMILY…]] [--jobs J]   N networks of valves or of friction from SEED on, held against regularised solutions
// saltus_laws --model FAMILY:SEED                           the text of one network, and what was found
// saltus_laws --text FAMILY:SEED                            its text alone
//
// Exit code 0: every run that was compared agrees. docs/campaign.md says what is compared.
#include "campaign/comparison.hpp"
#include "support/oracle/laws/compare_laws.hpp"
#include "support/oracle/laws/random_laws.hpp"

namespace {

using saltus::test::laws::Family;

saltus::campaign::Comparison comparison() {
  const std::vector<std::string> methods = {"auto", "dopri5", "radau5", "sdirk4", "bdf"};
  saltus::campaign::Comparison result{.program = "saltus_laws", .families = {}, .text = {}, .compare = {}};
  for (int family = 0; family < saltus::test::laws::kFamilies; ++family) {
    result.families.emplace_back(to_string(static_cast<Family>(family)));
  }
  result.text = [](std::size_t family, std::uint32_t seed) {
    return random_laws(static_cast<Family>(family), seed).text;
  };
  result.compare = [methods](std::size_t family, std::uint32_t seed) {
    std::vector<saltus::campaign::Finding> findings;
    for (const auto& check : compare(random_laws(static_cast<Family>(family), seed), methods)) {
      findings.push_back({check.method, to_string(check.verdict), check.n_events, check.worst, check.what});
    }
    return findings;
  };
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return saltus::campaign::main_of_comparison(comparison(), argc, argv);
}

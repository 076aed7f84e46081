// saltus_circuits N SEED [--only FAMILY[,FAMILY…]] [--jobs J]   N networks of ideal diodes from SEED on, held against brute force
// saltus_circuits --model FAMILY:SEED                           the text of one network, and what was found
// saltus_circuits --text FAMILY:SEED                            its text alone
//
// Exit code 0: every run that was compared agrees. docs/campaign.md says what is compared.
#include <string>
#include <vector>

#include "campaign/comparison.hpp"
#include "support/oracle/circuits/compare_circuit.hpp"
#include "support/oracle/circuits/random_circuit.hpp"
#include "support/oracle/circuits/write_network.hpp"

namespace saltus::campaign {
namespace {

using test::circuits::CircuitCheck;
using test::circuits::Family;
using test::circuits::Network;

const std::vector<std::string> kMethods = {"auto", "radau5", "bdf"};

Network network_of(std::size_t family, std::uint32_t seed) {
  return random_circuit(static_cast<Family>(family), seed);
}

/// Of the diodes of the network.
std::string spelling_of(const Network& network) {
  const std::vector<std::size_t> diodes = network.of_kind(test::circuits::Element::Kind::diode);
  if (diodes.empty()) {
    return "none";
  }
  const test::circuits::Element& first = network.elements[diodes.front()];
  for (const std::size_t diode : diodes) {
    if (network.elements[diode].spelling != first.spelling) {
      return "mixed";
    }
  }
  return std::string(to_string(first.spelling)) + (first.ron == 0 ? " ideal" : " resistive");
}

std::vector<Finding> findings_of(std::size_t family, std::uint32_t seed) {
  std::vector<Finding> findings;
  for (const CircuitCheck& check : compare(network_of(family, seed), kMethods)) {
    findings.push_back({check.method, to_string(check.verdict), check.n_instants, check.worst, check.what});
  }
  return findings;
}

Comparison circuits() {
  Comparison comparison{
      .program = "saltus_circuits",
      .families = {},
      .text = [](std::size_t family, std::uint32_t seed) { return write(network_of(family, seed)).text; },
      .compare = findings_of,
      .group = [](std::size_t family, std::uint32_t seed) { return spelling_of(network_of(family, seed)); }};
  for (int i = 0; i < test::circuits::kFamilies; ++i) {
    comparison.families.emplace_back(to_string(static_cast<Family>(i)));
  }
  return comparison;
}

}  // namespace
}  // namespace saltus::campaign

int main(int argc, char** argv) {
  return saltus::campaign::main_of_comparison(saltus::campaign::circuits(), argc, argv);
}

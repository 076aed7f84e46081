// saltus_dae_sensitivities N SEED [--only METHOD[,METHOD…]] [--jobs J]   N random switched DAEs from SEED on, sensitivities against the oracle's differences
// saltus_dae_sensitivities --model METHOD:SEED                           the text of one system, and what was found
// saltus_dae_sensitivities --text METHOD:SEED                            its text alone
//
// Exit code 0: no number is wrong. docs/campaign.md says what is compared.
#include "support/oracle/dae_sensitivities.hpp"
#include "campaign/comparison.hpp"

int main(int argc, char** argv) {
  using namespace saltus;
  campaign::Comparison comparison{.program = "saltus_dae_sensitivities",
                                  .families = {"auto", "radau5", "sdirk4", "bdf"},
                                  .text = {},
                                  .compare = {}};
  const std::vector<std::string> methods = comparison.families;
  comparison.text = [](std::size_t, std::uint32_t seed) { return test::oracle::text_with_parameters(seed); };
  comparison.compare = [methods](std::size_t family, std::uint32_t seed) {
    const auto check = test::oracle::check_sensitivities(seed, methods[family]);
    return std::vector<campaign::Finding>{
        {methods[family], to_string(check.verdict), check.n_events, check.worst, check.what}};
  };
  return campaign::main_of_comparison(comparison, argc, argv);
}

// The program `saltus` measured from outside: small models, and the rate of writing CSV.
#pragma once

namespace saltus::bench {

void print_process(bool quick);

}  // namespace saltus::bench

// What a run costs more when values of parameters are set.
#pragma once

namespace saltus::bench {

void print_parameters(bool quick);

}  // namespace saltus::bench

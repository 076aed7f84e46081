// N independent systems in one model: what an event costs when all the others wait for it.
#include <fmt/format.h>

#include "event_run.hpp"
#include "events.hpp"

namespace saltus::bench {
namespace {

Model balls(int n) {
  return model_from("balls.mo", fmt::format(R"(model Balls
  parameter Integer N = {};
  Real h[N](start = {{1 + 0.3*i/N for i in 1:N}}, each fixed = true), v[N](each start = 0, each fixed = true);
equation
  for i in 1:N loop
    der(h[i]) = v[i];
    der(v[i]) = -9.81;
    when h[i] <= 0 and v[i] < 0 then
      reinit(v[i], -0.9*pre(v[i]));
    end when;
  end for;
end Balls;
)",
                                            n));
}

Model relays(int n) {
  return model_from("relays.mo", fmt::format(R"(model Relays
  parameter Integer N = {};
  Real x[N](start = {{0.5 + 0.3*i/N for i in 1:N}}, each fixed = true), v[N](each start = 0, each fixed = true);
equation
  for i in 1:N loop
    der(x[i]) = v[i];
    der(v[i]) = -sign(x[i]);
  end for;
end Relays;
)",
                                             n));
}

void print_lines(const char* what, Model (*model)(int), double stop_for_one, double least_stop, bool quick) {
  double per_event_of_one = 0.0;
  for (const int n : {1, 10, 100, 1000}) {
    if (quick && n > 100) {
      continue;
    }
    const double stop = std::max(stop_for_one / n, least_stop);
    const SimulationResult result = fastest_run(model(n),
                                                {.stop = stop,
                                                 .interval = stop,
                                                 .tolerance = 1e-6,
                                                 .method = "dopri5",
                                                 .keep_dense = false,
                                                 .keep_rows = false},
                                                1);
    const double per_event = 1e6 * result.statistics.wall_seconds /
                             static_cast<double>(std::max<std::int64_t>(1, result.statistics.events));
    if (n == 1) {
      per_event_of_one = per_event;
    }
    fmt::print("{:<8} {:>6} {:>8} {:>10.3f} {:>12.3f} {:>12.2f}  {}\n", what, n, result.statistics.events,
               per_event, per_event / n, per_event / n / per_event_of_one, outcome(result));
  }
}

}  // namespace

void print_many(bool quick) {
  fmt::print("\n{:<8} {:>6} {:>8} {:>10} {:>12} {:>12}\n", "N of", "N", "events", "us/event", "us/(event N)",
             "of that, N=1");
  print_lines("balls", balls, 4.0, 2.0, quick);
  print_lines("relays", relays, 4000.0, 4.0, quick);
}

}  // namespace saltus::bench

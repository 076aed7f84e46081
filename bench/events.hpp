// The tables about events: each prints one.
#pragma once

namespace saltus::bench {

/// The four problems of DISODE45 against the numbers of their source.
void print_disode45(bool quick);
/// The relay oscillator, 10,000 events, beside CVODE with root finding.
void print_relay(bool quick);
/// What guards cost that hardly ever fire.
void print_guards(bool quick);
/// The mass on the belt: a quarter of a million switches, or sliding.
void print_belt(bool quick);
/// Events that come together: 100 balls with and without a region of concurrency, marbles, beside the solver that knows of no events.
void print_concurrency(bool quick);
/// N independent balls and relays.
void print_many(bool quick);

}  // namespace saltus::bench

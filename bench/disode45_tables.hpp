// The numbers that Calvo, Montijano and Rández print for DISODE45 (Tables 1 to 4 of their paper): tolerance, evaluations of f, largest error of an
// event's time, of a state at an event, and of the end. Problem 3 at 1e-3 … 1e-6 was run there with eventcontrol = 3, because the default misses
// events; in problem 4 at 1e-3 the last events are missed.
#pragma once

#include <vector>

namespace saltus::bench {

struct WorkAndErrors {
  double tolerance = 0.0;
  double n_rhs = 0.0;
  double error_time = 0.0;
  double error_state = 0.0;
  double error_end = 0.0;
};

using WorkPrecision = std::vector<WorkAndErrors>;

inline const WorkPrecision kDisode45Problem1{
    {1e-3, 940, 2.3e-1, 5.8e-2, 7.4e-2},  {1e-4, 1010, 2.9e-3, 1.4e-3, 7.9e-4},
    {1e-5, 1218, 5.1e-4, 1.9e-5, 1.5e-4}, {1e-6, 1410, 6.6e-5, 3.6e-6, 1.9e-5},
    {1e-7, 1660, 5.6e-6, 4.2e-7, 1.7e-6}, {1e-8, 2220, 4.4e-7, 3.8e-8, 1.3e-7},
    {1e-9, 2980, 3.8e-8, 3.7e-9, 1.1e-8}};

inline const WorkPrecision kDisode45Problem2{
    {1e-3, 1065, 2.2e-4, 8.2e-4, 3.0e-4}, {1e-4, 1118, 1.1e-4, 7.5e-5, 1.8e-4},
    {1e-5, 1243, 2.4e-5, 6.0e-5, 2.7e-5}, {1e-6, 1666, 8.9e-6, 2.5e-5, 1.0e-5},
    {1e-7, 2280, 9.2e-7, 2.7e-6, 1.1e-6}, {1e-8, 3268, 8.6e-8, 2.5e-7, 6.6e-8},
    {1e-9, 4657, 8.0e-9, 2.3e-8, 8.6e-9}};

inline const WorkPrecision kDisode45Problem3{
    {1e-3, 3826, 8.1e-3, 2.1e-2, 9.1e-3}, {1e-4, 4420, 1.4e-3, 1.7e-3, 2.8e-3},
    {1e-5, 4964, 3.2e-4, 6.7e-4, 6.3e-4}, {1e-6, 5075, 4.3e-5, 9.7e-5, 5.6e-5},
    {1e-7, 6694, 4.1e-6, 1.1e-5, 3.4e-6}, {1e-8, 8798, 4.8e-7, 1.1e-6, 1.8e-7},
    {1e-9, 11092, 4.9e-8, 1.3e-7, 6.7e-9}};

inline const WorkPrecision kDisode45Problem4{
    {1e-3, 824, 3.3e-3, 4.1e-4, 3.5e-4},  {1e-4, 791, 2.3e-3, 2.2e-4, 2.1e-4},
    {1e-5, 874, 5.5e-4, 5.4e-5, 5.4e-5},  {1e-6, 1190, 9.1e-5, 8.9e-6, 8.9e-6},
    {1e-7, 1577, 1.2e-5, 1.2e-6, 1.2e-6}, {1e-8, 2098, 1.4e-6, 1.4e-7, 1.4e-7},
    {1e-9, 2729, 1.5e-7, 1.5e-8, 1.5e-8}};

}  // namespace saltus::bench

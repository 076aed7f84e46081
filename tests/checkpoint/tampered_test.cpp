// Checkpoints that somebody has changed and given the right hash again: refused or run, never a crash. The hash keeps damage out; this is about
// what is done with bytes that mean nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "base/byte_hash.hpp"
#include "checkpoint/saved_runs.hpp"
#include "saltus/contract.hpp"
#include "support/source_folder.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using test::bytes_of;
using test::TemporaryFolder;
using test::write_bytes;

// How many for each example and method; SALTUS_TAMPERED sets another number.
int changes_wanted() {
  const char* const text = std::getenv("SALTUS_TAMPERED");
  return text == nullptr ? 40 : std::atoi(text);
}

struct Saved {
  std::string example;
  SimulationOptions options;
};

Model read(const std::string& example) {
  return Model::load(test::source_folder() + "/examples/" + example).value();
}

// A number as sizes, places and choices are saved: small, in eight, four or one bytes. Doubles are left alone for the most part, because any
// double is one.
class Tamperer {
 public:
  explicit Tamperer(std::uint64_t seed) : random_(seed) {}

  std::string changed(std::string bytes, std::size_t begin) {
    const std::size_t end = bytes.size() - sizeof(std::uint64_t);
    for (int tries = 0; tries < 100'000; ++tries) {
      const std::size_t at = begin + random_() % (end - begin - sizeof(std::uint64_t));
      std::uint64_t old = 0;
      std::memcpy(&old, bytes.data() + at, sizeof old);
      const bool is_small = old > 0 && old < (std::uint64_t{1} << 24);
      if (!is_small && random_() % 512 != 0) {
        continue;
      }
      const std::size_t width = is_small ? std::size_t{8} >> (random_() % 4) : 8;
      const std::uint64_t values[] = {
          0,           1,         old + 1,           old - 1,   old + random_() % 100, old * 2, old * 1000,
          0x7fffffffU, 0xffffffU, ~std::uint64_t{0}, random_(), random_() % 8};
      const std::uint64_t value = values[random_() % std::size(values)];
      std::memcpy(bytes.data() + at, &value, width);
      break;
    }
    bytes.resize(end);
    const std::uint64_t hash = hash_of(bytes);
    bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
    return bytes;
  }

 private:
  std::mt19937_64 random_;
};

class Tampered : public ::testing::TestWithParam<Saved> {};

TEST_P(Tampered, IsRefusedOrRun) {
  const Saved& what = GetParam();
  const TemporaryFolder temporary;
  const Model model = read(what.example);
  SimulationOptions options = what.options;
  options.keep_rows = options.keep_dense = false;
  options.checkpoint = temporary.file("checkpoint");
  options.max_steps = 30;
  ASSERT_EQ(simulate(model, options).value().reason, Reason::step_limit);
  const std::string whole = bytes_of(options.checkpoint);
  // The identity comes first, and a change of it is told before anything is loaded.
  const std::size_t begin = whole.size() / 16;
  Tamperer tamperer(20);
  const int n = changes_wanted();
  int n_refused = 0;
  SimulationOptions again = what.options;
  again.keep_rows = again.keep_dense = false;
  again.resume = temporary.file("tampered");
  again.max_steps = 60;
  again.max_events = 200;
  again.max_time = 5.0;
  for (int k = 0; k < n; ++k) {
    const std::string bytes = tamperer.changed(whole, begin);
    write_bytes(again.resume, bytes);
    SCOPED_TRACE(what.example + " change " + std::to_string(k));
    if (std::getenv("SALTUS_TAMPERED_KEEP") != nullptr) {
      write_bytes(std::getenv("SALTUS_TAMPERED_KEEP"), bytes);
    }
    try {
      const Result<SimulationResult> result = simulate(model, again);
      if (!result) {
        ++n_refused;
        EXPECT_FALSE(result.error().items()[0].message.empty());
      }
    } catch (const ContractViolation& broken) {
      ADD_FAILURE() << broken.what();
    }
  }
  if (n >= 40) {
    EXPECT_GT(n_refused, 0);
  }
}

// Not held against the model yet: sizes of least squares (circle_three_equations), sides of relations (bouncing_balls).
std::vector<Saved> cases() {
  return {
      {"bouncing_ball.mo", {.method = "dopri5"}},
      {"robertson.mo", {.method = "radau5"}},
      {"robertson.mo", {.method = "bdf"}},
      {"stick_slip.mo", {}},
      {"stick_slip.mo", {.method = "bdf"}},
      {"thermostat.saltus", {}},
      {"belt_modes.saltus", {}},
      {"cartesian_pendulum.mo", {.method = "radau5"}},
      {"ideal_bridge.mo", {}},
      {"string_pendulum.saltus", {}},
      {"boost_converter.saltus", {.method = "sdirk4"}},
      {"sampled_controller.mo", {}},
      {"friction_blocks.mo", {}},
  };
}

INSTANTIATE_TEST_SUITE_P(Examples, Tampered, ::testing::ValuesIn(cases()), [](const auto& item) {
  std::string name = item.param.example + "_" + item.param.options.method;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return std::to_string(item.index) + "_" + name;
});

}  // namespace
}  // namespace saltus

/// The configurations of all stretches of a run, in little memory: N relays that switch one after the other have N
/// latched values in each of their configurations and change one of them.
///
/// Method     what differs from the configuration before is kept; once as many changes have gathered as there are values,
///            all values are kept again, so that a configuration is found again in a time linear in its size.
/// Contract   all configurations of a system have the same sizes.
/// Cost       16 bytes for a change; append() compares all values and allocates only to grow.
/// Checked by tests/unit/api/configuration_log_test.cpp
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "system/configuration.hpp"

namespace saltus::api {

class ConfigurationLog {
 public:
  void append(const system::Configuration& configuration);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] system::Configuration at(std::size_t place) const;
  /// Bytes held, for tests.
  [[nodiscard]] std::size_t memory() const;

  void fields(Archive& a);

 private:
  struct Change {
    std::size_t place;
    double value;

    void fields(Archive& a) { a(place, value); }
  };
  struct Entry {
    ModeId mode;
    std::size_t end = 0;    // of its changes; they begin where those of the entry before end
    std::size_t whole = 0;  // the last entry up to this one whose changes are all values

    void fields(Archive& a) { a(mode, end, whole); }
  };

  std::vector<Entry> entries_;
  std::vector<Change> changes_;
  std::vector<double> last_;  // latched, then discrete
  std::size_t n_latched_ = 0;
};

}  // namespace saltus::api

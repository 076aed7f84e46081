#include "program/blocks/solution_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace saltus::program {
namespace {

// A permutation of 64 bits in which every bit of the result depends on all bits given (the finalizer of [SLF14]).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

std::uint64_t hash_of(std::size_t place, double value) {
  return mixed(mixed(std::bit_cast<std::uint64_t>(value)) + place);
}

}  // namespace

SolutionStore::SolutionStore(std::size_t n_states, std::span<const structure::Block> blocks)
    : n_states_(n_states), row_size_(n_states), n_points_(0) {
  for (const structure::Block& block : blocks) {
    const bool is_implicit = block.kind != structure::Block::Kind::explicit_formula;
    places_.push_back({row_size_, is_implicit ? block.unknowns.size() : 0, n_implicit_});
    row_size_ += places_.back().count;
    n_implicit_ += is_implicit ? 1 : 0;
  }
  n_points_ = n_implicit_ == 0 ? 0 : std::clamp(kMostNumbers / row_size_, kLeastPoints, kMostStored);
  rows_.resize(n_points_ * row_size_);
  is_known_.resize(n_points_ * n_implicit_);
}

void SolutionStore::change_held(std::size_t i, double before, double after) {
  key_ ^= hash_of(i, before) ^ hash_of(i, after);
}

std::size_t SolutionStore::find(double t, const double* x) const {
  for (std::size_t point = 0; point < n_kept_; ++point) {
    if (times_[point] == t && keys_[point] == key_ &&
        (n_states_ == 0 ||
         std::memcmp(rows_.data() + point * row_size_, x, n_states_ * sizeof(double)) == 0)) {
      return point;
    }
  }
  return kNone;
}

std::size_t SolutionStore::find_or_add(double t, const double* x) {
  if (const std::size_t known = find(t, x); known != kNone) {
    return known;
  }
  const std::size_t point = next_;
  std::copy_n(x, n_states_, rows_.data() + point * row_size_);
  std::fill_n(is_known_.data() + point * n_implicit_, n_implicit_, std::uint8_t{0});
  times_[point] = t;
  keys_[point] = key_;
  next_ = point + 1 == n_points_ ? 0 : point + 1;
  n_kept_ = std::max(n_kept_, point + 1);
  ++n_added_;
  return point;
}

void SolutionStore::drop_points() {
  const std::uint64_t n_later = std::min<std::uint64_t>(n_added_ - n_kept_added_, n_points_);
  for (std::uint64_t back = 1; back <= n_later; ++back) {
    times_[(next_ + n_points_ - back) % n_points_] = std::numeric_limits<double>::quiet_NaN();
  }
  n_kept_added_ = n_added_;
}

void SolutionStore::keep(std::size_t point, std::size_t block, std::span<const double> solution) {
  std::copy(solution.begin(), solution.end(), rows_.data() + point * row_size_ + places_[block].first);
  is_known_[point * n_implicit_ + places_[block].number] = 1;
}

}  // namespace saltus::program

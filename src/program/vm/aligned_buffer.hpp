/// A fixed array of doubles, zero at first, that begins on a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "base/archive.hpp"
#include "program/vm/slab_program.hpp"

namespace saltus::program {

class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size)
      : data_(static_cast<double*>(
            ::operator new[](std::max<std::size_t>(size, 1) * sizeof(double), kAlignment))),
        size_(size) {
    std::fill_n(data_.get(), size, 0.0);
  }

  [[nodiscard]] double* data() { return data_.get(); }
  [[nodiscard]] const double* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] double& operator[](std::size_t i) { return data_.get()[i]; }
  [[nodiscard]] std::span<double> span() { return {data_.get(), size_}; }

  void fields(Archive& a) {
    // Not saved: data_ itself, size_.
    a(span());
  }

 private:
  static constexpr std::align_val_t kAlignment{kSlabAlignment * sizeof(double)};
  struct Delete {
    void operator()(double* data) const { ::operator delete[](data, kAlignment); }
  };
  std::unique_ptr<double[], Delete> data_;
  std::size_t size_;
};

}  // namespace saltus::program

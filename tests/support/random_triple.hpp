// M·ẍ + C·ẋ + K·x = f with prescribed characteristic values and exactly representable numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::test {

/// Blocks (second and first order, algebraic chains of derivatives, undetermined, redundant) between integer matrices of determinant ±1, then
/// rows, columns and time scaled by powers of 2.
struct RandomTriple {
  int level = 0;
  Index algebraic = 0;
  std::array<Index, 2> differential{};  ///< d₁, d₂
  Index undetermined = 0;
  Index vanishing = 0;
  std::array<linalg::DenseMatrix, 3> matrices;  ///< K, C, M
};

class TripleGenerator {
 public:
  explicit TripleGenerator(std::uint32_t seed) : random_(seed) {}

  RandomTriple make(int size, int mixing, int scales) {
    RandomTriple triple;
    m_ = n_ = 0;
    rows_of_order_.clear();
    for (auto& matrix : entries_) {
      for (auto& row : matrix) {
        row.fill(0);
      }
    }
    while (std::max(m_, n_) < static_cast<std::size_t>(size)) {
      add_block(triple, draw(0, 9));
    }
    for (const auto& [row, order] : rows_of_order_) {
      for (std::size_t j = 0; j < n_; ++j) {
        for (int below = 0; below < order; ++below) {
          entries_[static_cast<std::size_t>(below)][row][j] += draw(0, 3) == 0 ? draw(-2, 2) : 0;
        }
      }
    }
    mix(mixing);
    write(triple, scales);
    return triple;
  }

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  static constexpr std::size_t kMost = 32;
  static constexpr int kLargestLevel = 4;

  // x_{j+1}⁽ᵉ⁾ + x_j = f_j; the last is x_k = f. Without it (`is_open`) one unknown is free; with x_1⁽ᵉ⁾ = f before the first, one equation follows.
  void add_chain(RandomTriple& triple, int length, bool is_open, bool is_over) {
    int level = 0;
    for (int j = 0; j + 1 < length; ++j) {
      const int order = draw(1, 2);
      if (is_open) {
        // Read the other way round: x_j⁽ᵉ⁾ + x_{j+1} = f_j determines x_j.
        entries_[static_cast<std::size_t>(order)][m_][n_] = 1;
        entries_[0][m_++][++n_] = 1;
        ++triple.differential[static_cast<std::size_t>(order) - 1];
        continue;
      }
      const int used = level + order <= kLargestLevel ? order : 0;
      level += used;
      entries_[static_cast<std::size_t>(used)][m_][n_ + 1] = 1;
      entries_[0][m_++][n_++] += 1;
    }
    if (is_open) {
      ++n_;
      ++triple.undetermined;
      return;
    }
    entries_[0][m_++][n_++] = 1;
    if (is_over) {
      const int order = std::min(draw(1, 2), kLargestLevel - level);
      entries_[static_cast<std::size_t>(order)][m_++][n_ - static_cast<std::size_t>(length)] = 1;
      level += order;
      ++triple.vanishing;
    }
    triple.algebraic += length;
    triple.level = std::max(triple.level, level);
  }

  void add_block(RandomTriple& triple, int kind) {
    switch (kind) {
      case 0:
      case 1:
        rows_of_order_.emplace_back(m_, 2);
        entries_[2][m_++][n_++] = draw(1, 3);
        ++triple.differential[1];
        break;
      case 2:
      case 3:
        rows_of_order_.emplace_back(m_, 1);
        entries_[1][m_++][n_++] = draw(1, 3);
        ++triple.differential[0];
        break;
      case 4:
      case 5:
      case 6: add_chain(triple, draw(1, 4), false, false); break;
      case 7: add_chain(triple, draw(1, 3), true, false); break;
      case 8: add_chain(triple, draw(1, 2), false, true); break;
      default:
        // One unknown with equations of several orders.
        const bool has_algebraic = draw(0, 1) == 0;
        entries_[2][m_++][n_] = 1;
        entries_[1][m_++][n_] = 1;
        if (has_algebraic) {
          entries_[0][m_++][n_] = 1;
        }
        ++n_;
        triple.vanishing += has_algebraic ? 2 : 1;
        triple.algebraic += has_algebraic ? 1 : 0;
        triple.differential[0] += has_algebraic ? 0 : 1;
        triple.level = std::max(triple.level, 1);
    }
  }

  void mix(int mixing) {
    const auto place = [&](std::size_t n) {
      return static_cast<std::size_t>(draw(0, static_cast<int>(n) - 1));
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(mixing) * m_; ++k) {
      const std::size_t to = place(m_);
      const std::size_t from = place(m_);
      const int factor = draw(0, 1) == 0 ? 1 : -1;
      for (auto& matrix : entries_) {
        for (std::size_t j = 0; to != from && j < n_; ++j) {
          matrix[to][j] += factor * matrix[from][j];
        }
      }
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(mixing) * n_; ++k) {
      const std::size_t to = place(n_);
      const std::size_t from = place(n_);
      const int factor = draw(0, 1) == 0 ? 1 : -1;
      for (auto& matrix : entries_) {
        for (std::size_t i = 0; to != from && i < m_; ++i) {
          matrix[i][to] += factor * matrix[i][from];
        }
      }
    }
  }

  void write(RandomTriple& triple, int scales) {
    std::vector<double> rows(m_);
    std::vector<double> columns(n_);
    for (std::vector<double>* list : {&rows, &columns}) {
      for (double& scale : *list) {
        scale = std::ldexp(1.0, draw(-scales, scales));
      }
    }
    const double time = std::ldexp(1.0, draw(-scales, scales));
    double factor = 1.0;
    for (std::size_t order = 0; order < 3; ++order, factor *= time) {
      linalg::DenseMatrix& matrix = triple.matrices[order];
      matrix = linalg::DenseMatrix(static_cast<Index>(m_), static_cast<Index>(n_));
      for (std::size_t i = 0; i < m_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
          matrix(static_cast<Index>(i), static_cast<Index>(j)) =
              factor * rows[i] * columns[j] * static_cast<double>(entries_[order][i][j]);
        }
      }
    }
  }

  std::mt19937 random_;
  std::size_t m_ = 0;
  std::size_t n_ = 0;
  std::array<std::array<std::array<std::int64_t, kMost>, kMost>, 3> entries_{};
  std::vector<std::pair<std::size_t, int>> rows_of_order_;
};

}  // namespace saltus::test

#include "support/oracle/circuits/combination.hpp"

#include <cmath>

namespace saltus::test::circuits {
namespace {

/// Pivots below it, of matrices with entries from 1e-5 to 1e5, are rounding.
constexpr Real kRank = 1e-12;

bool is_square(const Wave& wave) {
  return wave.kind == Wave::Kind::square || wave.kind == Wave::Kind::square_by_sine;
}

bool has_wave(const Element& element) {
  return element.kind == Element::Kind::voltage || element.kind == Element::Kind::current;
}

/// M and F of M y = F w.
struct Tableau {
  Matrix m;
  Matrix f;
};

Tableau tableau_of(const Network& network, const Signals& signals, Truths truths) {
  const auto n_nodes = static_cast<Eigen::Index>(network.n_nodes);
  const auto n_elements = static_cast<Eigen::Index>(network.elements.size());
  const Eigen::Index n = n_nodes + n_elements;
  Tableau tableau{.m = Matrix::Zero(n, n), .f = Matrix::Zero(n, signals.size())};
  std::uint32_t diode = 0;
  std::uint32_t contact = 0;
  for (Eigen::Index e = 0; e < n_elements; ++e) {
    const Element& element = network.elements[static_cast<std::size_t>(e)];
    const auto a = static_cast<Eigen::Index>(element.a);
    const auto b = static_cast<Eigen::Index>(element.b);
    const Eigen::Index law = n_nodes + e;
    // v·volts - i·amperes = right side
    Real volts = 1;
    Real amperes = 0;
    switch (element.kind) {
      case Element::Kind::resistor: amperes = element.value; break;
      case Element::Kind::capacitor: tableau.f(law, signals.state[static_cast<std::size_t>(e)]) = 1; break;
      case Element::Kind::inductor:
        volts = 0;
        amperes = -1;
        tableau.f(law, signals.state[static_cast<std::size_t>(e)]) = 1;
        break;
      case Element::Kind::voltage:
        tableau.f.row(law) = signals.source(network, static_cast<std::size_t>(e));
        break;
      case Element::Kind::current:
        volts = 0;
        amperes = -1;
        tableau.f.row(law) = signals.source(network, static_cast<std::size_t>(e));
        break;
      case Element::Kind::diode:
      case Element::Kind::open_close: {
        const bool is_diode = element.kind == Element::Kind::diode;
        const bool is_on =
            is_diode ? ((truths.conducting >> diode++) & 1U) != 0 : ((truths.closed >> contact++) & 1U) != 0;
        volts = is_on ? 1 : -element.goff;
        amperes = is_on ? element.ron : -1;
        break;
      }
    }
    if (a != 0) {
      tableau.m(law, a - 1) += volts;
      tableau.m(a - 1, law) += 1;
    }
    if (b != 0) {
      tableau.m(law, b - 1) -= volts;
      tableau.m(b - 1, law) -= 1;
    }
    tableau.m(law, law) = -amperes;
  }
  return tableau;
}

/// States' rates as combinations of y.
Matrix rates_of_states(const Network& network, const Signals& signals) {
  const auto n_nodes = static_cast<Eigen::Index>(network.n_nodes);
  Matrix d = Matrix::Zero(signals.n_states(), n_nodes + static_cast<Eigen::Index>(network.elements.size()));
  for (Eigen::Index j = 0; j < signals.n_states(); ++j) {
    const std::size_t e = signals.states[static_cast<std::size_t>(j)];
    const Element& element = network.elements[e];
    if (element.kind == Element::Kind::capacitor) {
      d(j, n_nodes + static_cast<Eigen::Index>(e)) = 1 / element.value;
      continue;
    }
    if (element.a != 0) {
      d(j, static_cast<Eigen::Index>(element.a) - 1) += 1 / element.value;
    }
    if (element.b != 0) {
      d(j, static_cast<Eigen::Index>(element.b) - 1) -= 1 / element.value;
    }
  }
  return d;
}

Matrix refined(const Eigen::FullPivLU<Matrix>& lu, const Matrix& m, const Matrix& f) {
  const Matrix y = lu.solve(f);
  Matrix left = f;
  for (Eigen::Index row = 0; row < m.rows(); ++row) {
    for (Eigen::Index column = 0; column < f.cols(); ++column) {
      long double sum = f(row, column);
      for (Eigen::Index k = 0; k < m.cols(); ++k) {
        if (m(row, k) != 0) {
          sum -= static_cast<long double>(m(row, k)) * y(k, column);
        }
      }
      left(row, column) = static_cast<Real>(sum);
    }
  }
  return y + lu.solve(left);
}

}  // namespace

Matrix exponential(const Matrix& a) {
  const Real size = a.cwiseAbs().rowwise().sum().maxCoeff();
  int halvings = 0;
  while (std::ldexp(size, -halvings) > 0.25) {
    ++halvings;
  }
  const Matrix b = a * std::ldexp(1.0, -halvings);
  Matrix sum = Matrix::Identity(a.rows(), a.cols());
  for (int k = 13; k >= 1; --k) {
    sum = Matrix::Identity(a.rows(), a.cols()) + b * sum / k;
  }
  for (int k = 0; k < halvings; ++k) {
    sum = sum * sum;
  }
  return sum;
}

Real level_of(const Wave& wave, Real t) {
  const Real after = t + kAfter;
  const bool is_high = wave.kind == Wave::Kind::square
                           ? std::fmod(after + wave.phase, wave.period) < wave.duty * wave.period
                           : std::sin(wave.rate * after + wave.phase) > 0;
  return wave.mean + (is_high ? wave.amplitude : -wave.amplitude);
}

Signals::Signals(const Network& network)
    : states(network.states()), place(network.elements.size(), -1), state(network.elements.size(), -1) {
  for (std::size_t j = 0; j < states.size(); ++j) {
    state[states[j]] = static_cast<Eigen::Index>(j);
  }
  n_ = n_states() + 1;
  for (std::size_t e = 0; e < network.elements.size(); ++e) {
    const Element& element = network.elements[e];
    if (!has_wave(element) || element.wave.kind == Wave::Kind::constant) {
      continue;
    }
    place[e] = n_;
    n_ += is_square(element.wave) ? 1 : 2;
  }
}

Eigen::RowVectorXd Signals::source(const Network& network, std::size_t element) const {
  const Wave& wave = network.elements[element].wave;
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_);
  if (is_square(wave)) {
    row(place[element]) = 1;
    return row;
  }
  row(one()) = wave.mean;
  if (wave.kind == Wave::Kind::sine) {
    row(place[element]) = wave.amplitude;
  }
  return row;
}

Vector Signals::at(const Network& network, Real t, const Vector& states_now) const {
  Vector w = Vector::Zero(n_);
  w.head(n_states()) = states_now;
  w(one()) = 1;
  for (std::size_t e = 0; e < network.elements.size(); ++e) {
    const Wave& wave = network.elements[e].wave;
    if (place[e] < 0) {
      continue;
    }
    if (is_square(wave)) {
      w(place[e]) = level_of(wave, t);
    } else {
      w(place[e]) = std::sin(wave.rate * t + wave.phase);
      w(place[e] + 1) = std::cos(wave.rate * t + wave.phase);
    }
  }
  return w;
}

Matrix Signals::rates(const Network& network) const {
  Matrix s = Matrix::Zero(n_, n_);
  for (std::size_t e = 0; e < network.elements.size(); ++e) {
    if (place[e] >= 0 && !is_square(network.elements[e].wave)) {
      s(place[e], place[e] + 1) = network.elements[e].wave.rate;
      s(place[e] + 1, place[e]) = -network.elements[e].wave.rate;
    }
  }
  return s;
}

Combination combine(const Network& network, const Signals& signals, Truths truths) {
  const Tableau tableau = tableau_of(network, signals, truths);
  const Matrix d = rates_of_states(network, signals);
  Combination result;
  result.a = signals.rates(network);
  result.constraints = Matrix::Zero(0, signals.size());
  Eigen::FullPivLU<Matrix> lu(tableau.m);
  lu.setThreshold(kRank);
  const Eigen::Index n = tableau.m.rows();
  if (lu.rank() == n) {
    result.y = refined(lu, tableau.m, tableau.f);
  } else {
    Eigen::FullPivLU<Matrix> transposed(tableau.m.transpose());
    transposed.setThreshold(kRank);
    Matrix null = transposed.kernel();
    null.colwise().normalize();
    const Matrix c = null.transpose() * tableau.f;
    Matrix m(n + c.rows(), n);
    Matrix f(n + c.rows(), signals.size());
    m << tableau.m, c.leftCols(signals.n_states()) * d;
    f << tableau.f, -c * result.a;
    Eigen::ColPivHouseholderQR<Matrix> qr(m);
    qr.setThreshold(kRank);
    if (qr.rank() < n) {
      return result;
    }
    result.y = qr.solve(f);
    result.constraints = c;
    Matrix missed = Matrix::Zero(n + c.rows(), signals.size());
    missed.bottomRows(c.rows()) = -c;
    result.impulses = qr.solve(missed);
    result.jump = d * result.impulses;
  }
  result.a.topRows(signals.n_states()) = d * result.y;
  result.is_determined = true;
  const std::vector<std::size_t> diodes = network.of_kind(Element::Kind::diode);
  result.guards = Matrix(static_cast<Eigen::Index>(diodes.size()), signals.size());
  for (std::size_t k = 0; k < diodes.size(); ++k) {
    const bool is_on = ((truths.conducting >> k) & 1U) != 0;
    const auto row = static_cast<Eigen::Index>(k);
    if (((truths.blocked >> k) & 1U) != 0) {
      result.guards.row(row).setZero();
    } else if (is_on) {
      result.guards.row(row) = current_row(network, result.y, diodes[k]);
    } else {
      result.guards.row(row) = -voltage_row(network, result.y, diodes[k]);
    }
  }
  return result;
}

Eigen::RowVectorXd voltage_row(const Network& network, const Matrix& y, std::size_t element) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(y.cols());
  const Element& it = network.elements[element];
  if (it.a != 0) {
    row += y.row(static_cast<Eigen::Index>(it.a) - 1);
  }
  if (it.b != 0) {
    row -= y.row(static_cast<Eigen::Index>(it.b) - 1);
  }
  return row;
}

Eigen::RowVectorXd current_row(const Network& network, const Matrix& y, std::size_t element) {
  return y.row(static_cast<Eigen::Index>(network.n_nodes + element));
}

}  // namespace saltus::test::circuits

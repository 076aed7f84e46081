#include "api/fit/loss.hpp"

#include <cmath>

namespace saltus::api {
namespace {

// 95 % of the efficiency of least squares for normal residuals.
constexpr double kHuberScale = 1.345;
constexpr double kCauchyScale = 2.3849;

}  // namespace

LossValue loss_of(Loss loss, double scale, double residual) {
  const double size = std::abs(residual);
  switch (loss) {
    case Loss::huber:
      if (size > scale) {
        return {2.0 * scale * size - scale * scale, scale / size, std::copysign(scale, residual), 0.0};
      }
      break;
    case Loss::cauchy: {
      const double part = residual / scale;
      const double weight = 1.0 / (1.0 + part * part);
      return {scale * scale * std::log1p(part * part), weight, weight * residual,
              weight * weight * (1.0 - part * part)};
    }
    case Loss::none: break;
  }
  return {residual * residual, 1.0, residual, 1.0};
}

double usual_scale(Loss loss) {
  return loss == Loss::cauchy ? kCauchyScale : kHuberScale;
}

}  // namespace saltus::api

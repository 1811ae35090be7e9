// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms by their functions, beside sums, in every layout.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <patchbay/complex.h>
#include <patchbay/fft.h>

#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

template <class T>
Tensor arranged(const Values<T>& re, const Values<T>& im, const Shape& shape, Layout layout,
                const Device& device) {
  const Tensor plain = complex(upload<T>(re, shape, device), upload<T>(im, shape, device));
  Tensor result = empty_in(layout, shape, plain.dtype(), device);
  result.copy_from(plain);
  return result;
}

/// Along the first dimension and along the last of [n, n + 3].
template <class T>
void check_fft(const Device& device, const OperatorInfo&) {
  for (const std::int64_t n : {1, 2, 5, 8, 12, 17}) {
    const Shape shape{n, n + 3};
    const Values<T> re = tame_values<T>(count_of(shape), 81);
    const Values<T> im = tame_values<T>(count_of(shape), 82);
    for (const Layout layout : kLayouts) {
      const Tensor x = arranged<T>(re, im, shape, layout, device);
      for (const int dim : {0, 1}) {
        SCOPED_TRACE(to_string(shape) + testing::PrintToString(layout) + std::to_string(dim));
        const Tensor y = fft::fft(x, {.dim = dim});
        const Values<T> got_re = download<T>(real(y)), got_im = download<T>(imag(y));
        const std::int64_t length = x.size(dim), others = x.size(1 - dim);
        for (std::int64_t row = 0; row < others; ++row) {
          const auto place = [&](std::int64_t i) {
            return static_cast<std::size_t>(dim == 0 ? i * others + row : row * length + i);
          };
          for (std::int64_t k = 0; k < length; ++k) {
            std::complex<double> sum = 0;
            double size = 0;
            for (std::int64_t i = 0; i < length; ++i) {
              const double angle = -2 * std::numbers::pi * static_cast<double>(i * k % length) /
                                   static_cast<double>(length);
              const std::complex<double> term(static_cast<double>(re[place(i)]),
                                              static_cast<double>(im[place(i)]));
              sum += term * std::complex<double>(std::cos(angle), std::sin(angle));
              size += std::abs(term);
            }
            const std::complex<double> got(static_cast<double>(got_re[place(k)]),
                                           static_cast<double>(got_im[place(k)]));
            ASSERT_LE(std::abs(got - sum), 16 * std::numeric_limits<T>::epsilon() * size);
          }
        }
      }
    }
  }
}

}  // namespace

OperatorCases transform_cases() {
  return {case_of<Types::kWideFloats>("fft", PATCHBAY_OF_TYPES(check_fft))};
}

}  // namespace patchbay::test

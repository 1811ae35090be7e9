// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What fft.1 is given, checked once for every backend.
#ifndef PATCHBAY_KIT_FFT_HPP_
#define PATCHBAY_KIT_FFT_HPP_

#include <algorithm>
#include <cstdint>
#include <string>

#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "kit/fft_sizes.hpp"

namespace patchbay {

/// Of a prepared kernel.
class FftPlan {
 public:
  /// The largest n, and the longest convolution, which a large prime needs.
  static constexpr std::int64_t kMostRows = 4096;
  /// The text says so.
  static constexpr std::int64_t kLow = 32;

  explicit FftPlan(const patchbay_kernel_spec& spec) : dtype_(spec.arguments[0].dtype) {
    const plugin::Attributes given(spec);
    attributes_.inverse = given.integer("inverse");
    attributes_.turned = given.integer("turned");
  }

  /// Throws invalid_argument unless the arguments are as the operator says.
  FftSizes sizes_of(plugin::Arguments arguments) const {
    FftSizes sizes = attributes_;
    const patchbay_argument &to = arguments[0], &from = arguments[1];
    for (const patchbay_argument* const each : {&to, &from}) {
      check(each->rank == 4 && each->shape[3] == 2 && each->strides[3] == 1,
            "an operand is no batch of matrices of pairs");
      for (int d = 0; d < 3; ++d) {
        check(each->shape[d] == to.shape[d], "the operands have different shapes");
        check(each->shape[d] <= 1 || each->strides[d] % 2 == 0, "a stride divides a pair");
      }
    }
    sizes.count = from.shape[0];
    sizes.n = from.shape[1];
    sizes.m = from.shape[2];
    check(sizes.n >= 1 && sizes.n <= kMostRows, "n is not 1 to 4096");
    sizes.length = length_for(sizes.n);
    check(sizes.length <= kMostRows, "n has a prime above 13 and is above 2048");
    divide(sizes);
    // Strips of few columns of long transforms, so that they stay in a cache.
    const std::int64_t few = dtype_ == PATCHBAY_F64 ? 8 : 16;
    sizes.strip = std::clamp<std::int64_t>(few * 2048 / sizes.length, few, 32);
    sizes.from_step = from.strides[0] / 2;
    sizes.from_row = from.strides[1] / 2;
    sizes.from_column = from.strides[2] / 2;
    sizes.to_step = to.strides[0] / 2;
    sizes.to_row = to.strides[1] / 2;
    sizes.to_column = to.strides[2] / 2;
    return sizes;
  }

  static std::int64_t num_strips(const FftSizes& sizes) {
    return sizes.count * ((sizes.m + sizes.strip - 1) / sizes.strip);
  }
  /// The numbers of a group's memory: both parts of a strip, twice.
  static std::int64_t work_numbers(const FftSizes& sizes) {
    constexpr std::int64_t kApart = 80;  // the text says so
    return 4 * (sizes.length * sizes.strip + kApart);
  }
  /// The pairs of the tables of a length: its turns, and the chirp and its transform.
  static std::int64_t num_turns(const FftSizes& sizes) {
    return sizes.length == sizes.n ? sizes.n : 2 * sizes.length + sizes.n;
  }
  /// The turns that columns or matrices are multiplied with: for each row those of kLow
  /// remainders, and those of the quotients.
  static std::int64_t num_turned(const FftSizes& sizes) {
    if (sizes.turned == 0) return 0;
    const std::int64_t columns = turned_columns(sizes);
    return sizes.n * (kLow + (columns + kLow - 1) / kLow);
  }
  static std::int64_t turned_columns(const FftSizes& sizes) {
    return static_cast<Turned>(sizes.turned) == Turned::kByMatrix ? sizes.count : sizes.m;
  }

 private:
  static void check(bool holds, const char* what) {
    if (!holds) plugin::invalid_argument(std::string("fft.1: ") + what);
  }

  /// The text has steps of these; direct sums of larger ones take longer than a convolution.
  static constexpr std::int64_t kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};

  /// n, or a power of 2 for a convolution with a chirp.
  static std::int64_t length_for(std::int64_t n) {
    std::int64_t left = n;
    for (const std::int64_t radix : kPrimes) {
      while (left % radix == 0) left /= radix;
    }
    if (left == 1) return n;
    std::int64_t length = 1;
    while (length < 2 * n - 1) length *= 2;
    return length;
  }
  /// Radix 4 first: it needs the fewest products.
  static void divide(FftSizes& sizes) {
    std::int64_t left = sizes.length;
    const auto take = [&](std::int64_t radix) {
      for (; left % radix == 0; left /= radix) sizes.radices[sizes.num_radices++] = radix;
    };
    take(4);
    for (const std::int64_t radix : kPrimes) take(radix);
  }

  std::uint8_t dtype_;
  FftSizes attributes_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_FFT_HPP_

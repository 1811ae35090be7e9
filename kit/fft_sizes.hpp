// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The sizes of Fourier transforms, without functions of the standard library: loops for several
// instruction sets include this.
#ifndef PATCHBAY_KIT_FFT_SIZES_HPP_
#define PATCHBAY_KIT_FFT_SIZES_HPP_

#include <cstdint>

namespace patchbay {

/// What a transform is multiplied with: nothing, or turns that depend on its column or its matrix.
enum class Turned : std::uint8_t { kNo, kByColumn, kByMatrix };

/// Steps are in pairs. portable/texts/transforms/fft.pbk has the same struct, and says more.
struct FftSizes {
  std::int64_t count = 0, n = 0, m = 0, length = 0, strip = 1, groups = 1, work_step = 0,
               inverse = 0, turned = 0, num_radices = 0;
  std::int64_t radices[16] = {};
  std::int64_t from_step = 0, from_row = 0, from_column = 0, to_step = 0, to_row = 0, to_column = 0;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_FFT_SIZES_HPP_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// out = alpha a b + beta out; transposed operands come as strides.
#include <array>

#include "patchbay/plugin/kit/error.hpp"

#include "dtypes.hpp"

namespace fake {
namespace {

/// f32 is summed in f64; integers wrap around.
template <class T>
struct Accumulator {
  using type = Unsigned<T>;
};
template <>
struct Accumulator<float> {
  using type = double;
};
template <>
struct Accumulator<double> {
  using type = double;
};

template <class T>
void gemm(Views views) {
  using Sum = typename Accumulator<T>::type;
  const View &out = views[0], &a = views[1], &b = views[2];
  const auto alpha = static_cast<Sum>(*views[3].elements<T>());
  const auto beta = static_cast<Sum>(*views[4].elements<T>());
  for (std::int64_t i = 0; i < out.shape[0]; ++i) {
    for (std::int64_t j = 0; j < out.shape[1]; ++j) {
      const T* const row = a.elements<T>() + i * a.strides[0];
      const T* const column = b.elements<T>() + j * b.strides[1];
      Sum sum{};
      for (std::int64_t k = 0; k < a.shape[1]; ++k) {
        sum += static_cast<Sum>(row[k * a.strides[1]]) * static_cast<Sum>(column[k * b.strides[0]]);
      }
      sum *= alpha;
      T& element = out.elements<T>()[i * out.strides[0] + j * out.strides[1]];
      // Not read with beta 0: it may be uninitialised, and NaN times 0 is NaN.
      if (beta != 0) sum += beta * static_cast<Sum>(element);
      element = static_cast<T>(sum);
    }
  }
}

Function choose(Specs specs) {
  const std::uint8_t dtype = specs[0].dtype;
  if (!all_have_dtype(specs, dtype) || dtype == PATCHBAY_U8) return nullptr;
  return for_numbers(dtype, [](auto x) -> Function {
    if constexpr (sizeof(x) == 1)
      return nullptr;
    else
      return gemm<decltype(x)>;
  });
}

void check(Views views) {
  const View &out = views[0], &a = views[1], &b = views[2];
  if (out.rank != 2 || a.rank != 2 || b.rank != 2 || out.shape[0] != a.shape[0] ||
      out.shape[1] != b.shape[1] || a.shape[1] != b.shape[0]) {
    patchbay::plugin::invalid_argument("gemm.1: expected [m, n], [m, k], [k, n]");
  }
}

constexpr std::array<Operator, 1> kOperators = {{{"gemm.1", "ottss", choose, check}}};

}  // namespace

std::span<const Operator> gemm_operators() { return kOperators; }

}  // namespace fake

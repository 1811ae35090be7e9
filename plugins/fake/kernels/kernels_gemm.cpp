// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// out = alpha a b + beta out; transposed operands come as strides.
#include <array>

#include "patchbay/plugin/kit/error.hpp"

#include "fake/kernels/dtypes.hpp"

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

/// The matrix of rank 2 that begins at that element.
View matrix_at(const View& of, std::int64_t element, std::size_t element_bytes) {
  View matrix = of;
  const auto row = static_cast<std::size_t>(of.rank - 2);
  matrix.rank = 2;
  matrix.data += element * static_cast<std::int64_t>(element_bytes);
  for (std::size_t d = 0; d < 2; ++d) {
    matrix.shape[d] = of.shape[row + d];
    matrix.strides[d] = of.strides[row + d];
  }
  return matrix;
}

template <class T>
void multiply(const View& out, const View& a, const View& b, T given_alpha, T given_beta) {
  using Sum = typename Accumulator<T>::type;
  const auto alpha = static_cast<Sum>(given_alpha), beta = static_cast<Sum>(given_beta);
  const std::int64_t depth = alpha != 0 ? a.shape[1] : 0;  // else a and b are not read
  for (std::int64_t i = 0; i < out.shape[0]; ++i) {
    for (std::int64_t j = 0; j < out.shape[1]; ++j) {
      const T* const row = a.elements<T>() + i * a.strides[0];
      const T* const column = b.elements<T>() + j * b.strides[1];
      Sum sum{};
      for (std::int64_t k = 0; k < depth; ++k) {
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

/// The last two dimensions are those of matrices, the others of the batch.
template <class T>
void gemm(Views views) {
  std::array<View, 3> batch{views[0], views[1], views[2]};
  for (View& view : batch) view.rank -= 2;
  for_each<3>({&batch[0], &batch[1], &batch[2]}, [&](const auto& at) {
    multiply<T>(matrix_at(views[0], at[0], sizeof(T)), matrix_at(views[1], at[1], sizeof(T)),
                matrix_at(views[2], at[2], sizeof(T)), *views[3].elements<T>(),
                *views[4].elements<T>());
  });
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
  bool fit = out.rank >= 2 && a.rank == out.rank && b.rank == out.rank;
  if (fit) {
    const auto row = static_cast<std::size_t>(out.rank - 2), column = row + 1;
    fit = out.shape[row] == a.shape[row] && out.shape[column] == b.shape[column] &&
          a.shape[column] == b.shape[row];
    for (std::size_t d = 0; d < row; ++d) {
      fit = fit && out.shape[d] == a.shape[d] && out.shape[d] == b.shape[d];
    }
  }
  if (!fit) {
    patchbay::plugin::invalid_argument("gemm.1: expected [..., m, n], [..., m, k], [..., k, n]");
  }
}

constexpr std::array<Operator, 1> kOperators = {{{"gemm.1", "ottss", choose, check}}};

}  // namespace

std::span<const Operator> gemm_operators() { return kOperators; }

}  // namespace fake

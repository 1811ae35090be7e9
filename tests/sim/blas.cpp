// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "blas.h"

#include <algorithm>
#include <array>

#include "small_floats.h"
#include "workspace.h"

namespace patchbay::sim {
namespace {

#ifdef PATCHBAY_SIM_HIP
constexpr int kComputeF32 = vendor::kBlasF32, kComputeF64 = vendor::kBlasF64;
#else
constexpr int kComputeF32 = vendor::kBlasComputeF32, kComputeF64 = vendor::kBlasComputeF64;
#endif
// The third axis of a grid goes no further.
constexpr int kMostBatches = 65535;
// So many terms make a part of a sum.
constexpr int kPart = 512;

/// A matrix by columns, or its transposed one.
template <class T>
struct View {
  const T* data;
  std::int64_t row, column;
  View(const std::byte* bytes, int transpose, int leading)
      : data(reinterpret_cast<const T*>(bytes)),
        row(transpose == vendor::kBlasNotTransposed ? 1 : leading),
        column(transpose == vendor::kBlasNotTransposed ? leading : 1) {}
  T at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

/// `count` matrices of that many columns at equal distances.
struct Extent {
  std::int64_t rows, columns, leading, next, count;

  std::uint64_t elements() const {
    if (rows == 0 || columns == 0) return 1;  // its address must be valid all the same
    return static_cast<std::uint64_t>((count - 1) * next + (columns - 1) * leading + rows);
  }
};

/// Null if not all of the matrices is in memory of the context, and for no address at all.
template <class T>
std::byte* bytes_of(const ContextObject& context, const Gemm::Matrix& matrix, std::int64_t rows,
                    std::int64_t columns, std::int64_t count) {
  const Extent extent{rows, columns, matrix.leading, matrix.next, count};
  const std::lock_guard lock(machine().mutex);
  return machine().resolve(context, reinterpret_cast<std::uintptr_t>(matrix.address),
                           extent.elements() * sizeof(T));
}

/// Where a product is rounded to the type of the result.
struct Rounding {
  std::int64_t part;  // after so many terms
  bool product;       // before the bias is added
};

/// C is the type in which the products are summed, and R that of the result.
template <class T, class C, class R>
void multiply_one(std::int64_t m, std::int64_t n, std::int64_t k, C alpha, View<T> a, View<T> b,
                  C beta, R* c, std::int64_t leading, const R* bias, Rounding rounding) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      C sum = 0;
      for (std::int64_t first = 0; first < k; first += rounding.part) {
        if (first != 0) sum = static_cast<C>(R(sum));
        for (std::int64_t l = first; l < std::min(k, first + rounding.part); ++l)
          sum += static_cast<C>(a.at(i, l)) * static_cast<C>(b.at(l, j));
      }
      R& out = c[i + j * leading];
      sum *= alpha;
      if (beta != C(0)) sum += beta * static_cast<C>(out);
      if (bias != nullptr) {
        if (rounding.product) sum = static_cast<C>(R(sum));
        sum += static_cast<C>(bias[i]);
      }
      out = R(sum);
    }
  }
}

template <class T, class C, class R = T>
BlasError multiply_as(const Blas& blas, const Gemm& gemm) {
  const ContextObject& context = blas.context;
  const auto [m, n, k] = std::array{gemm.m, gemm.n, gemm.k};
  const bool plain_a = gemm.transpose_a == vendor::kBlasNotTransposed;
  const bool plain_b = gemm.transpose_b == vendor::kBlasNotTransposed;
  const int rows_a = plain_a ? m : k, rows_b = plain_b ? k : n;
  if (m < 0 || n < 0 || k < 0 || gemm.count < 0 || gemm.a.leading < std::max(1, rows_a) ||
      gemm.b.leading < std::max(1, rows_b) || gemm.c.leading < std::max(1, m)) {
    return BlasError::kInvalid;
  }
  if (gemm.count > kMostBatches) return BlasError::kFailed;
  std::byte* const a = bytes_of<T>(context, gemm.a, rows_a, m + k - rows_a, gemm.count);
  std::byte* const b = bytes_of<T>(context, gemm.b, rows_b, k + n - rows_b, gemm.count);
  std::byte* const c = bytes_of<R>(context, gemm.c, m, n, gemm.count);
  const Gemm::Matrix row{gemm.bias, gemm.c.type, m, 0};
  const auto* const bias = reinterpret_cast<const R*>(
      gemm.bias == nullptr ? nullptr : bytes_of<R>(context, row, m, 1, 1));
  if (a == nullptr || b == nullptr || c == nullptr || (bias == nullptr) != (gemm.bias == nullptr)) {
    return BlasError::kInvalid;
  }
  // Of the host, read now.
  const C alpha = *static_cast<const C*>(gemm.alpha), beta = *static_cast<const C*>(gemm.beta);
  const Rounding rounding{blas.rounds_parts && sizeof(R) == 2 ? kPart : std::max(k, 1),
                          gemm.rounds_product};
  const int code =
      submit(blas.stream, [=, workspace = blas.workspace, bytes = blas.workspace_bytes] {
        scribble(workspace, bytes);
        const std::int64_t element = sizeof(T), result = sizeof(R);
        for (int i = 0; i < gemm.count; ++i) {
          multiply_one<T, C, R>(
              gemm.m, gemm.n, gemm.k, alpha,
              View<T>(a + i * gemm.a.next * element, gemm.transpose_a, gemm.a.leading),
              View<T>(b + i * gemm.b.next * element, gemm.transpose_b, gemm.b.leading), beta,
              reinterpret_cast<R*>(c + i * gemm.c.next * result), gemm.c.leading, bias, rounding);
        }
      });
  return code == kSuccess ? BlasError::kNone : BlasError::kFailed;
}

}  // namespace

std::unique_ptr<Blas> create_blas(ContextObject& context) {
  const std::lock_guard lock(machine().mutex);
  Block* const kept = machine().allocate(context, machine().config.blas_bytes);
  if (kept == nullptr) return nullptr;
  kept->is_of_library = true;
  ++machine().num_blas_handles;
  return std::unique_ptr<Blas>(
      new Blas{context, reinterpret_cast<std::uintptr_t>(kept->range.base())});
}

Blas::~Blas() {
  const std::lock_guard lock(machine().mutex);
  machine().blocks.erase(memory);
  --machine().num_blas_handles;
}

bool set_workspace(Blas& blas, void* memory, std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  blas.workspace = address % 256 == 0 ? machine().resolve(blas.context, address, bytes) : nullptr;
  blas.workspace_bytes = bytes;
  return blas.workspace != nullptr;
}

BlasError multiply(const Blas& blas, const Gemm& gemm) {
  int code = 0;
  if (current_context(code) != &blas.context || !blas.is_set_up) return BlasError::kNoContext;
  const int type = gemm.a.type;
  const bool is_wide =
      gemm.c.type == vendor::kBlasF32 && (type == vendor::kBlasF16 || type == vendor::kBlasBf16);
  if (gemm.b.type != type || (gemm.c.type != type && !is_wide)) return BlasError::kInvalid;
  if (type == vendor::kBlasF64) {
    return gemm.compute_type == kComputeF64 ? multiply_as<double, double>(blas, gemm)
                                            : BlasError::kInvalid;
  }
  if (gemm.compute_type != kComputeF32) return BlasError::kInvalid;
  if (type == vendor::kBlasF32) {
    return blas.uses_tf32 ? multiply_as<Tf32, float>(blas, gemm)
                          : multiply_as<float, float>(blas, gemm);
  }
  if (type == vendor::kBlasF16) {
    return is_wide ? multiply_as<F16, float, float>(blas, gemm)
                   : multiply_as<F16, float>(blas, gemm);
  }
  if (type == vendor::kBlasBf16) {
    return is_wide ? multiply_as<Bf16, float, float>(blas, gemm)
                   : multiply_as<Bf16, float>(blas, gemm);
  }
  return BlasError::kInvalid;
}

}  // namespace patchbay::sim

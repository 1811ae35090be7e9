// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The inner loops, in one table for each instruction set.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TABLE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TABLE_HPP_

#include <cstdint>

#include "patchbay/plugin/kernels/dtypes.hpp"
#include "patchbay/plugin/kernels/elementwise.h"
#include "patchbay/plugin/kernels/operators.h"

#include "kit/factor_sizes.hpp"
#include "kit/fft_sizes.hpp"

namespace patchbay::cpu {

/// Tables are indexed by patchbay_dtype.
constexpr int kNumDtypes = static_cast<int>(kernels::kNumDtypeNumbers);

// The operators of the tables, which number the rows below.
#define PATCHBAY_NUMBERED(name, ...) name,
enum class UnaryOp { PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_NUMBERED) kCount };
enum class BinaryOp { PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_NUMBERED) kCount };
enum class ChoiceOp { PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_NUMBERED) kCount };
/// a b + c, c + a b, a b - c and c - a b, for fused expressions.
enum class ProductSum { kProductPlus, kPlusProduct, kProductMinus, kMinusProduct, kCount };
enum class BoundedOp { PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_NUMBERED) kCount };
enum class CompareOp { PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_NUMBERED) kCount };
enum class TestOp { PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_NUMBERED) kCount };
enum class LogicalOp { PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_NUMBERED) kCount };
enum class ReduceOp { PATCHBAY_OPERATORS_REDUCTION(PATCHBAY_NUMBERED) kCount };
#undef PATCHBAY_NUMBERED
template <class Op>
constexpr int number_of(Op op) {
  return static_cast<int>(op);
}
template <class Op>
constexpr int kCountOf = number_of(Op::kCount);

/// How one row of an elementwise operation is walked: strides in elements; 0 repeats an input.
struct Steps {
  std::int64_t out = 1, a = 1, b = 1;
  bool stream = false;  // use non-temporal stores
  std::int64_t c = 1;
};
/// out[i] = op(a[i], b[i]) for n elements. Operations with fewer inputs ignore b, or both.
using Row = void (*)(std::int64_t n, void* out, const void* a, const void* b, const Steps& steps);
/// out[i] = op(a[i], b[i], c[i]) for n elements.
using Row3 = void (*)(std::int64_t n, void* out, const void* a, const void* b, const void* c,
                      const Steps& steps);

/// out[i * step] = start + (first + i) * increment; both scalars of the output's type.
using Arange = void (*)(std::int64_t first, std::int64_t n, void* out, std::int64_t step,
                        const void* start, const void* increment);

/// Transposes rows x columns elements, from a source with unit stride down its columns to a buffer
/// with unit stride along its rows.
using Transpose = void (*)(std::int64_t rows, std::int64_t columns, void* out, std::int64_t out_row,
                           const void* in, std::int64_t in_column);

/// Reductions work in blocks of kBlock elements; the caller combines block results pairwise, so the
/// order, and with it every bit, depends only on the number of elements.
constexpr std::int64_t kBlock = 2048;
constexpr std::int64_t kMaxWidth = 128;
/// Columns that are reduced together: 512 bytes of a row, so that accumulators stay close.
constexpr std::int64_t tile_width(std::int64_t element_bytes) {
  return 512 / element_bytes < kMaxWidth ? 512 / element_bytes : kMaxWidth;
}

/// One accumulator from n <= kBlock contiguous elements.
using ReduceBlock = void (*)(std::int64_t n, const void* in, void* accumulator);
/// `width` accumulators from num_rows <= kBlock rows of `width` contiguous elements.
using ReduceColumns = void (*)(std::int64_t num_rows, std::int64_t width, const void* const* rows,
                               void* accumulators);
/// accumulators[i] joined with later[i].
using Combine = void (*)(std::int64_t n, void* accumulators, const void* later);

/// Replaces the best value and its index if one of n elements is strictly better; element i has
/// index first + i. A negative index means that there is no value yet.
using ArgBlock = void (*)(std::int64_t n, const void* in, std::int64_t first, void* value,
                          std::int64_t* index);
using ArgColumns = void (*)(std::int64_t num_rows, std::int64_t width, const void* const* rows,
                            std::int64_t first, void* values, std::int64_t* indices);
using ArgCombine = void (*)(std::int64_t n, void* values, std::int64_t* indices,
                            const void* later_values, const std::int64_t* later_indices);

/// out = alpha a b + beta out for integers that wrap; strides {row, column} in elements.
struct IntegerGemm {
  std::int64_t m, n, k;
  const void* a;
  const void* b;
  void* out;
  std::int64_t a_strides[2], b_strides[2], out_strides[2];
  const void* alpha;
  const void* beta;
};
using IntegerGemmEntry = void (*)(const IntegerGemm& problem);

/// A product of floats. `out` has unit stride along m, a and b have one unit stride each; vectors
/// may have any. With alpha 0, a and b are not read; with beta 0, out is not read.
struct FloatGemm {
  std::int64_t m, n, k;
  const void* a;
  const void* b;
  void* out;
  std::int64_t a_strides[2], b_strides[2], out_strides[2];
  const void* alpha;
  const void* beta;
  void* scratch;                   // aligned to a cache line; may be null if no scratch is needed
  bool is_vector;                  // b and out are vectors: n is 1 in the whole product
  const void* packed_a = nullptr;  // a as pack_a has written it; null to pack it anew
};
struct FloatGemmLoop {
  void (*multiply)(const FloatGemm& problem) = nullptr;
  /// Writes all of a in the order in which products read it, for products with other n too.
  void (*pack_a)(const FloatGemm& problem, void* to) = nullptr;
  /// The number of elements that it writes; 0 if products of these extents read a as it is.
  std::int64_t (*packed_elements)(std::int64_t m, std::int64_t n, std::int64_t k,
                                  bool a_has_unit_rows, bool b_has_unit_rows) = nullptr;
  /// The number of elements of scratch memory for a product of these extents or smaller ones.
  std::int64_t (*scratch_elements)(std::int64_t m, std::int64_t n, std::int64_t k,
                                   bool a_has_unit_rows) = nullptr;
};

/// Writes num_blocks blocks of Philox from number `first` on, 16 bytes each, to `words`. Whole
/// vectors are written, so `words` needs room for a multiple of kBlocksTogether.
constexpr std::int64_t kBlocksTogether = 8;
using Philox = void (*)(std::uint64_t seed, std::uint64_t offset, std::uint64_t first,
                        std::int64_t num_blocks, void* words);
/// Computes n elements from such words. Parameters are the bits of the operator's scalars.
using Draw = void (*)(std::int64_t n, const void* words, const std::uint64_t* parameters,
                      void* out);

struct Reduction {
  ReduceBlock block = nullptr;
  ReduceColumns columns = nullptr;
  Combine combine = nullptr;
};
struct ArgReduction {
  ArgBlock block = nullptr;
  ArgColumns columns = nullptr;
  ArgCombine combine = nullptr;
};

/// The most elements of a row whose exponentials are kept beside it, in the cache.
constexpr std::int64_t kMostKept = 1 << 14;

/// Softmax along rows of contiguous elements, or its logarithm. Sums are made in blocks of kBlock
/// elements and joined in order, in f64, by every function, so that all of them give equal bits.
struct SoftmaxLoops {
  /// Whole rows, each on one thread.
  void (*rows)(std::int64_t num_rows, std::int64_t n, void* out, const void* a, bool logarithm,
               bool stream) = nullptr;
  /// The sum of exp(a - most) of at most kBlock elements.
  double (*sum)(std::int64_t n, const void* a, double most) = nullptr;
  /// The result of at most kBlock elements, given the sum of their row.
  void (*write)(std::int64_t n, void* out, const void* a, bool logarithm, double most, double sum,
                bool stream) = nullptr;
  /// n rows of `width` <= kMaxWidth columns, `step` elements apart, each column by itself.
  void (*columns)(std::int64_t n, std::int64_t width, std::int64_t step, void* out, const void* a,
                  bool logarithm) = nullptr;
  // The same of the adjoint, y being the result of softmax.
  void (*adjoint_rows)(std::int64_t num_rows, std::int64_t n, void* out, const void* grad,
                       const void* y, bool logarithm, bool stream) = nullptr;
  double (*adjoint_sum)(std::int64_t n, const void* grad, const void* y, bool logarithm) = nullptr;
  void (*adjoint_write)(std::int64_t n, void* out, const void* grad, const void* y, bool logarithm,
                        double sum, bool stream) = nullptr;
  void (*adjoint_columns)(std::int64_t n, std::int64_t width, std::int64_t step, void* out,
                          const void* grad, const void* y, bool logarithm) = nullptr;
};

/// Elements of one row of a normalization: x = (a - mean) factor.
struct NormalizedRow {
  std::int64_t n;
  const void* a;
  double mean, factor;
  const void* weight;        // of the row's first element
  std::int64_t weight_step;  // 0: one weight for all
};
struct NormalizeLoops {
  /// The mean of at most kBlock elements and the sum of their squared deviations from it; without
  /// `centered` 0 and the sum of squares.
  void (*moments)(std::int64_t n, const void* a, bool centered, double* mean,
                  double* squares) = nullptr;
  /// out = x weight + bias.
  void (*apply)(const NormalizedRow& row, void* out, const void* bias, std::int64_t bias_step,
                bool stream) = nullptr;
  /// The sums of d = grad weight and of d x over at most kBlock elements.
  void (*sums)(const NormalizedRow& row, const void* grad, double* along, double* across) = nullptr;
  /// out = factor (d - along - x across).
  void (*adjoint)(const NormalizedRow& row, void* out, const void* grad, double along,
                  double across, bool stream) = nullptr;
  /// Adds grad x and grad, element by element.
  void (*add)(const NormalizedRow& row, const void* grad, void* of_weight, void* of_bias) = nullptr;
};

/// Compares n elements, `step` apart, with the largest so far of their windows, and keeps those
/// that are larger with their places: `place` is the first one's. The first of equal elements
/// stays, and the first NaN.
using KeepMost = void (*)(std::int64_t n, void* most, std::int32_t* places, const void* from,
                          std::int64_t step, std::int32_t place);

/// Winograd's algorithm F(4x4, 3x3) for f32, for kWinogradLanes channels at a time, which lie side
/// by side. A tile of 6 x 6 pixels gives 4 x 4 results. Its transform has 36 elements for each
/// channel; they are `next` apart, as are those of a kernel.
constexpr std::int64_t kWinogradLanes = 16;
constexpr std::int64_t kWinogradElements = 36;
struct WinogradLoops {
  /// to[x lanes + l] = from[l step + x] for count pixels x; 0 for lanes l from `lanes` on.
  void (*take)(std::int64_t count, std::int64_t lanes, const float* from, std::int64_t step,
               float* to) = nullptr;
  /// The reverse, for the first `lanes` lanes.
  void (*give_back)(std::int64_t count, std::int64_t lanes, const float* from, float* to,
                    std::int64_t step) = nullptr;
  /// Transforms the 3 x 3 kernels of lanes that are `step` apart; `turns` them by 180 degrees.
  void (*weight)(std::int64_t lanes, const float* from, std::int64_t step, bool turns, float* to,
                 std::int64_t next) = nullptr;
  /// Transforms a row of tiles, 4 pixels apart, from rows of `pitch` pixels. Results are `step`
  /// apart.
  void (*input)(std::int64_t tiles, const float* from, std::int64_t pitch, float* to,
                std::int64_t step, std::int64_t next) = nullptr;
  /// Brings the products of a row of tiles back: 4 rows of `pitch` pixels.
  void (*output)(std::int64_t tiles, const float* from, std::int64_t step, std::int64_t next,
                 float* to, std::int64_t pitch) = nullptr;
};

/// A part of a convolution with stride 1: the sums over `steps` elements under each window, for
/// rows of `windows` windows and some filters. Strides are in elements.
struct DirectBlock {
  std::int64_t steps;
  const std::int64_t* offsets;  // of each step's element from the first
  const void* source;           // the first element under the first window
  std::int64_t pitch;           // from a row of the source to the next; rows are readable up to the
                                // end of the last vector
  const void* weight;           // for `columns` filters at a time (the rest at the end): all steps
  void* result;                 // rows lie one after the other
  std::int64_t plane;           // from a filter's results to the next
  std::int64_t rows, windows, filters;
  bool adds;  // to the results
};
/// A part of the gradient of a weight with stride 1: products of the elements under the windows
/// with the windows' gradient, for one channel, one row of its kernels and at most weight_filters
/// filters.
struct DirectWeightBlock {
  std::int64_t images, rows, windows;
  const void* source;  // the element under the first window at the kernel row's first element
  std::int64_t source_image, source_pitch;
  const void* grad;  // rows end with whole vectors, whose elements beyond the windows are 0
  std::int64_t grad_image, grad_filter, grad_pitch;
  std::int64_t filters, columns, column_step;  // of the kernels' rows
  void* sums;  // [filters, columns] vectors, to which the sums of their lanes' products are added
};
struct DirectLoop {
  void (*sum)(const DirectBlock&) = nullptr;
  void (*add_weight)(const DirectWeightBlock&) = nullptr;
  std::int64_t lanes = 0, columns = 0;
  bool has_pairs = false;
  std::int64_t weight_filters = 0;  // the most of a call of add_weight

  /// Lanes of a vector along rows of so many windows: half of them if the others would be empty and
  /// two rows can share a vector.
  std::int64_t lanes_of(std::int64_t windows) const {
    return has_pairs && 2 * windows <= lanes ? lanes / 2 : lanes;
  }
};

/// One matrix, or strip, of a factorization.
using FactorLoop = void (*)(void* const* operands, const FactorSizes& sizes, std::int64_t group);

/// Fourier transforms: the tables of a length, and one strip of columns. `operands` are the input,
/// the output, both tables and the memory of a strip, `work`.
struct FftLoops {
  void (*fill_tables)(void* turns, void* turned, void* work, const FftSizes& sizes) = nullptr;
  void (*transform)(void* const* operands, const void* scale, const FftSizes& sizes,
                    std::int64_t strip) = nullptr;
};

/// A null entry means that there is no such operation for that type.
struct SimdTable {
  const char* name = "";
  bool has_fast_products = false;  // as fast as a BLAS library
  std::uint32_t vector_bytes = 16;
  Row unary[kCountOf<UnaryOp>][kNumDtypes] = {};
  Row binary[kCountOf<BinaryOp>][kNumDtypes] = {};
  Row3 choice[kCountOf<ChoiceOp>][kNumDtypes] = {};
  Row3 bounded[kCountOf<BoundedOp>][kNumDtypes] = {};
  Row3 product_sum[kCountOf<ProductSum>][kNumDtypes] = {};  // f32 and f64; rows side by side
  Row compare[kCountOf<CompareOp>][kNumDtypes] = {};
  Row test[kCountOf<TestOp>][kNumDtypes] = {};
  Row logical[kCountOf<LogicalOp>] = {};
  Row cast[kNumDtypes][kNumDtypes] = {};  // [to][from]
  Row copy[kNumDtypes] = {};
  Arange arange[kNumDtypes] = {};
  Transpose transpose[kNumDtypes] = {};
  Reduction reduce[kCountOf<ReduceOp>][kNumDtypes] = {};
  ArgReduction arg_reduce[kCountOf<ReduceOp>][kNumDtypes] = {};  // of those that give indices
  IntegerGemmEntry integer_gemm[kNumDtypes] = {};
  FloatGemmLoop float_gemm[kNumDtypes] = {};
  FactorLoop factors[kNumDtypes][2][kNumFactors] = {};  // of f32 and f64: numbers, and pairs
  FftLoops fft[kNumDtypes] = {};                        // of f32 and f64
  SoftmaxLoops softmax[kNumDtypes] = {};
  NormalizeLoops normalize[kNumDtypes] = {};
  KeepMost keep_most[kNumDtypes] = {};  // f32 and f64
  WinogradLoops winograd;
  DirectLoop direct[kNumDtypes] = {};  // f32 and f64
  Philox philox = nullptr;
  Draw uniform[kNumDtypes] = {};
  Draw normal[kNumDtypes] = {};
  Draw integers[kNumDtypes] = {};
  Draw wide_integers = nullptr;  // i64, ranges over 2^32
  Draw mask = nullptr;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TABLE_HPP_

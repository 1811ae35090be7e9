// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of matrices against three loops.
#include <cmath>

#include <patchbay/ops.h>

#include "conformance/reference/elementwise.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

struct Sizes {
  std::int64_t m, k, n;
};
constexpr Sizes kSizes[] = {{1, 1, 1},     {3, 5, 7},   {16, 16, 16}, {65, 33, 129}, {1, 700, 1},
                            {100, 100, 1}, {1, 9, 300}, {0, 3, 2},    {3, 0, 2}};
/// At the edges of tiles and of the blocks of portable kernels, 64 x 64 and 128 x 128.
constexpr Sizes kEdges[] = {{15, 17, 16}, {17, 1, 15},    {63, 16, 65},
                            {64, 15, 64}, {127, 33, 128}, {128, 16, 129}};
constexpr Sizes kOverEdges = {129, 17, 127}, kSeveralBlocks = {130, 70, 200};

/// The elements of alpha a b + beta out; of integers modulo 2^bits.
template <class T>
Terms<T> product(const Values<T>& a, const Values<T>& b, const Values<T>& out, const Sizes& size,
                 int alpha, int beta) {
  using E = Exact<T>;
  const auto at = [](const Values<T>& values, std::int64_t i) {
    return static_cast<E>(values[static_cast<std::size_t>(i)]);
  };
  Terms<T> result(static_cast<std::size_t>(size.m * size.n));
  for (std::int64_t i = 0; i < size.m; ++i) {
    for (std::int64_t j = 0; j < size.n; ++j) {
      conformance::Term<E>& element = result[static_cast<std::size_t>(i * size.n + j)];
      const auto add = [&](E x, E y) {
        const E term = conformance::product_of(x, y);
        if constexpr (kIsFloat<T>)
          element.add(term);
        else
          element.value = conformance::sum_of(element.value, term);
      };
      for (std::int64_t k = 0; k < size.k; ++k) {
        add(conformance::product_of(at(a, i * size.k + k), static_cast<E>(alpha)),
            at(b, k * size.n + j));
      }
      if (beta != 0) add(at(out, i * size.n + j), static_cast<E>(beta));
    }
  }
  return result;
}

/// Values of the operands [m, k], [k, n] and [m, n].
template <class T>
struct Operands {
  template <class Make>
  Operands(const Sizes& size, const Make& make)
      : a_shape{size.m, size.k},
        b_shape{size.k, size.n},
        shape{size.m, size.n},
        a(make(count_of(a_shape), 1)),
        b(make(count_of(b_shape), 2)),
        start(make(count_of(shape), 3)) {}

  Shape a_shape, b_shape, shape;
  Values<T> a, b, start;
};

/// All layouts, with whole numbers, of which no product is rounded.
template <class T>
void check_whole(const Device& device, const Sizes& size) {
  const auto& [a_shape, b_shape, shape, a, b, start] = Operands<T>(
      size, [](std::size_t count, unsigned seed) { return whole_values<T>(count, seed); });
  const auto values = [&](int alpha, int beta) {
    std::vector<Exact<T>> all;
    for (const auto& one : product<T>(a, b, start, size, alpha, beta)) all.push_back(one.value);
    return all;
  };
  const auto expected = values(1, 0), scaled_sum = values(2, -3);
  for (const Layout left : kLayouts) {
    for (const Layout right : kLayouts) {
      const Tensor x = arrange<T>(a, a_shape, left, device);
      const Tensor y = arrange<T>(b, b_shape, right, device);
      const std::string what = "gemm of whole numbers " + testing::PrintToString(left) + ", " +
                               testing::PrintToString(right);
      expect_within<T>(download<T>(matmul(x, y)), expected, 0, what);
      for (const Layout into : kLayouts) {
        const Tensor out = arrange<T>(start, shape, into, device);
        matmul_out(out, x, y, 2, -3);
        expect_within<T>(download<T>(out), scaled_sum, 0, what + " out");
      }
    }
  }
}

/// Leading dimensions of the operands, and how the operands lie.
struct Batch {
  Shape a, b, out;
  Layout left = Layout::kContiguous, right = Layout::kContiguous;
};
std::vector<Batch> batches() {
  return {
      {{4}, {4}, {4}},
      {{2, 3}, {2, 3}, {2, 3}},
      {{5}, {}, {5}},
      {{}, {5}, {5}},
      {{2, 1}, {1, 3}, {2, 3}},
      {{3}, {2, 1, 1}, {2, 1, 3}},
      {{0}, {0}, {0}},
      {{33}, {33}, {33}},
      {{3}, {3}, {3}, Layout::kTransposed, Layout::kTransposed},
      {{3}, {1}, {3}, Layout::kStep, Layout::kStep},
      {{3}, {}, {3}, Layout::kOffset, Layout::kOffset},
  };
}

/// Where index number `at` of `out` lies among those of `lead`, which broadcasts to it.
std::size_t broadcast_index(const Shape& lead, const Shape& out, std::size_t at) {
  std::size_t index = 0, factor = 1;
  for (int i = 1; i <= out.rank(); ++i) {  // from the end
    const auto extent = static_cast<std::size_t>(out[out.rank() - i]);
    const std::size_t here = at % extent;
    at /= extent;
    if (i > lead.rank() || lead[lead.rank() - i] == 1) continue;
    index += here * factor;
    factor *= extent;
  }
  return index;
}

Shape with_matrix(Shape lead, std::int64_t rows, std::int64_t columns) {
  lead.push_back(rows);
  lead.push_back(columns);
  return lead;
}

template <class T>
Values<T> matrix_at(const Values<T>& values, std::size_t index, std::int64_t elements) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(index) * elements;
  return Values<T>(first, first + elements);
}

/// The layouts in support/layout.h end at rank 3.
template <class T>
Tensor arrange_batch(const Values<T>& values, const Shape& shape, Layout layout,
                     const Device& device) {
  return arrange<T>(values, shape, shape.rank() > 3 ? Layout::kContiguous : layout, device);
}

template <class T>
void check_batch(const Device& device, const OperatorInfo& record, const Batch& batch,
                 const Sizes& size) {
  const Shape a_shape = with_matrix(batch.a, size.m, size.k);
  const Shape b_shape = with_matrix(batch.b, size.k, size.n);
  const Shape shape = with_matrix(batch.out, size.m, size.n);
  const std::string what = "gemm " + to_string(a_shape) + ' ' + to_string(b_shape) + ' ' +
                           testing::PrintToString(batch.left) + ", " +
                           testing::PrintToString(batch.right);
  const Values<T> a = tame_values<T>(count_of(a_shape), 1);
  const Values<T> b = tame_values<T>(count_of(b_shape), 2);
  const Values<T> start = tame_values<T>(count_of(shape), 3);
  const auto expected = [&](int alpha, int beta) {
    Terms<T> all;
    for (std::size_t i = 0; i < count_of(batch.out); ++i) {
      const auto one =
          product<T>(matrix_at<T>(a, broadcast_index(batch.a, batch.out, i), size.m * size.k),
                     matrix_at<T>(b, broadcast_index(batch.b, batch.out, i), size.k * size.n),
                     matrix_at<T>(start, i, size.m * size.n), size, alpha, beta);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  const Tensor x = arrange_batch<T>(a, a_shape, batch.left, device);
  const Tensor y = arrange_batch<T>(b, b_shape, batch.right, device);
  const Tensor got = matmul(x, y);
  ASSERT_EQ(got.shape(), shape) << what;
  expect_terms<T>(download<T>(got), expected(1, 0), record, what);
  const Tensor out = arrange_batch<T>(start, shape, batch.left, device);
  matmul_out(out, x, y, 2, -3);
  expect_terms<T>(download<T>(out), expected(2, -3), record, what + " out");
}

template <class T>
void check_layouts(const Device& device, const OperatorInfo& record, const Sizes& size, Layout left,
                   Layout right) {
  check_batch<T>(device, record, {{}, {}, {}, left, right}, size);
}

/// With beta 0 the result is only written.
template <class T>
void check_beta_0(const Device& device, const OperatorInfo& record, const Sizes& size) {
  if constexpr (kIsFloat<T>) {
    const Operands<T> in(size, tame_values<T>);
    const Tensor out = full(in.shape, NAN, {dtype_of<T>(), device});
    matmul_out(out, upload<T>(in.a, in.a_shape, device), upload<T>(in.b, in.b_shape, device), 2);
    expect_terms<T>(download<T>(out), product<T>(in.a, in.b, {}, size, 2, 0), record,
                    "gemm over NaN");
  }
}

/// A NaN or an infinity reaches its row or column, and no further; with beta 0 not from `out`.
template <class T>
void check_special(const Device& device) {
  if constexpr (kIsFloat<T>) {
    Values<T> a(6, 1), b(6, 1);
    a[1] = std::numeric_limits<T>::quiet_NaN();
    b[5] = std::numeric_limits<T>::infinity();
    const Tensor out = full({2, 2}, NAN, {dtype_of<T>(), device});
    matmul_out(out, upload<T>(a, {2, 3}, device), upload<T>(b, {3, 2}, device));
    const Values<T> got = download<T>(out);
    EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
    EXPECT_EQ(got[2], 3);
    EXPECT_TRUE(std::isinf(got[3]) && got[3] > 0);
  }
}

template <class T>
void check_blocks(const Device& device, const OperatorInfo& record) {
  constexpr Layout kOrders[] = {Layout::kContiguous, Layout::kTransposed};
  std::size_t turn = 0;
  for (const Sizes& size : kEdges) {
    check_layouts<T>(device, record, size, kOrders[turn % 2], kOrders[turn / 2 % 2]);
    ++turn;
  }
  for (const Layout left : kOrders) {
    for (const Layout right : kOrders) check_layouts<T>(device, record, kOverEdges, left, right);
  }
  check_layouts<T>(device, record, kSeveralBlocks, Layout::kOffset, Layout::kTransposed);
  check_beta_0<T>(device, record, kSeveralBlocks);
}

template <class T>
void check_all(const Device& device, const OperatorInfo& record) {
  for (const Sizes& size : kSizes) {
    for (const Layout left : kLayouts) {
      for (const Layout right : kLayouts) check_layouts<T>(device, record, size, left, right);
    }
  }
  if constexpr (!kIsSmall<T>) {
    for (const Sizes& size : {Sizes{2, 3, 4}, Sizes{1, 5, 1}, Sizes{1, 1, 1}, Sizes{7, 1, 3},
                              Sizes{1, 9, 6}, Sizes{5, 4, 1}, Sizes{17, 33, 9}}) {
      check_whole<T>(device, size);
    }
  }
  for (const Batch& batch : batches()) {
    for (const Sizes& size : {Sizes{3, 5, 7}, Sizes{1, 4, 6}, Sizes{17, 9, 1}, Sizes{2, 0, 3}}) {
      check_batch<T>(device, record, batch, size);
    }
  }
  check_batch<T>(device, record, {{3}, {3}, {3}}, {70, 65, 129});  // more than one tile
  check_blocks<T>(device, record);
  check_special<T>(device);
}

}  // namespace

OperatorCases matrix_cases() {
  return {case_of<Types::kSigned>("gemm", PATCHBAY_OF_TYPES(check_all))};
}

}  // namespace patchbay::test

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operations are counted as docs/profiling.md says: 1 for each addition, multiplication, comparison
// or elementary function, 2 for each multiplication of a product with its addition.
#include "tools/bench/operator_cases.h"

#include <fmt/format.h>

#include <patchbay/patchbay.h>

namespace patchbay::tools {
namespace {

constexpr std::int64_t kRow = 1024;
constexpr double kFloat = 4;  // bytes

double count(std::int64_t n) { return static_cast<double>(n); }

/// `operands` tensors of n elements are read and one is written.
template <class Run>
OperatorCase elementwise(const char* name, std::int64_t n, double operations, int operands,
                         Run run) {
  return {name,
          fmt::format("{}", n),
          operations * count(n),
          kFloat * operands * count(n),
          kFloat * count(n),
          [n, run](const Device& device) -> std::function<void()> {
            const Tensor a = rand({n}, device), b = rand({n}, device), out = empty({n}, device);
            return [=] { run(out, a, b); };
          }};
}

/// Of rows of 1024 elements, with `written` elements in the result.
template <class Run>
OperatorCase of_rows(const char* name, std::int64_t n, double operations, std::int64_t written,
                     Run run) {
  const std::int64_t rows = n / kRow;
  return {name,
          fmt::format("{} x {}", rows, kRow),
          operations * count(n),
          kFloat * count(n),
          kFloat * count(written),
          [rows, run](const Device& device) -> std::function<void()> {
            const Tensor a = rand({rows, kRow}, device), weight = rand({kRow}, device);
            return [=] { static_cast<void>(run(a, weight)); };
          }};
}

void add_elementwise(std::vector<OperatorCase>& cases, std::int64_t n) {
  cases.push_back(
      elementwise("add", n, 1, 2,
                  [](const Tensor& out, const Tensor& a, const Tensor& b) { add_out(out, a, b); }));
  cases.push_back(elementwise(
      "exp", n, 1, 1, [](const Tensor& out, const Tensor& a, const Tensor&) { exp_out(out, a); }));
  cases.push_back(
      elementwise("gelu", n, 1, 1,
                  [](const Tensor& out, const Tensor& a, const Tensor&) { gelu_out(out, a); }));
  const auto chain =
      fuse([](const Expression& a, const Expression& b) { return maximum(a * b + 1, 0) * 2 - a; },
           "fused chain");
  cases.push_back(elementwise(
      "fused chain", n, 5, 2,
      [chain](const Tensor& out, const Tensor& a, const Tensor& b) { chain.out(out, a, b); }));
}

void add_rows(std::vector<OperatorCase>& cases, std::int64_t n) {
  cases.push_back(of_rows("sum", n, 1, 1, [](const Tensor& a, const Tensor&) { return sum(a); }));
  cases.push_back(of_rows("row sums", n, 1, n / kRow,
                          [](const Tensor& a, const Tensor&) { return sum(a, 1); }));
  cases.push_back(
      of_rows("column sums", n, 1, kRow, [](const Tensor& a, const Tensor&) { return sum(a, 0); }));
  cases.push_back(
      of_rows("softmax", n, 5, n, [](const Tensor& a, const Tensor&) { return softmax(a, 1); }));
  cases.push_back(of_rows("layer_norm", n, 7, n, [](const Tensor& a, const Tensor& weight) {
    return layer_norm(a, {kRow}, weight, weight);
  }));
}

struct ConvolutionSize {
  const char* name;
  std::int64_t channels, extent, filters, kernel, stride, padding;
};

OperatorCase convolution(const ConvolutionSize& size, std::int64_t images) {
  const std::int64_t result = (size.extent + 2 * size.padding - size.kernel) / size.stride + 1;
  const Shape input{images, size.channels, size.extent, size.extent};
  const Shape weights{size.filters, size.channels, size.kernel, size.kernel};
  const double written = count(images * size.filters * result * result);
  const double window = count(size.channels * size.kernel * size.kernel);
  return {size.name,
          fmt::format("{} x {} x {} x {}, {} filters", images, size.channels, size.extent,
                      size.extent, size.filters),
          2 * written * window,
          kFloat * (count(num_elements(input)) + count(num_elements(weights))),
          kFloat * written,
          [=](const Device& device) -> std::function<void()> {
            const Tensor x = rand(input, device), weight = rand(weights, device);
            const Conv2dOptions options{.stride = size.stride, .padding = size.padding};
            return [=] { static_cast<void>(conv2d(x, weight, {}, options)); };
          }};
}

OperatorCase attention(std::int64_t steps) {
  constexpr std::int64_t kHeads = 8, kFeatures = 64;
  const double scores = count(kHeads * steps * steps);
  const Shape shape{1, kHeads, steps, kFeatures};
  return {"attention",
          fmt::format("{} heads x {} x {}", kHeads, steps, kFeatures),
          scores * (4 * kFeatures + 5),
          kFloat * 3 * count(num_elements(shape)),
          kFloat * count(num_elements(shape)),
          [shape](const Device& device) -> std::function<void()> {
            const Tensor q = rand(shape, device), k = rand(shape, device), v = rand(shape, device);
            return [=] { static_cast<void>(scaled_dot_product_attention(q, k, v)); };
          }};
}

/// A matrix and a vector.
OperatorCase matrix_vector(std::int64_t size) {
  return {"matrix x vector",
          fmt::format("{} x {}", size, size),
          2 * count(size) * count(size),
          kFloat * (count(size) * count(size) + count(size)),
          kFloat * count(size),
          [size](const Device& device) -> std::function<void()> {
            const Tensor a = rand({size, size}, device), b = rand({size}, device);
            return [=] { static_cast<void>(matmul(a, b)); };
          }};
}

}  // namespace

CaseSizes CaseSizes::of(const Device& device, bool quick) {
  if (quick) return {1 << 16, 32, 128, {64, 128}, 1, 64};
  const DeviceProperties& properties = device.properties();
  CaseSizes sizes = properties.kind == DeviceKind::kCpu
                        ? CaseSizes{1 << 24, 128, 1024, {512, 1024, 2048}, 4, 512}
                        : CaseSizes{1 << 26, 512, 4096, {2048, 4096, 8192}, 32, 2048};
  // Four tensors take at most a quarter of the memory.
  const std::uint64_t memory = properties.memory_total_bytes;
  while (memory != 0 && sizes.elements > kRow &&
         static_cast<std::uint64_t>(sizes.elements) * 64 > memory) {
    sizes.elements /= 2;
  }
  return sizes;
}

OperatorCase gemm_case(std::int64_t size) {
  const double n = count(size);
  return {fmt::format("matmul {}", size),
          fmt::format("{0} x {0} x {0}", size),
          2 * n * n * n,
          kFloat * 2 * n * n,
          kFloat * n * n,
          [size](const Device& device) -> std::function<void()> {
            const Tensor a = rand({size, size}, device), b = rand({size, size}, device);
            const Tensor out = empty({size, size}, device);
            return [=] { matmul_out(out, a, b); };
          }};
}

std::vector<OperatorCase> operator_cases(const CaseSizes& sizes) {
  std::vector<OperatorCase> cases;
  add_elementwise(cases, sizes.elements);
  add_rows(cases, sizes.elements);
  cases.push_back(matrix_vector(sizes.gemm_large * 4));
  cases.push_back(gemm_case(sizes.gemm_small));
  cases.push_back(gemm_case(sizes.gemm_large));
  cases.push_back(convolution({"conv2d 3x3", 64, 56, 64, 3, 1, 1}, sizes.images));
  cases.push_back(convolution({"conv2d 7x7 stride 2", 3, 224, 64, 7, 2, 3}, sizes.images));
  cases.push_back(attention(sizes.sequence));
  return cases;
}

}  // namespace patchbay::tools

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators one by one, on 2 threads, beside libtorch's. Elementwise results go to an existing
// output; reductions make theirs.
#include <array>
#include <memory>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch_ops.h"
#endif

namespace bench {
namespace {

using patchbay::DType;
using patchbay::Shape;
using patchbay::Tensor;

constexpr std::int64_t kRow = 1024;

/// As those of peers/torch_ops.cpp.
struct Operands {
  explicit Operands(std::int64_t count)
      : a(patchbay::rand({count})),
        b(patchbay::rand({count})),
        row(patchbay::rand({std::min(count, kRow)})),
        condition(patchbay::gt(a, b)),
        out(patchbay::empty({count})),
        flags(patchbay::empty({count}, DType::boolean)),
        doubles(patchbay::empty({count}, DType::f64)),
        matrix(a.view({-1, std::min(count, kRow)})),
        matrix_out(patchbay::empty_like(matrix)) {}

  Tensor a, b, row, condition, out, flags, doubles, matrix, matrix_out;
};

struct Named {
  const char* name;
  void (*run)(const Operands&);
};

#define UNARY(name)                                                    \
  {                                                                    \
#name, [](const Operands& o) { patchbay::name##_out(o.out, o.a); } \
  }
#define BINARY(name)                                                        \
  {                                                                         \
#name, [](const Operands& o) { patchbay::name##_out(o.out, o.a, o.b); } \
  }
#define REDUCTION(name, ...)                                                         \
  {                                                                                  \
    name, [](const Operands& o) { benchmark::DoNotOptimize(patchbay::__VA_ARGS__); } \
  }

constexpr Named kElementwise[] = {
    UNARY(neg),
    UNARY(abs),
    UNARY(square),
    UNARY(sqrt),
    UNARY(rsqrt),
    UNARY(exp),
    UNARY(log),
    UNARY(sigmoid),
    UNARY(tanh),
    UNARY(erf),
    UNARY(relu),
    UNARY(gelu),
    BINARY(add),
    BINARY(sub),
    BINARY(mul),
    BINARY(div),
    BINARY(pow),
    BINARY(maximum),
    BINARY(minimum),
    {"lt", [](const Operands& o) { patchbay::lt_out(o.flags, o.a, o.b); }},
    {"where", [](const Operands& o) { patchbay::where_out(o.out, o.condition, o.a, o.b); }},
    {"clamp", [](const Operands& o) { patchbay::clamp_out(o.out, o.a, 0.25, 0.75); }},
    {"add_scalar", [](const Operands& o) { patchbay::add_out(o.out, o.a, 0.5); }},
    {"add_row", [](const Operands& o) { patchbay::add_out(o.matrix_out, o.matrix, o.row); }},
    {"cast_f64", [](const Operands& o) { o.doubles.copy_from(o.a); }},
    {"copy", [](const Operands& o) { o.out.copy_from(o.a); }},
    {"fill", [](const Operands& o) { o.out.fill_(0.5); }},
    {"transpose",
     [](const Operands& o) {
       o.matrix_out.view({o.matrix.size(1), -1}).copy_from(o.matrix.t());
     }},
};

constexpr Named kReductions[] = {
    REDUCTION("sum", sum(o.a)),
    REDUCTION("mean", mean(o.a)),
    REDUCTION("max", max(o.a)),
    REDUCTION("argmax", argmax(o.a)),
    REDUCTION("norm", norm(o.a)),
    REDUCTION("sum_rows", sum(o.matrix, 1)),
    REDUCTION("sum_columns", sum(o.matrix, 0)),
    REDUCTION("max_rows", max(o.matrix, 1)),
    REDUCTION("max_columns", max(o.matrix, 0)),
};

void register_op(const Named& op, std::int64_t count) {
  const std::string group = std::string("ops/") + op.name + "-" + std::to_string(count) + "/";
  const benchmark::TimeUnit unit =
      count < 1 << 20 ? benchmark::kNanosecond : benchmark::kMicrosecond;
  add_benchmark(
      group + "patchbay",
      [op, count] {
        return [run = op.run, operands = std::make_shared<Operands>(count)] { run(*operands); };
      },
      unit);
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      group + "libtorch", [op, count] { return torch_op(op.name, count, kThreads); }, unit);
#endif
}

struct Product {
  std::int64_t m, k, n;
  bool transposed;  // the second factor is the transpose of a contiguous one, as a layer's weight
};

/// The squares, and those of the networks of Shi et al. 2016, Table 7: batch x in x out.
constexpr Product kProducts[] = {
    {64, 64, 64, false},       {100, 100, 100, false},   {128, 128, 128, false},
    {256, 256, 256, false},    {512, 512, 512, false},   {1024, 1024, 1024, false},
    {2048, 2048, 2048, false}, {64, 26752, 2048, true},  {64, 2048, 2048, true},
    {64, 2048, 26752, true},   {16, 9216, 4096, true},   {16, 4096, 1000, true},
    {1024, 784, 2048, true},   {1024, 2048, 4096, true}, {1024, 4096, 1024, true},
    {1024, 1024, 10, true},    {1024, 576, 10, true},    {4096, 256, 10000, true},
    {128, 512, 1024, true},
};

void register_product(const Product& size) {
  const std::string group = "ops/gemm-" + std::to_string(size.m) + "x" + std::to_string(size.k) +
                            "x" + std::to_string(size.n) + (size.transposed ? "t/" : "/");
  add_benchmark(
      group + "patchbay",
      [size] {
        const Tensor a = patchbay::rand({size.m, size.k});
        const Tensor b = size.transposed ? patchbay::rand({size.n, size.k}).t()
                                         : patchbay::rand({size.k, size.n});
        return [a, b, out = patchbay::empty({size.m, size.n})] { patchbay::matmul_out(out, a, b); };
      },
      benchmark::kMicrosecond);
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      group + "libtorch",
      [size] { return torch_product(size.m, size.k, size.n, size.transposed, kThreads); },
      benchmark::kMicrosecond);
#endif
}

}  // namespace

void register_ops() {
  for (const std::int64_t count :
       {std::int64_t{1} << 10, std::int64_t{1} << 20, std::int64_t{1} << 24}) {
    for (const Named& op : kElementwise) register_op(op, count);
    for (const Named& op : kReductions) register_op(op, count);
  }
  for (const Product& size : kProducts) register_product(size);
}

}  // namespace bench

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise operators, reductions, chains of them and graphs.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peers/triad.h"

namespace bench {
namespace {

using patchbay::DType;
using patchbay::Expression;
using patchbay::Tensor;

constexpr std::int64_t kRow = 1024;
constexpr std::int64_t kCounts[] = {1 << 10, 1 << 20, 1 << 24};

/// The operands of an operator. Elementwise results go to an existing output; reductions make
/// theirs.
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

struct Operator {
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
#define REDUCTION(name, ...)                                     \
  {                                                              \
    name, [](const Operands& o) { (void)patchbay::__VA_ARGS__; } \
  }

constexpr Operator kOperators[] = {
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

void add_operators() {
  for (const std::int64_t count : kCounts) {
    for (const Operator& one : kOperators) {
      add(std::string("ops/") + one.name + "-" + std::to_string(count), [=] {
        return [run = one.run, operands = std::make_shared<Operands>(count)] { run(*operands); };
      });
    }
  }
}

void add_additions(std::int64_t count) {
  const std::string row = "add/" + std::to_string(count);
  add(row + "-fresh", [count] {
    return [a = random_tensor({count}), b = random_tensor({count})] { (void)patchbay::add(a, b); };
  });
  add(row + "-existing", [count] {
    return [a = random_tensor({count}), b = random_tensor({count}), out = random_tensor({count})] {
      patchbay::add_out(out, a, b);
    };
  });
}

void add_triad(std::int64_t count) {
  for (const auto& [name, stores] :
       {std::pair{"triad-plain", Stores::kPlain}, {"triad-nontemporal", Stores::kNonTemporal}}) {
    add("add/" + std::to_string(count) + "-existing", name, [count, stores = stores] {
      return [a = random_tensor({count}), b = random_tensor({count}), c = random_tensor({count}),
              pair = std::make_shared<Triad>(), count, stores] {
        pair->run(stores, a.data<float>(), b.data<float>(), c.data<float>(),
                  static_cast<std::size_t>(count));
      };
    });
  }
}

/// Chains of five operations into an existing output: fused, and one operation after the other.
void add_chains(std::int64_t count) {
  const std::string row = "fuse/" + std::to_string(count);
  const auto cheap = patchbay::fuse(
      [](const Expression& a, const Expression& b) { return maximum(a * b + 1, 0) * 2 - a; });
  const auto functions = patchbay::fuse(
      [](const Expression& a, const Expression& b) { return log(exp(a * b) + 1) / 2; });
  const auto random = [count] { return random_tensor({count}); };
  add(row + "-cheap",
      [=] { return [=, a = random(), b = random(), out = random()] { cheap.out(out, a, b); }; });
  add(row + "-cheap", "unfused", [=] {
    return [a = random(), b = random(), out = random(), other = random()] {
      mul_out(other, a, b);
      add_out(other, other, 1);
      maximum_out(other, other, 0);
      mul_out(other, other, 2);
      sub_out(out, other, a);
    };
  });
  add(row + "-functions", [=] {
    return [=, a = random(), b = random(), out = random()] { functions.out(out, a, b); };
  });
  add(row + "-backward", [=] {
    const std::vector<patchbay::TensorOrScalar> arguments{random(), random(), random()};
    const std::vector<Tensor> outputs{random(), random()};
    return [=, backward = cheap.gradients()] { backward.call_out(outputs, arguments); };
  });
}

/// A hundred operations, each on the last one's result.
Tensor hundred_operations(const Tensor& x) {
  Tensor y = x;
  for (int i = 0; i < 50; ++i) y = (y + x) * 0.5;
  return y;
}

void add_graphs(std::int64_t count) {
  const std::string row = "graph/100x" + std::to_string(count);
  add(row, [count] {
    auto y = std::make_shared<Tensor>();
    const Tensor x = random_tensor({count});
    return [y, graph = patchbay::record_graph([=] { *y = hundred_operations(x); })] {
      graph.replay();
    };
  });
  add(row, "eager",
      [count] { return [x = random_tensor({count})] { (void)hundred_operations(x); }; });
}

}  // namespace

void add_elementwise() {
  for (const std::int64_t count : {1, 1 << 10, 1 << 20, 1 << 24}) add_additions(count);
  add_triad(1 << 24);
  for (const std::int64_t count : kCounts) add_chains(count);
  for (const std::int64_t count : {1, 64, 1024}) add_graphs(count);
  add_operators();
}

}  // namespace bench

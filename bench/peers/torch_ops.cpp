// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/torch_ops.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

namespace bench {
namespace {

struct Operands {
  explicit Operands(std::int64_t count)
      : a(at::rand({count})),
        b(at::rand({count})),
        row(at::rand({1024})),
        condition(a > b),
        out(at::empty({count})),
        flags(at::empty({count}, at::kBool)),
        doubles(at::empty({count}, at::kDouble)),
        matrix(a.view({-1, count < 1024 ? count : 1024})),
        matrix_out(at::empty_like(matrix)) {
    if (count < 1024) row = at::rand({count});
  }
  at::Tensor a, b, row, condition, out, flags, doubles, matrix, matrix_out;
};

using Run = void (*)(Operands&);

struct Named {
  std::string_view name;
  Run run;
};

#define UNARY(name)                                         \
  {                                                         \
#name, [](Operands & o) { at::name##_out(o.out, o.a); } \
  }
#define BINARY(name, function)                                     \
  {                                                                \
    name, [](Operands& o) { at::function##_out(o.out, o.a, o.b); } \
  }

const Named kOps[] = {
    UNARY(neg),
    UNARY(abs),
    UNARY(sqrt),
    UNARY(rsqrt),
    UNARY(exp),
    UNARY(log),
    UNARY(sigmoid),
    UNARY(tanh),
    UNARY(erf),
    {"square", [](Operands& o) { at::square_out(o.out, o.a); }},
    {"relu", [](Operands& o) { at::clamp_min_out(o.out, o.a, 0); }},
    {"gelu", [](Operands& o) { at::gelu_out(o.out, o.a); }},
    BINARY("add", add),
    BINARY("sub", sub),
    BINARY("mul", mul),
    BINARY("div", div),
    BINARY("pow", pow),
    BINARY("maximum", maximum),
    BINARY("minimum", minimum),
    {"lt", [](Operands& o) { at::lt_out(o.flags, o.a, o.b); }},
    {"where", [](Operands& o) { at::where_out(o.out, o.condition, o.a, o.b); }},
    {"clamp", [](Operands& o) { at::clamp_out(o.out, o.a, 0.25, 0.75); }},
    {"add_scalar", [](Operands& o) { at::add_out(o.out, o.a, at::scalar_tensor(0.5)); }},
    {"add_row", [](Operands& o) { at::add_out(o.matrix_out, o.matrix, o.row); }},
    {"cast_f64", [](Operands& o) { o.doubles.copy_(o.a); }},
    {"copy", [](Operands& o) { o.out.copy_(o.a); }},
    {"fill", [](Operands& o) { o.out.fill_(0.5); }},
    {"transpose",
     [](Operands& o) {
       o.matrix_out.view({o.matrix.size(1), -1}).copy_(o.matrix.t());
     }},
    {"sum", [](Operands& o) { at::Tensor r = at::sum(o.a); }},
    {"mean", [](Operands& o) { at::Tensor r = at::mean(o.a); }},
    {"max", [](Operands& o) { at::Tensor r = at::max(o.a); }},
    {"argmax", [](Operands& o) { at::Tensor r = at::argmax(o.a); }},
    {"norm", [](Operands& o) { at::Tensor r = at::norm(o.a); }},
    {"sum_rows", [](Operands& o) { at::Tensor r = at::sum(o.matrix, 1); }},
    {"sum_columns", [](Operands& o) { at::Tensor r = at::sum(o.matrix, 0); }},
    {"max_rows", [](Operands& o) { at::Tensor r = at::amax(o.matrix, 1); }},
    {"max_columns", [](Operands& o) { at::Tensor r = at::amax(o.matrix, 0); }},
};

}  // namespace

std::function<void()> torch_op(std::string_view op, std::int64_t count, int threads) {
  at::set_num_threads(threads);
  for (const Named& named : kOps) {
    if (named.name != op) continue;
    const c10::InferenceMode mode;
    return [run = named.run, operands = std::make_shared<Operands>(count)] {
      const c10::InferenceMode inference;
      run(*operands);
    };
  }
  return {};
}

std::function<void()> torch_product(std::int64_t m, std::int64_t k, std::int64_t n, bool transposed,
                                    int threads) {
  at::set_num_threads(threads);
  const c10::InferenceMode mode;
  const at::Tensor a = at::rand({m, k});
  const at::Tensor b = transposed ? at::rand({n, k}).t() : at::rand({k, n});
  at::Tensor out = at::empty({m, n});
  return [a, b, out]() mutable {
    const c10::InferenceMode inference;
    at::mm_out(out, a, b);
  };
}

}  // namespace bench

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chains of five operations into an existing output: fused, one operation after the other, and
// PyTorch doing the latter.
#include <memory>
#include <vector>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch.h"
#endif

namespace bench {
namespace {

using patchbay::Expression;
using patchbay::Tensor;

auto fused_cheap() {
  return patchbay::fuse([](Expression a, Expression b) { return maximum(a * b + 1, 0) * 2 - a; });
}
auto fused_functions() {
  return patchbay::fuse([](Expression a, Expression b) { return log(exp(a * b) + 1) / 2; });
}

struct Operands {
  explicit Operands(std::int64_t count)
      : a(random_tensor({count})),
        b(random_tensor({count})),
        out(random_tensor({count})),
        other(random_tensor({count})) {}
  Tensor a, b, out, other;
};

void register_chain(const std::string& row, std::int64_t count, benchmark::TimeUnit unit) {
  add_benchmark(
      row + "-cheap/patchbay",
      [count] { return [x = Operands(count), f = fused_cheap()] { f.out(x.out, x.a, x.b); }; },
      unit);
  add_benchmark(
      row + "-cheap/unfused",
      [count] {
        return [x = Operands(count)] {
          mul_out(x.other, x.a, x.b);
          add_out(x.other, x.other, 1);
          maximum_out(x.other, x.other, 0);
          mul_out(x.other, x.other, 2);
          sub_out(x.out, x.other, x.a);
        };
      },
      unit);
  add_benchmark(
      row + "-functions/patchbay",
      [count] { return [x = Operands(count), f = fused_functions()] { f.out(x.out, x.a, x.b); }; },
      unit);
  add_benchmark(
      row + "-backward/patchbay",
      [count] {
        return [x = Operands(count), grad = random_tensor({count}), f = fused_cheap().gradients()] {
          const std::vector<patchbay::TensorOrScalar> arguments{x.a, x.b, grad};
          const std::vector<Tensor> outputs{x.out, x.other};
          f.call_out(outputs, arguments);
        };
      },
      unit);
}

#ifdef PATCHBAY_BENCH_TORCH
void register_torch(const std::string& row, std::int64_t count, benchmark::TimeUnit unit) {
  const auto peer = [&](const char* name, void (TorchChain::*run)()) {
    add_benchmark(
        row + name,
        [count, run] {
          return [chain = std::make_shared<TorchChain>(count, kThreads), run] {
            (chain.get()->*run)();
          };
        },
        unit);
  };
  peer("-cheap/libtorch", &TorchChain::cheap);
  peer("-functions/libtorch", &TorchChain::functions);
  peer("-backward/libtorch", &TorchChain::cheap_backward);
}
#endif

void register_size(std::int64_t count, benchmark::TimeUnit unit) {
  const std::string row = "fuse/" + std::to_string(count);
  register_chain(row, count, unit);
#ifdef PATCHBAY_BENCH_TORCH
  register_torch(row, count, unit);
#endif
}

}  // namespace

void register_fuse() {
  register_size(1 << 10, benchmark::kNanosecond);
  register_size(1 << 20, benchmark::kMicrosecond);
  register_size(1 << 24, benchmark::kMillisecond);
}

}  // namespace bench

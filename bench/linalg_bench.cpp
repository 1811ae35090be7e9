// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Linear algebra, of one matrix and of many, and Fourier transforms.
#include <string>

#include "bench/bench.h"

namespace bench {
namespace {

using patchbay::Shape;
using patchbay::Tensor;
namespace fft = patchbay::fft;
namespace linalg = patchbay::linalg;

/// Symmetric and positive definite.
Tensor definite(const Tensor& a) {
  const std::int64_t n = a.size(-1);
  return matmul(a, a.transpose(-2, -1)) + patchbay::eye(n);
}

void add_factorizations(std::int64_t count, std::int64_t n) {
  const auto add_one = [&](const char* name, auto prepare, auto run) {
    add(std::string("linalg/") + name + "-" + extents_of({count, n, n}), [=] {
      const Tensor a = prepare(random_tensor({count, n, n}));
      return [=] { (void)run(a); };
    });
  };
  const auto as_it_is = [](const Tensor& a) { return a; };
  const Tensor b = random_tensor({count, n, 1});
  add_one("solve", as_it_is, [b](const Tensor& a) { return linalg::solve(a, b); });
  add_one("cholesky", definite, [](const Tensor& a) { return linalg::cholesky(a); });
  add_one("qr", as_it_is, [](const Tensor& a) { return linalg::qr(a).q; });
  add_one("eigh", definite, [](const Tensor& a) { return linalg::eigh(a).eigenvalues; });
  add_one("svd", as_it_is, [](const Tensor& a) { return linalg::svd(a, false).s; });
}

void add_transforms() {
  const auto add_one = [](const Shape& shape, auto run) {
    add("fft/" + extents_of(shape), [=] {
      const Tensor x = complex(random_tensor(shape), random_tensor(shape));
      return [=] { (void)run(x); };
    });
  };
  for (const std::int64_t n : {std::int64_t{1024}, std::int64_t{1009}, std::int64_t{1} << 20}) {
    add_one({n}, [](const Tensor& x) { return fft::fft(x); });
  }
  add_one({4096, 4096}, [](const Tensor& x) { return fft::fftn(x); });
}

}  // namespace

void add_linear_algebra() {
  for (const std::int64_t n : {32, 256, 1024}) add_factorizations(1, n);
  add_factorizations(4096, 8);
  add_factorizations(512, 32);
  add_transforms();
}

}  // namespace bench

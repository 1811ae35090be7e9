// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products, of common networks and of few rows as in inference.
#include <memory>
#include <string>

#include "bench/bench.h"
#include "bench/peers/blas.h"
#ifdef PATCHBAY_BENCH_CLBLAST
#include "bench/peers/opencl.h"
#endif

namespace bench {
namespace {

using patchbay::Device;
using patchbay::DType;
using patchbay::Shape;
using patchbay::Tensor;

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
constexpr Product kPackedLinears[] = {{4, 1024, 1024, true},
                                      {16, 1024, 1024, true},
                                      {16, 2048, 2048, true},
                                      {64, 1024, 1024, true},
                                      {256, 1024, 1024, true}};

/// Batches of products in a dtype; layout "tn": the first factor is a transpose.
struct Batch {
  DType dtype;
  std::int64_t count, m, k, n;
  const char* layout = "nn";
};

Tensor factor(const Batch& size, std::int64_t rows, std::int64_t columns, char layout,
              const Device& device) {
  const bool turned = layout == 't';
  Shape shape{turned ? columns : rows, turned ? rows : columns};
  if (size.count != 1) shape = {size.count, shape[0], shape[1]};
  const Tensor a = random_tensor(shape, device).cast(size.dtype);
  return turned ? a.transpose(-2, -1) : a;
}

auto batch_on(const Batch& size, const Device& device) {
  const Tensor a = factor(size, size.m, size.k, size.layout[0], device);
  const Tensor b = factor(size, size.k, size.n, size.layout[1], device);
  return [a, b, out = matmul(a, b)] { matmul_out(out, a, b); };
}

auto product_on(const Product& size, const Device& device) {
  return batch_on({DType::f32, 1, size.m, size.k, size.n, size.transposed ? "nt" : "nn"}, device);
}

void add_square(int n, const std::vector<BlasPeer>& peers) {
  const std::string row = "gemm/" + std::to_string(n);
  add(row, [n] { return product_on({n, n, n, false}, patchbay::default_device()); });
  for (const BlasPeer& peer : peers) {
    add(row, peer.name, [n, peer] {
      const auto random = [n] { return random_tensor({n, n}); };
      return [a = random(), b = random(), out = random(), n, peer] {
        peer.multiply(n, a.data<float>(), b.data<float>(), out.data<float>());
      };
    });
  }
}

/// Products on opencl:0, tensor to tensor, waited for.
void add_opencl_square(int n) {
  const std::string row = "opencl-gemm/" + std::to_string(n);
  add(row, [n] {
    const Device device("opencl:0");
    return [device, run = product_on({n, n, n, false}, device)] {
      run();
      device.synchronize();
    };
  });
#ifdef PATCHBAY_BENCH_CLBLAST
  add(row, "clblast", [n] { return [peer = std::make_shared<ClblastGemm>(n)] { peer->run(); }; });
#endif
}

constexpr Batch kBatches[] = {
    {DType::f32, 1, 16, 16, 16},
    {DType::f32, 1, 32, 32, 32},
    {DType::f32, 1, 512, 512, 512, "nt"},
    {DType::f32, 1, 512, 512, 512, "tn"},
    {DType::f32, 1, 512, 512, 512, "tt"},
    {DType::f32, 1, 4096, 4096, 4096},
    {DType::f32, 1, 1, 4096, 4096},
    {DType::f32, 1, 1, 4096, 4096, "nt"},
    {DType::f32, 1, 4, 1024, 1024},
    {DType::f32, 1, 16, 1024, 1024, "nt"},
    {DType::f32, 1, 4096, 1024, 16},
    {DType::f32, 1, 64, 16384, 64, "tn"},
    {DType::f32, 1024, 32, 32, 32},
    {DType::f32, 192, 128, 32, 128, "nt"},
    {DType::f32, 192, 128, 128, 32},
    {DType::f32, 16, 256, 256, 256},
    {DType::f64, 1, 64, 64, 64},
    {DType::f64, 1, 256, 256, 256},
    {DType::f64, 1, 1024, 1024, 1024},
    {DType::f64, 1, 1024, 1024, 1024, "tn"},
    {DType::bf16, 1, 256, 256, 256},
    {DType::bf16, 1, 1024, 1024, 1024},
    {DType::bf16, 1, 16, 1024, 1024, "nt"},
    {DType::f16, 1, 256, 256, 256},
    {DType::f16, 1, 1024, 1024, 1024},
};

void add_batch(const Batch& size) {
  const std::string row = "product/" + std::string(to_string(size.dtype)) + "-" +
                          extents_of({size.count, size.m, size.k, size.n}) + "-" + size.layout;
  add(row, [size] { return batch_on(size, patchbay::default_device()); });
  if (size.dtype != DType::f32 && size.dtype != DType::f64) return;
  for (const char* products : {"own", "openblas"}) {
    add(row, "patchbay-" + std::string(products),
        [size, products] { return batch_on(size, device_with("cpu_products", products)); });
  }
}

std::string name_of(const Product& size) { return extents_of({size.m, size.k, size.n}); }

}  // namespace

void add_products() {
  const std::vector<BlasPeer> peers = open_blas_peers(kThreads);
  for (const int n : {64, 100, 256, 512, 1024, 2048}) add_square(n, peers);
  if (is_there("opencl:0")) {
    for (const int n : {256, 512, 1024, 2048}) add_opencl_square(n);
  }
  for (const Product& size : kProducts) {
    add("ops/gemm-" + name_of(size) + (size.transposed ? "t" : ""),
        [size] { return product_on(size, patchbay::default_device()); });
  }
  for (const Batch& size : kBatches) add_batch(size);
  for (const Product& size : kPackedLinears) {
    add_packed("packed/linear-" + name_of(size),
               [size](const Device& cpu) { return product_on(size, cpu); });
  }
}

}  // namespace bench

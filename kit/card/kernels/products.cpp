// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/kernels/products.hpp"

#include <algorithm>

#include "kit/dtypes.hpp"

namespace patchbay::card {
namespace {

// The libraries map batches to a grid's third axis, which has this limit.
constexpr int kMostBatches = 65535;

}  // namespace

void Products::multiply(Stream& stream, Product product, plugin::Memory workspace,
                        std::uint64_t workspace_bytes, std::string_view name) {
  submit(stream, name, [&] {
    begin(stream, workspace, workspace_bytes, name);
    for (int left = product.count; left > 0; left -= product.count) {
      product.count = std::min(left, kMostBatches);
      multiply_batch(product, name);
      for (Product::Matrix* matrix : {&product.a, &product.b, &product.c}) {
        const std::uint8_t dtype = matrix == &product.c ? product.result_dtype() : product.dtype;
        matrix->memory.offset_bytes +=
            static_cast<std::uint64_t>(product.count * matrix->next) * element_bytes(dtype);
      }
    }
    return true;
  });
}

}  // namespace patchbay::card

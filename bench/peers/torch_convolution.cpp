// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/torch_convolution.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <array>

namespace bench {

std::function<void()> torch_convolution(const TorchConvolution& sizes, int threads) {
  at::set_num_threads(threads);
  const c10::InferenceMode mode;
  const at::Tensor x = at::rand({sizes.n, sizes.c, sizes.extent, sizes.extent});
  const at::Tensor weight = at::rand({sizes.o, sizes.c, sizes.kernel, sizes.kernel});
  const std::array<std::int64_t, 2> stride{sizes.stride, sizes.stride};
  const std::array<std::int64_t, 2> padding{sizes.padding, sizes.padding};
  const at::Tensor y = at::conv2d(x, weight, {}, stride, padding);
  if (sizes.part == 0) {
    return [=] {
      const c10::InferenceMode inside;
      at::conv2d(x, weight, {}, stride, padding);
    };
  }
  const at::Tensor grad = at::rand_like(y);
  const std::array<bool, 3> wanted{sizes.part == 1, sizes.part == 2, false};
  return [=] {
    const c10::InferenceMode inside;
    at::convolution_backward(grad, x, weight, at::OptionalIntArrayRef(), stride, padding, {1, 1},
                             false, {0, 0}, 1, wanted);
  };
}

}  // namespace bench

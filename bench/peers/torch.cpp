// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/torch.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

namespace bench {

struct TorchAdd::Impl {
  c10::InferenceMode mode;
  at::Tensor a, b, out;
};

TorchAdd::TorchAdd(std::int64_t count, int threads) : impl_(new Impl) {
  at::set_num_threads(threads);
  impl_->a = at::rand({count});
  impl_->b = at::rand({count});
  impl_->out = at::empty({count});
}
TorchAdd::~TorchAdd() = default;
void TorchAdd::fresh() { at::Tensor sum = at::add(impl_->a, impl_->b); }
void TorchAdd::chain(int pairs) {
  at::Tensor y = impl_->a;
  for (int i = 0; i < pairs; ++i) y = (y + impl_->a) * 0.5;
}
void TorchAdd::existing() { at::add_out(impl_->out, impl_->a, impl_->b); }

struct TorchMatmul::Impl {
  c10::InferenceMode mode;
  at::Tensor a, b, out;
};

TorchMatmul::TorchMatmul(std::int64_t n, int threads) : impl_(new Impl) {
  at::set_num_threads(threads);
  impl_->a = at::rand({n, n});
  impl_->b = at::rand({n, n});
  impl_->out = at::empty({n, n});
}
TorchMatmul::~TorchMatmul() = default;
void TorchMatmul::existing() { at::mm_out(impl_->out, impl_->a, impl_->b); }

}  // namespace bench

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

struct TorchChain::Impl {
  c10::InferenceMode mode;
  at::Tensor a, b, grad, mask, temporary, out, out_b;
};

TorchChain::TorchChain(std::int64_t count, int threads) : impl_(new Impl) {
  at::set_num_threads(threads);
  impl_->a = at::rand({count}) * 2 - 1;
  impl_->b = at::rand({count}) * 2 - 1;
  impl_->grad = at::rand({count});
  impl_->mask = at::zeros({count}, at::kBool);
  for (at::Tensor* output : {&impl_->temporary, &impl_->out, &impl_->out_b}) {
    *output = at::zeros({count});
  }
}
TorchChain::~TorchChain() = default;
void TorchChain::cheap() {
  at::mul_out(impl_->temporary, impl_->a, impl_->b);
  impl_->temporary.add_(1);
  impl_->temporary.clamp_min_(0);
  impl_->temporary.mul_(2);
  at::sub_out(impl_->out, impl_->temporary, impl_->a);
}
void TorchChain::functions() {
  at::mul_out(impl_->temporary, impl_->a, impl_->b);
  impl_->temporary.exp_();
  impl_->temporary.add_(1);
  impl_->temporary.log_();
  at::div_out(impl_->out, impl_->temporary, at::scalar_tensor(2));
}
void TorchChain::cheap_backward() {
  at::mul_out(impl_->temporary, impl_->a, impl_->b);
  at::gt_out(impl_->mask, impl_->temporary, at::Scalar(-1));
  at::mul_out(impl_->temporary, impl_->grad, impl_->mask);
  impl_->temporary.mul_(2);
  at::mul_out(impl_->out_b, impl_->temporary, impl_->a);
  at::mul_out(impl_->out, impl_->temporary, impl_->b);
  impl_->out.sub_(impl_->grad);
}

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

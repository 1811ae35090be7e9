// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the handles of a parameter share.
#ifndef PATCHBAY_CORE_NN_MODULE_PLACE_H_
#define PATCHBAY_CORE_NN_MODULE_PLACE_H_

#include <memory>
#include <vector>

#include "patchbay/nn/parameter.h"

namespace patchbay::nn::module {

struct Place {
  Tensor value;
  TensorOptions options;  // of the tensor to come
  bool is_trained = true;
  /// What optimisers keep of the parameter, of its shape. It moves with it, and an optimiser that
  /// is gone leaves nothing behind.
  std::vector<std::weak_ptr<Tensor>> companions;
};

}  // namespace patchbay::nn::module

#endif  // PATCHBAY_CORE_NN_MODULE_PLACE_H_

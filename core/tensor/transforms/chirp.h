// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_TENSOR_TRANSFORMS_CHIRP_H_
#define PATCHBAY_CORE_TENSOR_TRANSFORMS_CHIRP_H_

#include <cstdint>

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// [n], exp(-pi i k^2 / n) or, if not forward, the conjugates; in the dtype of x, on its device.
Tensor chirp_of(std::int64_t n, const Tensor& x, bool is_forward);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_TRANSFORMS_CHIRP_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_TENSOR_OPS_LINEAR_H_
#define PATCHBAY_CORE_TENSOR_OPS_LINEAR_H_

#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

/// The checks of linear's operands: x [..., in] and weight [out, in].
void check_layer(const Named& x, const Named& weight);
/// [out].
void check_bias(const Named& bias, const Named& weight);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OPS_LINEAR_H_

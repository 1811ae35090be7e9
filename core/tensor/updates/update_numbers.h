// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The numbers of an update that differ from call to call: computed by the host, or by a kernel from
// elements of a device. Both make the same operations of IEEE 754, so that their bits are equal, in
// f64, or in f32 on devices without f64. A device whose f32 division or square root is not rounded
// correctly may differ in the last place there.
#ifndef PATCHBAY_CORE_TENSOR_UPDATES_UPDATE_NUMBERS_H_
#define PATCHBAY_CORE_TENSOR_UPDATES_UPDATE_NUMBERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "patchbay/tensor_or_scalar.h"
#include "patchbay/updates.h"

#include "core/tensor/updates/update_lists.h"

namespace patchbay::tensor {

/// Of the Adam update. `applies` is the condition, 0 if there is none. `step` and `epsilon` have
/// the corrections of the moments' bias, so that no element is divided for them: end of section 2
/// of the paper. `kept` is 1 - rate * decay.
struct AdamNumbers {
  TensorOrScalar step, epsilon, kept, applies = 0;
};
AdamNumbers adam_numbers(const AdamOptions& options, std::int64_t step, bool in_f64);

/// Of the SGD update. `is_first` says if this is the first step; only elements of devices tell.
struct SgdNumbers {
  TensorOrScalar rate, is_first = 0, applies = 0;
};

/// The numbers from the elements of the devices, for each group: 0-d tensors in the dtype that its
/// parameter is computed in. Errors: kInvalidArgument, kDtypeMismatch, kShapeMismatch and
/// kDeviceMismatch for numbers that do not fit the parameters.
std::vector<AdamNumbers> adam_numbers(const char* operation, std::span<const UpdateGroup> groups,
                                      std::span<const UpdateNumbers> numbers,
                                      const AdamOptions& options);
std::vector<SgdNumbers> sgd_numbers(const char* operation, std::span<const UpdateGroup> groups,
                                    std::span<const UpdateNumbers> numbers);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_UPDATES_UPDATE_NUMBERS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The lists of tensors that an update takes: their checks, and groups that one launch updates.
#ifndef PATCHBAY_CORE_TENSOR_UPDATES_UPDATE_LISTS_H_
#define PATCHBAY_CORE_TENSOR_UPDATES_UPDATE_LISTS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/updates.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// A list of a call.
struct UpdateList {
  const char* name;  // for messages
  const TensorList& tensors;
};
/// The places of the lists in a call. The gradients are the only list that an update does not
/// write.
inline constexpr std::size_t kParameters = 0, kGradients = 1;

/// A parameter with its gradient and state, or several that follow each other in one storage: as
/// vectors if all of them are contiguous. Complex ones are pairs of numbers.
struct UpdateGroup {
  std::vector<Tensor> tensors;
  std::size_t first;  // the number of its first parameter
};

/// Checks the lists. Joins neighbours if `joins`. Errors: those of updates.h.
std::vector<UpdateGroup> groups_of(const char* operation, std::span<const UpdateList> lists,
                                   bool joins);

/// "gradients[1]"
std::string name_in(std::string_view list, std::size_t i);
// Checks of one tensor of a list.
void check_float(const char* operation, const UpdateList& list, std::size_t i,
                 DTypes dtypes = kFloats);
void check_writable(const char* operation, const UpdateList& list, std::size_t i);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_UPDATES_UPDATE_LISTS_H_

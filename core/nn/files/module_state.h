// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The tensors of a module, and the entries of a file that they are read from.
#ifndef PATCHBAY_CORE_NN_FILES_MODULE_STATE_H_
#define PATCHBAY_CORE_NN_FILES_MODULE_STATE_H_

#include <filesystem>
#include <string_view>
#include <vector>

#include "patchbay/nn/module.h"
#include "patchbay/nn/safetensors.h"

namespace patchbay::nn::files {

/// nn::save for another call, which errors name.
void save_module(Module& module, const std::filesystem::path& file, const char* operation);
/// Parameters, then buffers.
std::vector<NamedParameter> state_of(Module& module);
/// Null for a lazy parameter.
inline const Shape* shape_of(const Parameter& parameter) {
  return parameter.defined() ? &parameter->shape() : nullptr;
}
/// Errors: kDtypeMismatch, kShapeMismatch unless the entry is like that; `shape` may be null.
void check_entry(const Safetensors::Entry& entry, DType dtype, const Shape* shape,
                 const std::filesystem::path& path, const char* operation);
/// Errors: kInvalidArgument if the parameter has a tensor that can't be written.
void check_destination(const Parameter& parameter, std::string_view name, const char* operation);
/// Errors: kInvalidArgument for values that reading would refuse, which are bools other than 0 and
/// 1. So that a damaged file is refused before anything is written.
void check_values(const Safetensors& file, std::string_view name, const Parameter& parameter);
/// Writes the elements of the parameter, or gives it a tensor on its device.
void read_parameter(const Safetensors& file, std::string_view name, const Parameter& parameter);

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_MODULE_STATE_H_

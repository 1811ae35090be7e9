// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The tensors of a module, and the entries of a file that they are read from.
#ifndef PATCHBAY_CORE_NN_FILES_MODULE_STATE_H_
#define PATCHBAY_CORE_NN_FILES_MODULE_STATE_H_

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/nn/module.h"
#include "patchbay/nn/safetensors.h"

namespace patchbay::nn::files {

/// nn::save for another call, which errors name.
void save_module(Module& module, const std::filesystem::path& file, const char* operation);
/// A parameter or buffer with all names that it has in the module, the first one first.
struct NamedState {
  std::vector<std::string> names;
  Parameter parameter;
  bool is_buffer;

  const std::string& name() const { return names.front(); }
};
/// Parameters, then buffers; each is there once.
std::vector<NamedState> state_of(Module& module);

/// The name in the module of a tensor in a file; none for a tensor of something else.
using ModuleName = std::function<std::optional<std::string>(const std::string& name)>;
/// Which tensor of a file each part of the state is.
struct Fit {
  struct Part {
    NamedState state;
    const Safetensors::Entry* entry;
  };
  std::vector<Part> parts;  // that the file has
  LoadReport left_out;
};
/// Errors: kInvalidArgument for two tensors of one name, and for names of one parameter whose
/// tensors differ.
Fit fit(Module& module, const Safetensors& file, const ModuleName& name, const char* operation);

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

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Modules as files of named tensors.
#include "core/nn/files/module_state.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "patchbay/updates.h"

#include "core/base/error.h"
#include "core/nn/files/safetensors.h"
#include "core/nn/module/place.h"

namespace patchbay::nn {

using runtime::raise;

namespace files {

std::vector<NamedParameter> state_of(Module& module) {
  std::vector<NamedParameter> all = module.named_parameters();
  for (NamedParameter& buffer : module.named_buffers()) all.push_back(std::move(buffer));
  return all;
}

void check_entry(const Safetensors::Entry& entry, DType dtype, const Shape* shape,
                 const std::filesystem::path& path, const char* operation) {
  if (entry.dtype != dtype) {
    const std::string_view expected = patchbay::to_string(dtype),
                           got = patchbay::to_string(entry.dtype);
    const bool may_be_cast = is_floating(dtype) && is_floating(entry.dtype);
    raise(ErrorCode::kDtypeMismatch, "[{}] {} of {} has another dtype: expected {}, got {}. {}.",
          operation, runtime::quote(entry.name), runtime::quote(path.native()), expected, got,
          may_be_cast ? fmt::format("Call module.cast(DType::{}) before", got)
                      : fmt::format("Save it as {}", expected));
  }
  if (shape != nullptr && entry.shape != *shape) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] {} of {} has another shape: expected {}, got {}. Make the module with the sizes "
          "that it had when it was saved.",
          operation, runtime::quote(entry.name), runtime::quote(path.native()),
          patchbay::to_string(*shape), patchbay::to_string(entry.shape));
  }
}

void check_destination(const Parameter& parameter, std::string_view name, const char* operation) {
  if (parameter.defined()) check_writable(operation, *parameter, runtime::quote(name));
}

void check_values(const Safetensors& file, std::string_view name, const Parameter& parameter) {
  if (file.entry(name).dtype == DType::boolean) {
    static_cast<void>(file.read(name, parameter.device()));
  }
}

void read_parameter(const Safetensors& file, std::string_view name, const Parameter& parameter) {
  if (parameter.defined()) {
    file.read_into(name, parameter);
  } else {
    parameter.set(file.read(name, parameter.device()));
  }
}

}  // namespace files

namespace {

/// "'a', 'b', 'c' and 4 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + runtime::quote(names[i]);
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

LoadReport compare_names(const std::vector<NamedParameter>& state, const Safetensors& file) {
  LoadReport report;
  std::unordered_set<std::string_view> known;
  for (const NamedParameter& each : state) {
    known.insert(each.name);
    if (!file.has(each.name)) report.missing.push_back(each.name);
  }
  for (const Safetensors::Entry& entry : file.entries()) {
    if (!known.contains(entry.name)) report.superfluous.push_back(entry.name);
  }
  return report;
}

void check_names(const LoadReport& report, const LoadOptions& options,
                 const std::filesystem::path& path) {
  const bool lacks = !report.missing.empty() && !options.allow_missing;
  const bool exceeds = !report.superfluous.empty() && !options.allow_superfluous;
  if (!lacks && !exceeds) return;
  const bool allows_missing = lacks || options.allow_missing,  // in the advice
      allows_superfluous = exceeds || options.allow_superfluous;
  raise(ErrorCode::kInvalidArgument,
        "[load] {} has other tensors than the module:{}{}{}. Make the module as it was when it was "
        "saved, or allow them: load(module, file, {{.{} = true}}).",
        runtime::quote(path.native()), lacks ? " missing are " + listed(report.missing) : "",
        lacks && exceeds ? ";" : "",
        exceeds ? " superfluous are " + listed(report.superfluous) : "",
        allows_missing && allows_superfluous ? "allow_missing = true, .allow_superfluous"
        : allows_missing                     ? "allow_missing"
                                             : "allow_superfluous");
}

/// A buffer's floats in its dtype, from those of another, which a program made that casts buffers
/// too: those of a module stay f32. Undefined for others.
Tensor converted(const Safetensors& file, std::string_view name, const Parameter& buffer) {
  const DType from = file.entry(name).dtype, to = buffer.dtype();
  if (from == to || !is_floating(from) || !is_floating(to)) return {};
  return file.read(name, buffer.device()).cast(to);
}

}  // namespace

void files::save_module(Module& module, const std::filesystem::path& file, const char* operation) {
  TensorMap tensors;
  for (const NamedParameter& each : state_of(module)) {
    module::check_has_shape(operation, each.name, each.parameter);
    tensors.emplace(each.name, *each.parameter);
  }
  write_safetensors(file, tensors, {}, operation);
}

void save(Module& module, const std::filesystem::path& file) {
  files::save_module(module, file, "save");
}

LoadReport load(Module& module, const std::filesystem::path& path, const LoadOptions& options) {
  const Safetensors file = files::OpenSafetensors::handle(path, "load");
  std::vector<NamedParameter> state = files::state_of(module);
  LoadReport report = compare_names(state, file);
  check_names(report, options, path);
  std::erase_if(state, [&](const NamedParameter& each) { return !file.has(each.name); });
  std::unordered_map<std::string, Tensor> buffers;  // converted, by name
  for (const auto& [name, buffer] : module.named_buffers()) {
    if (file.has(name)) buffers.emplace(name, Tensor());
  }
  for (const auto& [name, parameter] : state) {
    const Safetensors::Entry& entry = file.entry(name);
    const bool may_differ =
        buffers.contains(name) && is_floating(entry.dtype) && is_floating(parameter.dtype());
    files::check_entry(entry, may_differ ? entry.dtype : parameter.dtype(),
                       files::shape_of(parameter), path, "load");
    files::check_destination(parameter, name, "load");
  }
  for (const auto& [name, parameter] : state) {
    files::check_values(file, name, parameter);
    if (buffers.contains(name)) buffers[name] = converted(file, name, parameter);
  }
  for (const auto& [name, parameter] : state) {
    const auto buffer = buffers.find(name);
    const Tensor values = buffer != buffers.end() ? buffer->second : Tensor();
    if (!values.defined()) {
      files::read_parameter(file, name, parameter);
    } else if (parameter.defined()) {
      parameter->copy_from(values);
    } else {
      parameter.set(values);
    }
  }
  return report;
}

void load(Module& module, const std::filesystem::path& path) {
  static_cast<void>(load(module, path, {}));
}

}  // namespace patchbay::nn

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
#include "core/base/nearest.h"
#include "core/nn/files/safetensors.h"
#include "core/nn/module/parameter_state.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn {

using base::raise;

namespace files {

std::vector<NamedState> state_of(Module& module) {
  std::vector<NamedState> all;
  std::unordered_map<const module::ParameterState*, std::size_t> places;
  module::walk(module,
               {{}, [&](const std::string& name, const Parameter& parameter, bool is_buffer) {
                  const auto [at, is_new] = places.emplace(&parameter.state(), all.size());
                  if (is_new) all.push_back({{}, parameter, is_buffer});
                  all[at->second].names.push_back(name);
                }});
  std::ranges::stable_partition(all, [](const NamedState& each) { return !each.is_buffer; });
  return all;
}

namespace {

using ByName = std::unordered_map<std::string, const Safetensors::Entry*>;

/// The tensors of the file by their names in the module.
ByName named_for(const Safetensors& file, const ModuleName& name, const char* operation) {
  ByName result;
  for (const Safetensors::Entry& entry : file.entries()) {
    const std::optional<std::string> inside = name(entry.name);
    if (!inside) continue;
    const auto [other, is_new] = result.emplace(*inside, &entry);
    if (is_new) continue;
    raise(ErrorCode::kInvalidArgument,
          "[{}] two tensors get one name: {} for {} and {}. Change LoadOptions::names or rename.",
          operation, base::quote(*inside), base::quote(other->second->name),
          base::quote(entry.name));
  }
  return result;
}

/// Adds what the metadata tell of further names, as `save` writes it, and the safetensors of
/// PyTorch: the name that was left out, and the one under which the tensor is there.
void add_other_names(ByName& by_name, const Safetensors& file, const ModuleName& name) {
  for (const auto& [other, written] : file.metadata()) {
    if (file.has(other) || !file.has(written)) continue;
    const std::optional<std::string> inside = name(other);
    if (inside) by_name.emplace(*inside, &file.entry(written));
  }
}

/// That names of one parameter have the same tensor in the file.
void check_equal(const Safetensors& file, const Safetensors::Entry& a, const Safetensors::Entry& b,
                 const char* operation) {
  const OpenSafetensors& open = OpenSafetensors::of(file);
  if (&a == &b || (a.dtype_name == b.dtype_name && a.shape == b.shape &&
                   a.size_bytes == b.size_bytes && open.are_equal(a, b))) {
    return;
  }
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} has two tensors for one parameter of the module: expected equal ones, got {} and "
        "{}, which differ. Give the module a parameter for each, or leave one out.",
        operation, base::quote(open.file.path().native()), base::quote(a.name),
        base::quote(b.name));
}

}  // namespace

Fit fit(Module& module, const Safetensors& file, const ModuleName& name, const char* operation) {
  ByName by_name = named_for(file, name, operation);
  add_other_names(by_name, file, name);
  Fit result;
  std::unordered_set<const Safetensors::Entry*> used;
  for (NamedState& state : state_of(module)) {
    const Safetensors::Entry* first = nullptr;
    for (const std::string& each : state.names) {
      const auto found = by_name.find(each);
      if (found == by_name.end()) continue;
      used.insert(found->second);
      if (first == nullptr) first = found->second;
      check_equal(file, *first, *found->second, operation);
    }
    if (first == nullptr) {
      result.left_out.missing.push_back(state.name());
    } else {
      result.parts.push_back({std::move(state), first});
    }
  }
  for (const Safetensors::Entry& entry : file.entries()) {
    if (!used.contains(&entry) && name(entry.name)) {
      result.left_out.superfluous.push_back(entry.name);
    }
  }
  return result;
}

void check_entry(const Safetensors::Entry& entry, DType dtype, const Shape* shape,
                 const std::filesystem::path& path, const char* operation) {
  if (entry.dtype != dtype) {
    const std::string_view expected = patchbay::to_string(dtype),
                           got = entry.is_readable ? patchbay::to_string(entry.dtype)
                                                   : std::string_view(entry.dtype_name);
    const bool may_be_cast = is_floating(dtype) && is_floating(entry.dtype);
    raise(ErrorCode::kDtypeMismatch, "[{}] {} of {} has another dtype: expected {}, got {}. {}.",
          operation, base::quote(entry.name), base::quote(path.native()), expected, got,
          may_be_cast ? fmt::format("Call module.cast(DType::{}) before", got)
                      : fmt::format("Save it as {}", expected));
  }
  if (shape != nullptr && entry.shape != *shape) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] {} of {} has another shape: expected {}, got {}. Make the module with the sizes "
          "that it had when it was saved.",
          operation, base::quote(entry.name), base::quote(path.native()),
          patchbay::to_string(*shape), patchbay::to_string(entry.shape));
  }
}

void check_destination(const Parameter& parameter, std::string_view name, const char* operation) {
  if (parameter.defined()) check_writable(operation, *parameter, base::quote(name));
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
    text += (i == 0 ? "" : ", ") + base::quote(names[i]);
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

/// What options.names and options.rename make of a name.
files::ModuleName naming_of(const LoadOptions& options) {
  return [&options](const std::string& name) -> std::optional<std::string> {
    const auto found = options.names.find(name);
    if (found != options.names.end()) return found->second;
    return options.rename ? options.rename(name) : name;
  };
}

/// That all of options.names are names of the file, and become names of the module.
void check_given_names(const LoadOptions& options, Module& module, const Safetensors& file,
                       const std::filesystem::path& path) {
  if (options.names.empty()) return;
  std::vector<std::string> known;
  module::walk(module, {{}, [&](const std::string& name, const Parameter&, bool) {
                          known.push_back(name);
                        }});
  for (const auto& [name, inside] : options.names) {
    if (!file.has(name)) {
      std::vector<std::string> there;
      for (const Safetensors::Entry& entry : file.entries()) there.push_back(entry.name);
      raise(ErrorCode::kInvalidArgument,
            "[load] a wrong name in LoadOptions::names: expected one of {}, got {}{}. Put the "
            "names of the file first.",
            base::quote(path.native()), base::quote(name), base::hint_nearest(name, there));
    }
    if (std::ranges::find(known, inside) == known.end()) {
      raise(ErrorCode::kInvalidArgument,
            "[load] a wrong name in LoadOptions::names: expected one of the module for {}, got "
            "{}{}. named_parameters() lists them.",
            base::quote(name), base::quote(inside), base::hint_nearest(inside, known));
    }
  }
}

/// A load that does nothing was hardly meant.
void check_any(const files::Fit& fit, const Safetensors& file, const std::filesystem::path& path) {
  const auto& [missing, superfluous] = fit.left_out;
  if (!fit.parts.empty() || (missing.empty() && superfluous.empty())) return;
  raise(ErrorCode::kInvalidArgument,
        "[load] none of the {} tensors of {} fits the module: expected {}, got {}. Give "
        "LoadOptions::rename, which makes names of the module of those in the file.",
        file.entries().size(), base::quote(path.native()),
        missing.empty() ? "no names, as it has no parameters" : listed(missing),
        superfluous.empty() ? "none" : listed(superfluous));
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
        base::quote(path.native()), lacks ? " missing are " + listed(report.missing) : "",
        lacks && exceeds ? ";" : "",
        exceeds ? " superfluous are " + listed(report.superfluous) : "",
        allows_missing && allows_superfluous ? "allow_missing = true, .allow_superfluous"
        : allows_missing                     ? "allow_missing"
                                             : "allow_superfluous");
}

/// A buffer's floats in its dtype, from those of another, which a program made that casts buffers
/// too: those of a module stay f32.
bool is_converted(const files::Fit::Part& part) {
  const DType from = part.entry->dtype, to = part.state.parameter.dtype();
  return part.state.is_buffer && from != to && is_floating(from) && is_floating(to);
}

}  // namespace

void files::save_module(Module& module, const std::filesystem::path& file, const char* operation) {
  TensorMap tensors;
  std::map<std::string, std::string> other_names;
  for (const NamedState& each : state_of(module)) {
    module::check_has_shape(operation, each.name(), each.parameter);
    tensors.emplace(each.name(), *each.parameter);
    for (const std::string& name : each.names) {
      if (name != each.name()) other_names.emplace(name, each.name());
    }
  }
  write_safetensors(file, tensors, other_names, operation);
}

void save(Module& module, const std::filesystem::path& file) {
  files::save_module(module, file, "save");
}

LoadReport load(Module& module, const std::filesystem::path& path, const LoadOptions& options) {
  const Safetensors file = files::OpenSafetensors::handle(path, "load");
  check_given_names(options, module, file, path);
  files::Fit fit = files::fit(module, file, naming_of(options), "load");
  check_names(fit.left_out, options, path);
  check_any(fit, file, path);
  for (const files::Fit::Part& part : fit.parts) {
    const Parameter& parameter = part.state.parameter;
    files::check_entry(*part.entry, is_converted(part) ? part.entry->dtype : parameter.dtype(),
                       files::shape_of(parameter), path, "load");
    files::check_destination(parameter, part.state.name(), "load");
  }
  std::vector<Tensor> converted;
  for (const files::Fit::Part& part : fit.parts) {
    const Parameter& parameter = part.state.parameter;
    files::check_values(file, part.entry->name, parameter);
    converted.push_back(
        is_converted(part) ? file.read(part.entry->name, parameter.device()).cast(parameter.dtype())
                           : Tensor());
  }
  for (std::size_t i = 0; i < fit.parts.size(); ++i) {
    const Parameter& parameter = fit.parts[i].state.parameter;
    if (!converted[i].defined()) {
      files::read_parameter(file, fit.parts[i].entry->name, parameter);
    } else if (parameter.defined()) {
      parameter->copy_from(converted[i]);
    } else {
      parameter.set(converted[i]);
    }
  }
  return std::move(fit.left_out);
}

void load(Module& module, const std::filesystem::path& path) {
  static_cast<void>(load(module, path, {}));
}

}  // namespace patchbay::nn

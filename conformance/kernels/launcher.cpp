// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/kernels/launcher.h"

#include <algorithm>
#include <string_view>

#include <patchbay/operators.h>
#include <patchbay/plugin/abi.h>
#include <patchbay/runtime.h>

#include "conformance/support/expect.h"
#include "conformance/values/element.h"

namespace patchbay::conformance {

namespace {

template <class Predicate>
bool has(const KernelSpec& spec, const Predicate& is_it) {
  return std::any_of(spec.arguments.begin(), spec.arguments.end(),
                     [&](const ArgumentSpec& argument) { return is_it(argument.dtype); });
}
bool is_of(const KernelSpec& spec, DType dtype) {
  return has(spec, [=](DType one) { return one == dtype; });
}

bool is_of_storage(DType dtype) {
  bool is = false;
  for_storage_types([&](auto zero) { is = is || dtype == dtype_of<decltype(zero)>(); });
  return is;
}

bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

/// Whether a plugin for that minor version of the boundary may lack the operator for every dtype:
/// it came later, or the library composes it of others, or programs can do without it.
bool may_be_absent(std::string_view kernel, int abi_minor) {
  const auto all = operators();
  const auto op = std::find_if(all.begin(), all.end(),
                               [&](const OperatorInfo& one) { return one.kernel == kernel; });
  if (op == all.end()) return false;
  return op->since > abi_minor || op->family == "composite" || op->family == "factor" ||
         op->family == "transform";
}

/// The minor version of the boundary that the device's plugin was built for.
int abi_minor_of(const Device& device) {
  for (const PluginInfo& plugin : device.runtime().plugins()) {
    if (plugin.status == PluginStatus::kLoaded && plugin.backend == device.backend()) {
      return plugin.abi_minor;
    }
  }
  return PATCHBAY_ABI_MINOR;
}

/// Whether the device says that it has this dtype.
bool is_reported(const Device& device, DType dtype) {
  const DeviceProperties& properties = device.properties();
  if (dtype == DType::f16) return properties.f16;
  return dtype == DType::bf16 ? properties.bf16 : properties.f64;
}

bool is_integer_gemm(const KernelSpec& spec) {
  return spec.op == "gemm.1" && (is_of(spec, DType::i32) || is_of(spec, DType::i64));
}

}  // namespace

/// Plugins may be older than the types of storage.
Demand demand_of(std::string_view kernel, DType dtype, int abi_minor) {
  if (may_be_absent(kernel, abi_minor) || is_of_storage(dtype)) return Demand::kOptional;
  if (kernel == "gemm.1" && (dtype == DType::i32 || dtype == DType::i64)) return Demand::kOptional;
  if (is_half(dtype)) {
    const bool is_kept = kernel == "fill.1" || kernel == "copy.1" || kernel == "cast.1";
    return is_kept ? Demand::kReported : Demand::kOptional;
  }
  return dtype == DType::f64 ? Demand::kReported : Demand::kRequired;
}

bool is_optional(const Device& device, const KernelSpec& spec) {
  const int abi_minor = abi_minor_of(device);
  return has(spec, [&](DType dtype) {
    const Demand demand = demand_of(spec.op, dtype, abi_minor);
    return demand == Demand::kOptional ||
           (demand == Demand::kReported && !is_reported(device, dtype));
  });
}

std::string own_check(const KernelSpec& spec) {
  const std::string id = "kernels." + spec.op.substr(0, spec.op.rfind('.'));
  if (is_integer_gemm(spec)) return id + (is_of(spec, DType::i32) ? "_i32" : "_i64");
  if (has(spec, is_of_storage)) return id + "_storage";
  if (has(spec, is_half)) return id + (is_of(spec, DType::f16) ? "_f16" : "_bf16");
  return is_of(spec, DType::f64) ? id + "_f64" : id;
}

KernelSpec spec_of(const std::string& op, const Arguments& arguments,
                   const std::vector<Attribute>& attributes) {
  KernelSpec spec;
  spec.op = op;
  spec.attributes = attributes;
  for (const Argument& argument : arguments) {
    spec.arguments.push_back(argument.kind == ArgumentSpec::Kind::kScalar
                                 ? ArgumentSpec::scalar(argument.dtype)
                                 : ArgumentSpec::tensor(argument.dtype, argument.access));
  }
  return spec;
}

Kernel prepare(const Device& device, const KernelSpec& spec) {
  try {
    return Kernel::prepare(device, spec);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    if (is_optional(device, spec)) throw Waiver(error.what());
    throw Lack(fmt::format("required, but unsupported: {}", error.what()), own_check(spec));
  }
}

void run_kernel(const Device& device, const std::string& op, const Arguments& arguments,
                const std::vector<Attribute>& attributes) {
  const Kernel kernel = prepare(device, spec_of(op, arguments, attributes));
  const Stream stream = device.default_stream();
  kernel.launch(stream, arguments, op);
  stream.synchronize();
}

}  // namespace patchbay::conformance

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/kernels/launcher.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <patchbay/plugin/kernels/operators.h>

#include "conformance/expect.h"
#include "conformance/values/element.h"

namespace patchbay::conformance {

namespace {

bool is_of(const KernelSpec& spec, DType dtype) {
  return std::any_of(spec.arguments.begin(), spec.arguments.end(),
                     [=](const ArgumentSpec& argument) { return argument.dtype == dtype; });
}

/// Plugins may be older than the types of storage.
bool is_of_storage(const KernelSpec& spec) {
  bool is = false;
  for_storage_types([&](auto zero) { is = is || is_of(spec, dtype_of<decltype(zero)>()); });
  return is;
}

bool is_of_half(const KernelSpec& spec) {
  return is_of(spec, DType::f16) || is_of(spec, DType::bf16);
}

/// Operators that a plugin may lack because it was written before them.
#define PATCHBAY_NAMED(name, version, ...) #name "." #version,
constexpr std::string_view kNewer[] = {"sin.1",
                                       "cos.1",
                                       "tan.1",
                                       "atan2.1",
                                       "exp2.1",
                                       "expm1.1",
                                       "log1p.1",
                                       "log2.1",
                                       "floor.1",
                                       "ceil.1",
                                       "round.1",
                                       "trunc.1",
                                       "sign.1",
                                       "remainder.1",
                                       "silu.1",
                                       "elu.1",
                                       "isnan.1",
                                       "isinf.1",
                                       "isfinite.1",
                                       "softplus.1",
                                       "leaky_relu.1",
                                       "cumsum.1",
                                       "sort.1",
                                       "prod.1",
                                       PATCHBAY_OPERATORS_WINDOW(PATCHBAY_NAMED)
                                           PATCHBAY_OPERATORS_ROW(PATCHBAY_NAMED)
                                               PATCHBAY_OPERATORS_COMPOSITE(PATCHBAY_NAMED)};
#undef PATCHBAY_NAMED
bool is_newer(const KernelSpec& spec) {
  return std::find(std::begin(kNewer), std::end(kNewer), spec.op) != std::end(kNewer);
}

bool is_integer_gemm(const KernelSpec& spec) {
  return spec.op == "gemm.1" && (is_of(spec, DType::i32) || is_of(spec, DType::i64));
}

}  // namespace

bool is_optional(const Device& device, const KernelSpec& spec) {
  return (is_of(spec, DType::f64) && !device.properties().f64) || is_integer_gemm(spec) ||
         is_of_storage(spec) || is_of_half(spec) || is_newer(spec);
}

std::string own_check(const KernelSpec& spec) {
  const std::string id = "kernels." + spec.op.substr(0, spec.op.rfind('.'));
  if (is_integer_gemm(spec)) return id + (is_of(spec, DType::i32) ? "_i32" : "_i64");
  if (is_of_storage(spec)) return id + "_storage";
  if (is_of_half(spec)) return id + (is_of(spec, DType::f16) ? "_f16" : "_bf16");
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

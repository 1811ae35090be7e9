// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/kernels/launcher.h"

#include "conformance/expect.h"

namespace patchbay::conformance {

Need need_of(const Device& device, DType dtype) {
  return dtype == DType::f64 && !device.properties().f64 ? Need::kOptional : Need::kRequired;
}

KernelSpec spec_of(const std::string& op, const Arguments& arguments) {
  KernelSpec spec;
  spec.op = op;
  for (const Argument& argument : arguments) {
    spec.arguments.push_back(argument.kind == ArgumentSpec::Kind::kScalar
                                 ? ArgumentSpec::scalar(argument.dtype)
                                 : ArgumentSpec::tensor(argument.dtype, argument.access));
  }
  return spec;
}

Kernel prepare(const Device& device, const KernelSpec& spec, Need need) {
  try {
    return Kernel::prepare(device, spec);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    if (need == Need::kOptional) throw Waiver(error.what());
    throw Lack(fmt::format("required, but unsupported: {}", error.what()));
  }
}

void run_kernel(const Device& device, const std::string& op, const Arguments& arguments,
                Need need) {
  const Kernel kernel = prepare(device, spec_of(op, arguments), need);
  const Stream stream = device.default_stream();
  kernel.launch(stream, arguments, op);
  stream.synchronize();
}

}  // namespace patchbay::conformance

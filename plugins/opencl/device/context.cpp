// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/device/context.hpp"

#include <algorithm>
#include <vector>

#include "opencl/api/error.hpp"

namespace patchbay::opencl {

ContextHandle create_context(const Symbols& cl, const DeviceInfo& info) {
  cl_int code = 0;
  const cl_context context = cl.clCreateContext(nullptr, 1, &info.id, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  return {cl, context};
}

ContextHandle share_context(const Symbols& cl, const DeviceInfo& info,
                            std::uint64_t native_context) {
  const auto context = reinterpret_cast<cl_context>(static_cast<std::uintptr_t>(native_context));
  const auto key = static_cast<cl_uint>(kContextDevices);
  std::size_t size = 0;
  check(cl.clGetContextInfo(context, key, 0, nullptr, &size), "clGetContextInfo");
  std::vector<cl_device> devices(size / sizeof(cl_device));
  check(cl.clGetContextInfo(context, key, size, devices.data(), nullptr), "clGetContextInfo");
  if (std::find(devices.begin(), devices.end(), info.id) == devices.end()) {
    plugin::invalid_argument("the context does not have this device, '" + info.name + "'");
  }
  check(cl.clRetainContext(context), "clRetainContext");
  return {cl, context};
}

}  // namespace patchbay::opencl

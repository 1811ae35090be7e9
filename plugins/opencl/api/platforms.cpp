// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "opencl/api/device_info.hpp"
#include "opencl/api/error.hpp"
#include "opencl/api/pocl.hpp"

namespace patchbay::opencl {
namespace {

/// Why a platform of this name must not be asked for its devices; empty if it may be.
std::string why_not_ask(const std::string& platform) {
  const std::string why = platform == kPocl ? why_not_ask_pocl() : "";
  return why.empty() ? why : "platform '" + platform + "' " + why;
}

/// Why a platform of this name has no device.
std::string why_none(const std::string& platform) {
  const std::string why = platform == kPocl ? why_pocl_has_no_device() : "";
  return "platform '" + platform + "' has no device" + (why.empty() ? "" : ": " + why);
}

std::vector<cl_platform> platforms(const Symbols& cl) {
  check_driver_files();
  check_pocl_may_be_loaded();
  cl_uint count = 0;
  const cl_int code = cl.clGetPlatformIDs(0, nullptr, &count);
  // The ICD loader returns this if no driver is installed.
  if (code == kPlatformNotFoundKhr || (code == kSuccess && count == 0)) return {};
  check(code, "clGetPlatformIDs");
  std::vector<cl_platform> found(count);
  check(cl.clGetPlatformIDs(count, found.data(), nullptr), "clGetPlatformIDs");
  return found;
}

std::string platform_text(const Symbols& cl, cl_platform platform, std::int64_t what) {
  char text[256] = {};
  const cl_int code =
      cl.clGetPlatformInfo(platform, static_cast<cl_uint>(what), sizeof text - 1, text, nullptr);
  return code == kSuccess ? text : "";
}

std::vector<cl_device> devices(const Symbols& cl, cl_platform platform) {
  cl_uint count = 0;
  const auto type = static_cast<cl_bits>(kDeviceTypeAll);
  const cl_int code = cl.clGetDeviceIDs(platform, type, 0, nullptr, &count);
  if (code != kSuccess || count == 0) return {};
  std::vector<cl_device> found(count);
  check(cl.clGetDeviceIDs(platform, type, count, found.data(), nullptr), "clGetDeviceIDs");
  return found;
}

/// Takes a version such as "OpenCL 1.1 ...". The oldest that is supported is 1.2.
bool is_too_old(std::string_view version) {
  constexpr std::string_view kBefore = "OpenCL ";
  if (version.substr(0, kBefore.size()) != kBefore) return true;
  const std::string_view number = version.substr(kBefore.size(), 3);
  return number == "1.0" || number == "1.1";
}

/// Why a device can't be used; empty if it can.
std::string why_not(const Symbols& cl, const DeviceInfo& device) {
  if (is_too_old(device.version)) return "has " + device.version + ", not 1.2";
  if (device_value<cl_uint>(cl, device.id, kDeviceAvailable) == 0) return "is not available";
  if (device_value<cl_uint>(cl, device.id, kDeviceCompilerAvailable) == 0) {
    return "has no compiler";
  }
  return {};
}

}  // namespace

std::vector<DeviceInfo> find_devices(const Symbols& cl, plugin::Host host) {
  std::vector<DeviceInfo> usable;
  std::string left_out;
  const auto leave_out = [&](const std::string& why) {
    left_out += (left_out.empty() ? "" : "; ") + why;
  };
  for (cl_platform platform : platforms(cl)) {
    const std::string name = platform_text(cl, platform, kPlatformName);
    if (const std::string why = why_not_ask(name); !why.empty()) {
      leave_out(why);
      continue;
    }
    const std::string version = platform_text(cl, platform, kPlatformVersion);
    const std::vector<cl_device> ids = devices(cl, platform);
    if (ids.empty()) leave_out(why_none(name));
    if (!ids.empty() && is_too_old(version)) {
      leave_out("platform '" + name + "' has " + version + ", not 1.2");
      continue;
    }
    for (cl_device id : ids) {
      const DeviceInfo device(cl, name, id);
      const std::string why = why_not(cl, device);
      if (why.empty())
        usable.push_back(device);
      else
        leave_out("'" + device.name + "' of platform '" + name + "' " + why);
    }
  }
  if (usable.empty()) {
    throw plugin::StatusError(PATCHBAY_NO_DEVICE,
                              left_out.empty()
                                  ? "the ICD loader knows no platform: install a driver, such as "
                                    "pocl-opencl-icd (its .icd file is looked for in "
                                    "/etc/OpenCL/vendors, or OCL_ICD_VENDORS)"
                                  : left_out);
  }
  if (!left_out.empty()) host.log(PATCHBAY_LOG_INFO, left_out);
  return usable;
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/error.hpp"

namespace patchbay::opencl {
namespace {

const char* name_of(std::int64_t code) {
  switch (code) {
    case kDeviceNotFound: return "CL_DEVICE_NOT_FOUND";
    case kDeviceNotAvailable: return "CL_DEVICE_NOT_AVAILABLE";
    case kMemObjectAllocationFailure: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case kOutOfResources: return "CL_OUT_OF_RESOURCES";
    case kOutOfHostMemory: return "CL_OUT_OF_HOST_MEMORY";
    case kBuildProgramFailure: return "CL_BUILD_PROGRAM_FAILURE";
    case kEventFailed: return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    case kInvalidWorkGroupSize: return "CL_INVALID_WORK_GROUP_SIZE";
    case kInvalidWorkItemSize: return "CL_INVALID_WORK_ITEM_SIZE";
    case kInvalidBufferSize: return "CL_INVALID_BUFFER_SIZE";
    default: return "error";
  }
}

}  // namespace

std::string describe(std::int64_t code) {
  return std::string(name_of(code)) + " (" + std::to_string(code) + ")";
}

bool is_out_of_memory(std::int64_t code) {
  return code == kMemObjectAllocationFailure || code == kOutOfResources ||
         code == kOutOfHostMemory || code == kInvalidBufferSize;
}

void fail(const std::string& doing, std::int64_t code) {
  const bool no_memory = code == kMemObjectAllocationFailure || code == kOutOfHostMemory;
  throw plugin::StatusError(no_memory ? PATCHBAY_OUT_OF_MEMORY : PATCHBAY_DRIVER_ERROR,
                            doing + ": " + describe(code), code, flags_of(code));
}

}  // namespace patchbay::opencl

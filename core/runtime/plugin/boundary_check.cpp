// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks the numbers that users' headers and the boundary share, and the frozen layouts.
#include "patchbay/buffer.h"
#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/kernel.h"
#include "patchbay/log.h"
#include "patchbay/plugin/abi.h"
#include "patchbay/shape.h"

namespace patchbay {
namespace {

template <class Enum>
constexpr bool is(Enum value, int number) {
  return static_cast<int>(value) == number;
}

static_assert(is(ArgumentSpec::Kind::kTensor, PATCHBAY_TENSOR) &&
              is(ArgumentSpec::Kind::kScalar, PATCHBAY_SCALAR) &&
              is(ArgumentSpec::Kind::kBytes, PATCHBAY_BYTES));
static_assert(is(Access::kRead, PATCHBAY_READ) && is(Access::kWrite, PATCHBAY_WRITE) &&
              is(Access::kReadWrite, PATCHBAY_READ | PATCHBAY_WRITE));
static_assert(is(MemoryKind::kDevice, PATCHBAY_MEMORY_DEVICE) &&
              is(MemoryKind::kPinned, PATCHBAY_MEMORY_PINNED) &&
              is(MemoryKind::kUnified, PATCHBAY_MEMORY_UNIFIED));
static_assert(is(DeviceKind::kCpu, PATCHBAY_DEVICE_CPU) &&
              is(DeviceKind::kAccelerator, PATCHBAY_DEVICE_ACCELERATOR));
static_assert(is(LogLevel::kError, PATCHBAY_LOG_ERROR) &&
              is(LogLevel::kWarning, PATCHBAY_LOG_WARNING) &&
              is(LogLevel::kInfo, PATCHBAY_LOG_INFO) && is(LogLevel::kDebug, PATCHBAY_LOG_DEBUG));
static_assert(kMaxRank == PATCHBAY_MAX_RANK);

static_assert(sizeof(patchbay_argument_spec) == 144);
static_assert(sizeof(patchbay_argument) == 168);
static_assert(sizeof(patchbay_attribute) == 48);
static_assert(sizeof(patchbay_note) == 12 + 12 + 8 + 32 + 32 + 16);

}  // namespace
}  // namespace patchbay

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public copies between buffers: checks their arguments; copy.h does the work.
#include <cstdint>

#include "patchbay/copy.h"

#include "core/base/error.h"
#include "core/runtime/copy/copy.h"
#include "core/runtime/device/device_state.h"

namespace patchbay {
namespace {

using base::raise;
using runtime::CopyAddress;

void check_range(const BufferRange& range, const char* which) {
  if (!range.buffer) {
    base::raise(ErrorCode::kInvalidArgument, "[copy] the {} has no buffer.", which);
  }
  const std::size_t size = range.buffer.size_bytes();
  if (range.offset_bytes > size || range.size_bytes > size - range.offset_bytes) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[copy] the {} range is outside its buffer: {} bytes from offset {}, of {} bytes ({}).",
        which, range.size_bytes, range.offset_bytes, size, range.buffer.device().name());
  }
}

/// Whether two ranges overlap without being the same. Two buffers share bytes if both wrap the same
/// block of the application's.
bool overlap(const BufferRange& a, const BufferRange& b) {
  const bool is_shared =
      a.buffer == b.buffer || runtime::may_share_bytes(*a.buffer.state(), *b.buffer.state());
  if (!is_shared) return false;
  const auto begin = [](const BufferRange& range) {
    return runtime::address_of(*range.buffer.state()) + range.offset_bytes;
  };
  const std::uintptr_t left_begin = begin(a), right_begin = begin(b);
  return left_begin != right_begin && left_begin < right_begin + b.size_bytes &&
         right_begin < left_begin + a.size_bytes;
}

CopyAddress address_of(const BufferRange& range) {
  return {range.buffer.state(), range.offset_bytes, nullptr};
}

}  // namespace

void copy(const BufferRange& to, const BufferRange& from, bool non_blocking) {
  check_range(to, "destination");
  check_range(from, "source");
  to.buffer.state()->check_writable("copy", "the destination");
  if (to.size_bytes != from.size_bytes) {
    base::raise(ErrorCode::kInvalidArgument,
                "[copy] sizes differ: destination {} bytes, source {} bytes.", to.size_bytes,
                from.size_bytes);
  }
  if (overlap(to, from)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[copy] the ranges overlap: {} bytes at offsets {} and {} of the same memory ({}).",
                to.size_bytes, to.offset_bytes, from.offset_bytes, to.buffer.device().name());
  }
  runtime::copy_bytes(address_of(to), address_of(from), to.size_bytes, non_blocking, "copy");
}

void copy_from_host(const BufferRange& to, const void* from) {
  check_range(to, "destination");
  to.buffer.state()->check_writable("copy_from_host", "the destination");
  if (from == nullptr && to.size_bytes != 0) {
    base::raise(ErrorCode::kInvalidArgument, "[copy_from_host] the source is null.");
  }
  runtime::copy_bytes(address_of(to), {nullptr, 0, const_cast<void*>(from)}, to.size_bytes, false,
                      "copy_from_host");
}

void copy_to_host(void* to, const BufferRange& from) {
  check_range(from, "source");
  if (to == nullptr && from.size_bytes != 0) {
    base::raise(ErrorCode::kInvalidArgument, "[copy_to_host] the destination is null.");
  }
  runtime::copy_bytes({nullptr, 0, to}, address_of(from), from.size_bytes, false, "copy_to_host");
}

}  // namespace patchbay

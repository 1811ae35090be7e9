// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/context/allocator.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "kit/machine/memory.hpp"
#include "opencl/api/error.hpp"
#include "opencl/context/context.hpp"
#include "opencl/context/stream.hpp"

namespace patchbay::opencl {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
/// Smaller blocks come from memory that the driver already has, and a command takes tens of
/// microseconds.
constexpr std::uint64_t kCommitFromBytes = 256 << 10;

[[noreturn]] void out_of_memory(const std::string& why, std::int64_t code = 0) {
  throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, why, code);
}

}  // namespace

Allocator::Allocator(const Context& context, plugin::Host host)
    : context_(context), host_(host), queue_(create_queue(context)) {}

std::uint64_t Allocator::free_bytes() const {
  const std::uint64_t total = context_.info().memory_bytes;
  const std::uint64_t left = total - std::min(total, allocated_bytes_.load());
  if (!context_.info().shares_host_memory) return left;
  const machine::MemoryState host = machine::read_memory_state();
  return host.total_bytes == 0 ? left : std::min(left, host.free_bytes);
}

Allocator::Info Allocator::info() { return {free_bytes(), context_.info().memory_bytes}; }

void Allocator::check_size(std::uint64_t size_bytes) const {
  const std::uint64_t largest = context_.info().largest_allocation_bytes;
  if (size_bytes > largest) {
    out_of_memory(std::to_string(size_bytes) +
                  " bytes are more than this device allocates at once (" + std::to_string(largest) +
                  ", CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
  }
  const std::uint64_t left = free_bytes();
  if (size_bytes > left) {
    out_of_memory(std::to_string(size_bytes) + " bytes asked for, " + std::to_string(left) +
                  " are free");
  }
}

BufferHandle Allocator::create(std::int64_t flags, std::uint64_t size_bytes) const {
  cl_int code = 0;
  const cl_buffer buffer = context_.cl().clCreateBuffer(
      context_.native(), static_cast<cl_bits>(flags), size_bytes, nullptr, &code);
  if (is_out_of_memory(code)) {
    out_of_memory("clCreateBuffer of " + std::to_string(size_bytes) + " bytes: " + describe(code),
                  code);
  }
  check(code, "clCreateBuffer");
  return {context_.cl(), buffer};
}

/// Uses the memory, because drivers delay the real allocation until the first use.
void Allocator::commit(cl_buffer buffer, std::uint64_t size_bytes) const {
  const Symbols& cl = context_.cl();
  const bool by_page = context_.info().is_cpu;
  if (by_page && size_bytes < kCommitFromBytes) return;
  cl_int code = kSuccess;
  if (by_page) {
    // Writes one byte per page, which touches all pages but writes little.
    const std::size_t pages = size_bytes / kPageBytes, none[3] = {0, 0, 0},
                      column[3] = {1, pages, 1};
    const std::vector<char> zeros(pages);
    code = cl.clEnqueueWriteBufferRect(queue_.get(), buffer, kTrue, none, none, column, kPageBytes,
                                       0, 1, 0, zeros.data(), 0, nullptr, nullptr);
  } else {
    const char zero = 0;
    code =
        cl.clEnqueueFillBuffer(queue_.get(), buffer, &zero, 1, 0, size_bytes, 0, nullptr, nullptr);
    if (code == kSuccess) code = cl.clFinish(queue_.get());
  }
  if (code == kSuccess) return;
  const std::string doing = "the first use of " + std::to_string(size_bytes) + " bytes";
  if (is_out_of_memory(code)) out_of_memory(doing + ": " + describe(code), code);
  fail(doing, code);
}

plugin::Memory Allocator::pin(std::uint64_t size_bytes) {
  BufferHandle buffer = create(kMemReadWrite | kMemAllocHostPtr, size_bytes);
  cl_int code = 0;
  void* const pointer = context_.cl().clEnqueueMapBuffer(queue_.get(), buffer.get(), kTrue,
                                                         static_cast<cl_bits>(kMapRead | kMapWrite),
                                                         0, size_bytes, 0, nullptr, nullptr, &code);
  check(code, "clEnqueueMapBuffer");
  const std::lock_guard<std::mutex> lock(mutex_);
  pinned_.emplace(pointer, Pinned{std::move(buffer), size_bytes});
  num_pinned_ = pinned_.size();
  return {pointer, 0};
}

plugin::Memory Allocator::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                                   std::uint64_t alignment_bytes) {
  if (alignment_bytes > std::max<std::uint64_t>(context_.info().alignment_bytes, 1)) {
    plugin::invalid_argument("alignment " + std::to_string(alignment_bytes) + ": buffers have " +
                             std::to_string(context_.info().alignment_bytes));
  }
  check_size(size_bytes);
  plugin::Memory memory{};
  if (memory_kind == PATCHBAY_MEMORY_PINNED) {
    memory = pin(size_bytes);
  } else if (memory_kind == PATCHBAY_MEMORY_DEVICE) {
    BufferHandle buffer = create(kMemReadWrite, size_bytes);
    commit(buffer.get(), size_bytes);
    memory = {buffer.take(), 0};
  } else {
    plugin::unsupported("no memory of kind " + std::to_string(memory_kind));
  }
  allocated_bytes_ += size_bytes;
  return memory;
}

void Allocator::release(std::uint32_t memory_kind, plugin::Memory memory) noexcept {
  const Symbols& cl = context_.cl();
  if (memory_kind == PATCHBAY_MEMORY_PINNED) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pinned_.find(memory.base);
    if (found == pinned_.end()) return;
    cl.clEnqueueUnmapMemObject(queue_.get(), found->second.buffer.get(), memory.base, 0, nullptr,
                               nullptr);
    cl.clFinish(queue_.get());
    allocated_bytes_ -= found->second.size_bytes;
    pinned_.erase(found);
    num_pinned_ = pinned_.size();
    return;
  }
  const auto buffer = static_cast<cl_buffer>(memory.base);
  std::size_t size_bytes = 0;
  cl.clGetMemObjectInfo(buffer, static_cast<cl_uint>(kMemSize), sizeof size_bytes, &size_bytes,
                        nullptr);
  cl.clReleaseMemObject(buffer);
  allocated_bytes_ -= size_bytes;
}

template <class T>
T Allocator::ask(cl_buffer buffer, std::int64_t what) const {
  T value{};
  check(context_.cl().clGetMemObjectInfo(buffer, static_cast<cl_uint>(what), sizeof value, &value,
                                         nullptr),
        "clGetMemObjectInfo");
  return value;
}

plugin::Memory Allocator::wrap(std::uint64_t native_handle, std::uint64_t size_bytes) {
  const auto buffer = reinterpret_cast<cl_buffer>(static_cast<std::uintptr_t>(native_handle));
  if (ask<cl_uint>(buffer, kMemType) != kMemObjectBuffer) {
    plugin::invalid_argument("the memory object is no buffer");
  }
  if (ask<cl_context>(buffer, kMemContext) != context_.native()) {
    plugin::invalid_argument(
        "the buffer belongs to another context than this device; adopt that context before the "
        "device is first used");
  }
  if ((ask<cl_bits>(buffer, kMemFlags) & static_cast<cl_bits>(kMemReadOnly)) != 0) {
    plugin::invalid_argument(
        "the buffer is CL_MEM_READ_ONLY: expected one that kernels may write; make it with "
        "CL_MEM_READ_WRITE");
  }
  const auto has_bytes = ask<std::size_t>(buffer, kMemSize);
  if (size_bytes > has_bytes) {
    plugin::invalid_argument("the buffer has " + std::to_string(has_bytes) + " bytes, not " +
                             std::to_string(size_bytes));
  }
  // The buffer's other devices may allow smaller alignments.
  const auto offset = ask<std::size_t>(buffer, kMemOffset);
  const std::uint64_t alignment = std::max<std::uint64_t>(context_.info().alignment_bytes, 1);
  if (offset % alignment != 0) {
    plugin::invalid_argument("the sub-buffer begins at byte " + std::to_string(offset) +
                             ", and this device wants multiples of " + std::to_string(alignment));
  }
  return {buffer, 0};
}

cl_buffer Allocator::buffer_of(void* base) const {
  if (num_pinned_ != 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = pinned_.find(base);
    if (found != pinned_.end()) return found->second.buffer.get();
  }
  return static_cast<cl_buffer>(base);
}

cl_buffer Allocator::device_buffer(plugin::Memory memory) const {
  const cl_buffer buffer = buffer_of(memory.base);
  if (buffer != memory.base) {
    plugin::unsupported("pinned memory is mapped for the host and can't be used by a command");
  }
  return buffer;
}

}  // namespace patchbay::opencl

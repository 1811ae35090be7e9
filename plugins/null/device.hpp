// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An opened device: in most drivers, its context.
#ifndef PATCHBAY_NULL_DEVICE_HPP_
#define PATCHBAY_NULL_DEVICE_HPP_

#include "memory.hpp"
#include "todo.hpp"

namespace null {

class Device : public plugin::Device {
 public:
  plugin::Allocator& allocator() override { return memory_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;

  // Optional
  bool can_access_peer(plugin::Device& other) override;
  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override;

 private:
  Allocator memory_;
};

}  // namespace null

#endif  // PATCHBAY_NULL_DEVICE_HPP_

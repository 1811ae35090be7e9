// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/device/device.hpp"

#include "cpu-openblas/device/module.hpp"
#include "cpu-openblas/fused/fused.hpp"
#include "cpu-openblas/operators/operators.hpp"
#include "cpu-openblas/threads/event.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/expression/program.hpp"

namespace patchbay::cpu {

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t flags) {
  return std::make_unique<Stream>(workers_, (flags & PATCHBAY_STREAM_DEFAULT) != 0);
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  return prepare_operator(spec, workers_, libraries_);
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view) {
  if (expression::is_expression(format)) return load_fused(code, workers_, libraries_);
  return std::make_unique<Module>(executor_.load(format, code), workers_);
}

std::uint64_t Device::native_handle(std::uint32_t native_kind, void* object) {
  if (native_kind == PATCHBAY_NATIVE_MEMORY) return reinterpret_cast<std::uintptr_t>(object);
  plugin::unsupported("on CPU devices only memory has a native handle, its address");
}

}  // namespace patchbay::cpu

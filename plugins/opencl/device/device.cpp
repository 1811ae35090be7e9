// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/device/device.hpp"

#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"
#include "opencl/api/error.hpp"
#include "opencl/context/event.hpp"
#include "opencl/context/stream.hpp"
#include "opencl/kernels/kernels.hpp"

namespace patchbay::opencl {
namespace {

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

Stream& stream_of(void* object) {
  return static_cast<Stream&>(*static_cast<plugin::Stream*>(object));
}
Event& event_of(void* object) { return static_cast<Event&>(*static_cast<plugin::Event*>(object)); }

}  // namespace

Device::Device(const Symbols& cl, const DeviceInfo& info, ProcessEnd& process_end,
               ContextHandle context, plugin::Host host)
    : context_(cl, info, process_end, std::move(context), host),
      portable_(make_backend(context_, host)) {}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t flags) {
  const bool with_times = (flags & PATCHBAY_STREAM_TIMES) != 0;
  return std::make_unique<Stream>(context_, create_queue(context_, with_times));
}

std::unique_ptr<plugin::Stream> Device::wrap_stream(std::uint64_t native_handle) {
  const auto queue = reinterpret_cast<cl_queue>(static_cast<std::uintptr_t>(native_handle));
  if (queue == nullptr) {
    plugin::invalid_argument("null is no command queue: expected a cl_command_queue, got 0");
  }
  const Symbols& cl = context_.cl();
  cl_context context = nullptr;
  check(cl.clGetCommandQueueInfo(queue, static_cast<cl_uint>(kQueueContext), sizeof context,
                                 &context, nullptr),
        "clGetCommandQueueInfo");
  if (context != context_.native()) {
    plugin::invalid_argument(
        "the command queue belongs to another context than this device; adopt that context before "
        "the device is first used");
  }
  cl_device device = nullptr;
  check(cl.clGetCommandQueueInfo(queue, static_cast<cl_uint>(kQueueDevice), sizeof device, &device,
                                 nullptr),
        "clGetCommandQueueInfo");
  if (device != context_.info().id)
    plugin::invalid_argument("the command queue is of another device");
  cl_bits properties = 0;
  check(cl.clGetCommandQueueInfo(queue, static_cast<cl_uint>(kQueueProperties), sizeof properties,
                                 &properties, nullptr),
        "clGetCommandQueueInfo");
  if ((properties & kQueueOutOfOrder) != 0) {
    plugin::invalid_argument("the command queue runs out of order, and streams are in order");
  }
  check(cl.clRetainCommandQueue(queue), "clRetainCommandQueue");
  auto stream = std::make_unique<Stream>(context_, QueueHandle(cl, queue));
  stream->share();
  return stream;
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  return std::make_unique<Event>(context_);
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  const std::string name(plugin::from_abi(spec.op));
  const bool by_blocks = context_.info().has_long_items && host().option("opencl_gemm") != "tiles";
  if (name == "gemm.1" && by_blocks) {
    return prepare_gemm_blocks(context_, portable_.traits(), host(), spec);
  }
  if (auto kernel = portable::prepare(portable_, spec)) return kernel;
  plugin::unsupported("the plugin opencl has no operator " + name);
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view) {
  if (expression::is_expression(format)) return portable::load_fused(portable_, code);
  return opencl::load_module(context_, host(), format, code);
}

std::uint64_t Device::native_handle(std::uint32_t native_kind, void* object) {
  switch (native_kind) {
    case PATCHBAY_NATIVE_DEVICE: return number_of(context_.info().id);
    case PATCHBAY_NATIVE_CONTEXT: return number_of(context_.native());
    case PATCHBAY_NATIVE_STREAM: {
      stream_of(object).share();
      return number_of(stream_of(object).queue());
    }
    case PATCHBAY_NATIVE_MEMORY: return number_of(context_.memory().buffer_of(object));
    case PATCHBAY_NATIVE_EVENT: return number_of(event_of(object).native());
    default: plugin::unsupported("no native handle of kind " + std::to_string(native_kind));
  }
}

}  // namespace patchbay::opencl

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver, which finds the OpenCL devices, and a device.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/kit.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/base/backend.hpp"
#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"
#include "opencl/api/device_info.hpp"
#include "opencl/api/error.hpp"
#include "opencl/api/symbols.hpp"
#include "opencl/context/context.hpp"
#include "opencl/context/process_end.hpp"
#include "opencl/context/stream.hpp"
#include "opencl/context/timeline.hpp"
#include "opencl/kernels/kernels.hpp"

namespace patchbay::opencl {
namespace {

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

Stream& stream_of(void* object) {
  return static_cast<Stream&>(*static_cast<plugin::Stream*>(object));
}

Event& event_of(void* object) { return static_cast<Event&>(*static_cast<plugin::Event*>(object)); }

class Device : public plugin::Device {
 public:
  /// The driver owns the objects that are passed by reference.
  Device(const Symbols& cl, const DeviceInfo& info, ProcessEnd& process_end, ContextHandle context,
         plugin::Host host)
      : context_(cl, info, process_end, std::move(context), host),
        portable_(make_backend(context_, host)) {}

  plugin::Allocator& allocator() override { return context_.memory(); }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override {
    const bool with_times = (flags & PATCHBAY_STREAM_TIMES) != 0;
    return std::make_unique<Stream>(context_, create_queue(context_, with_times));
  }

  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override {
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
          "the command queue belongs to another context than this device; adopt that context "
          "before the device is first used");
    }
    cl_device device = nullptr;
    check(cl.clGetCommandQueueInfo(queue, static_cast<cl_uint>(kQueueDevice), sizeof device,
                                   &device, nullptr),
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

  std::unique_ptr<plugin::Event> create_event(std::uint32_t) override {
    return std::make_unique<Event>(context_);
  }

  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override {
    const std::string name(plugin::from_abi(spec.op));
    const bool by_blocks =
        context_.info().has_long_items && host().option("opencl_gemm") != "tiles";
    if (name == "gemm.1" && by_blocks) {
      return prepare_gemm_blocks(context_, portable_.traits(), host(), spec);
    }
    if (auto kernel = portable::prepare(portable_, spec)) return kernel;
    plugin::unsupported("the plugin opencl has no operator " + name);
  }

  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view) override {
    if (expression::is_expression(format)) return portable::load_fused(portable_, code);
    return opencl::load_module(context_, host(), format, code);
  }

  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override {
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

 private:
  Context context_;
  portable::Backend portable_;
};

ContextHandle create_context(const Symbols& cl, const DeviceInfo& info) {
  cl_int code = 0;
  const cl_context context = cl.clCreateContext(nullptr, 1, &info.id, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  return {cl, context};
}

/// Retains the application's context. Throws if it does not contain the device.
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

/// The devices of all platforms, in the ICD loader's order.
class Driver : public plugin::Driver {
 public:
  explicit Driver(plugin::Host host)
      : host_(host), cl_(host.option("opencl_library")), devices_(find_devices(cl_, host)) {}

  void enumerate(const Found& found) override {
    std::uint32_t index = 0;
    for (const DeviceInfo& device : devices_) {
      patchbay_device_properties properties{};
      properties.size = sizeof properties;
      properties.index = index++;
      properties.kind = device.is_cpu ? PATCHBAY_DEVICE_CPU : PATCHBAY_DEVICE_ACCELERATOR;
      properties.name = plugin::to_abi(device.name);
      properties.vendor = plugin::to_abi(device.vendor);
      properties.driver_version = plugin::to_abi(device.driver_version);
      properties.pci_address = plugin::to_abi(device.pci_address);
      std::copy(device.uuid.begin(), device.uuid.end(), properties.uuid);
      properties.capabilities = PATCHBAY_CAN_MODULES | PATCHBAY_CAN_FUSED_GROUPS |
                                PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 |
                                (device.has_f64 ? PATCHBAY_CAN_F64 : 0) |
                                (device.shares_host_memory ? PATCHBAY_CAN_UNIFIED_MEMORY : 0);
      properties.host_addressable_kinds = std::uint64_t{1} << PATCHBAY_MEMORY_PINNED;
      properties.memory_total_bytes = device.memory_bytes;
      properties.memory_alignment_bytes = device.alignment_bytes;
      properties.compute_units = device.compute_units;
      properties.preferred_vector_bytes = device.vector_bytes;
      properties.sub_group_width = 1;
      properties.max_group_size = device.max_group_size;
      properties.l2_cache_bytes = device.l2_cache_bytes;
      properties.shared_memory_bytes = device.local_memory_bytes;
      properties.clock_khz = device.clock_khz;
      properties.dlpack_device_type = 4;
      properties.dlpack_device_id = static_cast<std::int32_t>(properties.index);
      found(properties);
    }
  }

  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override {
    const DeviceInfo& info = device(index);
    return std::make_unique<Device>(cl_, info, process_end_, create_context(cl_, info), host_);
  }

  std::unique_ptr<plugin::Device> open_device_in(std::uint32_t index,
                                                 std::uint64_t native_context) override {
    const DeviceInfo& info = device(index);
    return std::make_unique<Device>(cl_, info, process_end_,
                                    share_context(cl_, info, native_context), host_);
  }

  /// "exit".
  const void* extension(std::string_view name, std::uint32_t version) override {
    static constexpr patchbay_exit_table kExit = {sizeof(patchbay_exit_table), stop};
    return name == PATCHBAY_EXTENSION_EXIT && version == 1 ? &kExit : nullptr;
  }

 private:
  static void stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept {
    static_cast<Driver&>(plugin::detail::object(driver)).process_end_.stop(deadline_ns);
  }

  const DeviceInfo& device(std::uint32_t index) const {
    if (index >= devices_.size()) {
      plugin::invalid_argument("there is no device " + std::to_string(index) + " among " +
                               std::to_string(devices_.size()));
    }
    return devices_[index];
  }

  const plugin::Host host_;
  const Symbols cl_;
  std::vector<DeviceInfo> devices_;
  ProcessEnd process_end_;
};

}  // namespace
}  // namespace patchbay::opencl

PATCHBAY_PLUGIN_SETTINGS("opencl_library opencl_gemm");
PATCHBAY_DEFINE_PLUGIN("opencl", "opencl", "0.1", patchbay::opencl::Driver);

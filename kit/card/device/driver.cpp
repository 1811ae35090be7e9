// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/device/driver.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/thunks.hpp"

#include "kit/card/api/entries.hpp"
#include "kit/card/context/allocator.hpp"
#include "kit/card/context/context.hpp"
#include "kit/card/context/graph.hpp"
#include "kit/card/context/stream.hpp"
#include "kit/card/device/vendor.hpp"
#include "kit/card/kernels/kernels.hpp"
#include "kit/card/kernels/program.hpp"
#include "kit/dialect_module.hpp"
#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::card {
namespace {

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

Stream& stream_of(void* object) {
  return static_cast<Stream&>(*static_cast<plugin::Stream*>(object));
}
Event& event_of(void* object) { return static_cast<Event&>(*static_cast<plugin::Event*>(object)); }

/// Whether the driver can't load a compiler's output, although it may load another compiler's.
bool refuses_image(Result code) {
  return code == kErrorInvalidImage || code == kErrorNoBinary || code == kErrorInvalidPtx ||
         code == kErrorUnsupportedPtxVersion || code == kErrorObjectInit;
}

class Device : public PeerDevice {
 public:
  /// Uses the device's own context unless `adopted` is one of the application's.
  Device(Vendor& vendor, const DeviceInfo& info, std::uint32_t index, NativeContext adopted)
      : PeerDevice(vendor.api(), vendor.gate(), info.number, index, adopted),
        vendor_(vendor),
        info_(info),
        allocator_(context_, info.memory_bytes),
        products_(vendor.make_products(context_, info)),
        dnn_(vendor.make_dnn(context_)),
        layers_(vendor.make_layers(context_, info)),
        portable_(
            make_backend(info, context_, [this](std::string_view text) { return build(text); })) {}

  plugin::Allocator& allocator() override { return allocator_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override {
    return std::make_unique<Stream>(context_, flags);
  }

  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override {
    if (native_handle == kPerThread) {
      plugin::invalid_argument(
          "the default stream of each thread is another stream on every thread; lend one that the "
          "application has created");
    }
    const bool is_null = native_handle == kLegacyStream && !context_.api().knows_legacy_stream;
    const auto stream =
        reinterpret_cast<NativeStream>(static_cast<std::uintptr_t>(is_null ? 0 : native_handle));
    NativeContext owner = nullptr;
    context_.call(context_.api().stream_context, context_.api(), stream, &owner);
    if (owner != context_.native()) context_.refuse_others("stream");
    return std::make_unique<Stream>(context_, stream);
  }

  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override {
    return std::make_unique<Event>(context_, (flags & PATCHBAY_EVENT_TIMES) != 0);
  }

  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override {
    context_.check_alive();
    if (auto kernel = prepare_gemm(parts(), spec)) return kernel;
    if (auto kernel = prepare_convolution(parts(), spec)) return kernel;
    if (auto kernel = prepare_linear(parts(), spec)) return kernel;
    if (auto kernel = prepare_attention(parts(), spec)) return kernel;
    if (auto kernel = portable::prepare(portable_, spec)) return kernel;
    plugin::unsupported("the plugin " + std::string(vendor_.plugin_name()) + " has no operator " +
                        std::string(plugin::from_abi(spec.op)));
  }

  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view) override {
    if (expression::is_expression(format)) return portable::load_fused(portable_, code);
    check_dialect(format);
    return make_module(build(code));
  }

  std::unique_ptr<plugin::Graph> create_graph() override {
    if (!vendor_.api().has_graphs) plugin::unsupported("this driver replays no graphs");
    return std::make_unique<Graph>(context_);
  }

  bool can_access_peer(plugin::Device& other) override {
    return &other != this && context_.can_access(static_cast<Device&>(other).context());
  }

  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override {
    switch (native_kind) {
      case PATCHBAY_NATIVE_DEVICE: return static_cast<std::uint64_t>(info_.number);
      case PATCHBAY_NATIVE_CONTEXT:
        if (!context_.api().has_contexts) plugin::unsupported("this driver has no contexts");
        return number_of(context_.native());
      case PATCHBAY_NATIVE_STREAM: return number_of(stream_of(object).native());
      case PATCHBAY_NATIVE_MEMORY: return number_of(object);
      case PATCHBAY_NATIVE_EVENT: return number_of(event_of(object).native());
      default: plugin::unsupported("no native handle of kind " + std::to_string(native_kind));
    }
  }

 private:
  /// Compiles and loads a text of the dialect.
  Program build(std::string_view text) {
    context_.check_alive();
    const CallGate::Pass pass(context_.gate());
    if (!pass) refuse_at_process_end();
    Image image = vendor_.compiler().compile(text, info_.architecture);
    for (;;) {
      try {
        return Program(context_, image.bytes);
      } catch (const plugin::StatusError& error) {
        if (!refuses_image(static_cast<Result>(error.native_code()))) throw;
        if (!vendor_.compiler().compile_again(text, info_.architecture, image)) throw;
      }
    }
  }

  KernelParts parts() { return {host(), info_, *products_, dnn_.get(), layers_.get(), portable_}; }

  Vendor& vendor_;
  const DeviceInfo& info_;
  Allocator allocator_;
  const std::unique_ptr<Products> products_;
  const std::unique_ptr<DnnLibrary> dnn_;  // may be null
  const std::unique_ptr<Layers> layers_;   // may be null
  portable::Backend portable_;
};

}  // namespace

Driver::Driver(std::unique_ptr<Vendor> vendor) : vendor_(std::move(vendor)) {
  const Api& api = vendor_->api();
  const auto no_device = [&](const std::string& why, Result code) {
    throw plugin::StatusError(
        PATCHBAY_NO_DEVICE, why + "; install a card, or correct " + vendor_->visibility_variable(),
        code);
  };
  const auto check_found = [&](std::string_view entry, Result code) {
    if (code == kSuccess) return;
    const std::string why = describe(api, entry, code);
    // Without a card some drivers say that there is no device, others that it is invalid.
    if (code == kErrorNoDevice || code == kErrorInvalidDevice) no_device(why, code);
    throw plugin::StatusError(PATCHBAY_NO_DRIVER, why, code);
  };
  check_found(api.initialise.name, api.initialise(0));
  int count = 0;
  check_found(api.device_count.name, api.device_count(&count));
  if (count == 0) no_device("the driver sees no device", kSuccess);
  for (int i = 0; i < count; ++i) devices_.push_back(vendor_->device(i));
}

bool Driver::reaches_another(const DeviceInfo& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const DeviceInfo& other) {
    int can = 0;
    const auto& entry = vendor_->api().device_can_access_peer;
    return other.number != device.number && entry(&can, device.number, other.number) == kSuccess &&
           can != 0;
  });
}

void Driver::enumerate(const Found& found) {
  const std::string version = vendor_->driver_version();
  std::uint32_t index = 0;
  for (const DeviceInfo& device : devices_) {
    patchbay_device_properties properties{};
    properties.size = sizeof properties;
    properties.index = index++;
    properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
    properties.name = plugin::to_abi(device.name);
    properties.vendor = plugin::to_abi(vendor_->vendor_name());
    properties.driver_version = plugin::to_abi(version);
    properties.pci_address = plugin::to_abi(device.pci_address);
    std::copy(std::begin(device.uuid.bytes), std::end(device.uuid.bytes), properties.uuid);
    properties.capabilities =
        PATCHBAY_CAN_F64 | PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 | PATCHBAY_CAN_MODULES |
        PATCHBAY_CAN_FUSED_GROUPS | PATCHBAY_CAN_ADDRESS | PATCHBAY_CAN_STREAM_PRIORITY |
        PATCHBAY_PAGEABLE_COPIES_BLOCK | (device.is_integrated ? PATCHBAY_CAN_UNIFIED_MEMORY : 0) |
        (reaches_another(device) ? PATCHBAY_CAN_PEER_ACCESS : 0);
    properties.host_addressable_kinds = std::uint64_t{1} << PATCHBAY_MEMORY_PINNED;
    properties.memory_total_bytes = device.memory_bytes;
    properties.memory_alignment_bytes = kAlignmentBytes;
    properties.compute_units = device.compute_units;
    properties.preferred_vector_bytes = 16;
    properties.sub_group_width = device.sub_group_width;
    properties.max_group_size = device.max_group_size;
    properties.dlpack_device_type = vendor_->dlpack_device_type();
    properties.dlpack_device_id = device.number;
    properties.architecture = plugin::to_abi(device.architecture);
    properties.l2_cache_bytes = device.l2_cache_bytes;
    properties.shared_memory_bytes = device.shared_memory_bytes;
    properties.clock_khz = device.clock_khz;
    properties.memory_clock_khz = device.memory_clock_khz;
    found(properties);
  }
}

const DeviceInfo& Driver::device(std::uint32_t index) const {
  if (index >= devices_.size()) {
    plugin::invalid_argument("there is no device " + std::to_string(index) + " among " +
                             std::to_string(devices_.size()));
  }
  return devices_[index];
}

std::unique_ptr<plugin::Device> Driver::open_device(std::uint32_t index) {
  return std::make_unique<Device>(*vendor_, device(index), index, nullptr);
}

std::unique_ptr<plugin::Device> Driver::open_device_in(std::uint32_t index,
                                                       std::uint64_t native_context) {
  if (!vendor_->api().has_contexts) return plugin::Driver::open_device_in(index, native_context);
  const auto context = reinterpret_cast<NativeContext>(static_cast<std::uintptr_t>(native_context));
  return std::make_unique<Device>(*vendor_, device(index), index, context);
}

void Driver::stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept {
  static_cast<Driver&>(plugin::detail::object(driver)).vendor_->gate().close(deadline_ns);
}

const void* Driver::extension(std::string_view name, std::uint32_t version) {
  static constexpr patchbay_exit_table kExit = {sizeof(patchbay_exit_table), stop};
  return name == PATCHBAY_EXTENSION_EXIT && version == 1 ? &kExit : nullptr;
}

const RangeCalls& Driver::range_calls() {
  std::call_once(range_calls_found_, [this] { range_calls_ = vendor_->find_range_calls(host()); });
  return range_calls_;
}

void Driver::begin_range(std::string_view name) {
  if (range_calls().push != nullptr) range_calls().push(std::string(name).c_str());
}

void Driver::end_range() {
  if (range_calls().pop != nullptr) range_calls().pop();
}

}  // namespace patchbay::card

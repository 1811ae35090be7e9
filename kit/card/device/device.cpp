// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/device/device.hpp"

#include <string>

#include "kit/card/context/event.hpp"
#include "kit/card/context/graph.hpp"
#include "kit/card/context/stream.hpp"
#include "kit/dialect_module.hpp"
#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::card {
namespace {

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

Stream& stream_of(void* object) {
  return static_cast<Stream&>(*static_cast<plugin::Stream*>(object));
}
/// Whether the driver can't load a compiler's output, although it may load another compiler's.
bool refuses_image(Result code) {
  return code == kErrorInvalidImage || code == kErrorNoBinary || code == kErrorInvalidPtx ||
         code == kErrorUnsupportedPtxVersion || code == kErrorObjectInit;
}

Event& event_of(void* object) { return static_cast<Event&>(*static_cast<plugin::Event*>(object)); }

}  // namespace

Device::Device(Vendor& vendor, const DeviceInfo& info, std::uint32_t index, NativeContext adopted)
    : PeerDevice(vendor.api(), vendor.gate(), info.number, index, adopted),
      vendor_(vendor),
      info_(info),
      allocator_(context_, info.memory_bytes),
      products_(vendor.make_products(context_, info)),
      dnn_(vendor.make_dnn(context_)),
      layers_(vendor.make_layers(context_, info)),
      portable_(
          make_backend(info, context_, [this](std::string_view text) { return build(text); })) {}

KernelParts Device::parts() {
  return {host(), info_, *products_, dnn_.get(), layers_.get(), portable_};
}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t flags) {
  return std::make_unique<Stream>(context_, flags);
}

std::unique_ptr<plugin::Stream> Device::wrap_stream(std::uint64_t native_handle) {
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

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t flags) {
  return std::make_unique<Event>(context_, (flags & PATCHBAY_EVENT_TIMES) != 0);
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  context_.check_alive();
  if (auto kernel = prepare_gemm(parts(), spec)) return kernel;
  if (auto kernel = prepare_convolution(parts(), spec)) return kernel;
  if (auto kernel = prepare_linear(parts(), spec)) return kernel;
  if (auto kernel = prepare_attention(parts(), spec)) return kernel;
  if (auto kernel = portable::prepare(portable_, spec)) return kernel;
  plugin::unsupported("the plugin " + std::string(vendor_.plugin_name()) + " has no operator " +
                      std::string(plugin::from_abi(spec.op)));
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view) {
  if (expression::is_expression(format)) return portable::load_fused(portable_, code);
  check_dialect(format);
  return make_module(build(code));
}

Program Device::build(std::string_view text) {
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

std::unique_ptr<plugin::Graph> Device::create_graph() {
  if (!vendor_.api().has_graphs) plugin::unsupported("this driver replays no graphs");
  return std::make_unique<Graph>(context_);
}

bool Device::can_access_peer(plugin::Device& other) {
  return &other != this && context_.can_access(static_cast<Device&>(other).context());
}

std::uint64_t Device::native_handle(std::uint32_t native_kind, void* object) {
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

}  // namespace patchbay::card

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries that all vendors' drivers have for code: modules, functions, launches.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "image.h"
#include "kit/dtypes.hpp"
#include "kit/executor/record.h"
#include "machine.h"
#include "vendor.h"

namespace patchbay::sim {

PATCHBAY_CARD_ENTRIES(PATCHBAY_SIM_SIGNATURE)
PATCHBAY_CARD_GRAPH_ENTRIES(PATCHBAY_SIM_SIGNATURE)
PATCHBAY_SIM_DRIVER_SYMBOLS(PATCHBAY_SIM_DECLARE)
PATCHBAY_SIM_GRAPH_SYMBOLS(PATCHBAY_SIM_DECLARE)

namespace {

/// Bytes of a value that is described so.
std::size_t value_bytes(int code) {
  const int dtype = code & 0xff;
  if (dtype == PATCHBAY_HAS_NO_DTYPE) return static_cast<std::size_t>(code) >> PATCHBAY_SIZE_SHIFT;
  return element_bytes(static_cast<std::uint8_t>(dtype));
}

/// Of all parameters of a kernel, without padding.
std::size_t parameter_bytes(const FunctionObject& function) {
  std::size_t bytes = 0;
  for (const int code : function.arguments) {
    bytes += (code & PATCHBAY_IS_BUFFER) != 0 ? sizeof(Address) : value_bytes(code);
  }
  return bytes;
}

/// The most that they may have: CUDA's limit is larger since 12.1, for sm_70 and later.
std::size_t most_parameter_bytes() {
  const Config& config = machine().config;
  const bool is_large = kHasContexts && config.driver_version >= 12010 &&
                        std::atoi(config.architecture.c_str()) >= 70;
  return is_large ? 32764 : 4096;
}

/// A launch on its way to the stream's thread.
struct Launch {
  executor::Kernel kernel;
  std::array<std::uint32_t, 3> groups, group_size;
  std::vector<std::vector<std::byte>> values;
  std::vector<const void*> places;
  Subnormals subnormals;
  Result fault = kSuccess;  // with which it breaks its context
};

/// Replaces a card's addresses by the host's. What is not an address of a block faults when a
/// kernel uses it.
void translate(const ContextObject& context, std::vector<std::byte>& addresses) {
  for (std::size_t at = 0; at < addresses.size(); at += sizeof(Address)) {
    Address address = 0;
    std::memcpy(&address, addresses.data() + at, sizeof address);
    const std::byte* const bytes = machine().resolve(context, address, 1);
    std::memcpy(addresses.data() + at, &bytes, sizeof bytes);
  }
}

/// Reads the arguments, as the driver does before a launch returns.
int read_arguments(const FunctionObject& function, void** arguments, Launch& launch) {
  const std::lock_guard lock(machine().mutex);
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const int code = function.arguments[i];
    if ((code & PATCHBAY_IS_BUFFER) != 0) {
      Address address = 0;
      std::memcpy(&address, arguments[i], sizeof address);
      std::byte* const bytes = machine().resolve(function.context, address, 1);
      if (bytes == nullptr && address != 0) return kErrorInvalidValue;
      const std::size_t element = value_bytes(code & 0xff);
      if (element > 1 && address % element != 0) launch.fault = kErrorMisalignedAddress;
      launch.places.push_back(bytes);
      continue;
    }
    const auto* const value = static_cast<const std::byte*>(arguments[i]);
    launch.values.emplace_back(value, value + value_bytes(code));
    if ((code & PATCHBAY_IS_ADDRESSES) != 0) translate(function.context, launch.values.back());
    launch.places.push_back(launch.values.back().data());
  }
  return kSuccess;
}

/// The kernel whose compiled function has that name; empty if none has.
std::string kernel_of(std::string_view function) {
  constexpr std::string_view kBefore = "patchbay_kernel_";
  return std::string(function.starts_with(kBefore) ? function.substr(kBefore.size()) : "");
}

bool is_to_fail() {
  const std::lock_guard lock(machine().mutex);
  return ++machine().num_launches == machine().config.fail_launch;
}

/// As the driver's translator does, into the buffer that the caller gave.
void write_log(const char* line, unsigned num_options, const int* options, void** values) {
  char* log = nullptr;
  std::size_t size = 0;
  for (unsigned i = 0; i < num_options; ++i) {
    if (options[i] == kJitErrorLog) log = static_cast<char*>(values[i]);
    if (options[i] == kJitErrorLogBytes) size = reinterpret_cast<std::uintptr_t>(values[i]);
  }
  if (log != nullptr && size > 0) std::snprintf(log, size, "%s", line);
}

/// The code with which the image is refused; kSuccess if it is taken.
int refusal_of(const Image& image) {
  const std::lock_guard lock(machine().mutex);
  const Config& config = machine().config;
  if (++machine().num_loads <= config.refuse_loads) return config.refusal;
  return image_refusal(image.is_code, image.architecture, config.architecture);
}

}  // namespace

int module_load(NativeModule* module, const void* bytes, unsigned num_options, int* options,
                void** values) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return code;
  const auto image = Image::from_bytes(static_cast<const char*>(bytes));
  // Machine code of a real compiler, which nothing here can run.
  if (!image && std::memcmp(bytes,
                            "\x7f"
                            "ELF",
                            4) == 0)
    return kErrorNotSupported;
  if (!image) return kErrorInvalidImage;
  if (code = refusal_of(*image); code != kSuccess) {
    write_log("simulated: this image is not taken", num_options, options, values);
    return code;
  }
  auto made = std::make_unique<ModuleObject>(
      ModuleObject{*context, load(image->text), {}, Subnormals(image->flushes)});
  *module = made.get();
  const std::lock_guard lock(machine().mutex);
  machine().modules.emplace(*module, std::move(made));
  return kSuccess;
}

int module_unload(NativeModule module) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().modules.erase(module) == 0) end_for_unknown_handle(module);
  return kSuccess;
}

int module_function(NativeFunction* function, NativeModule module, const char* name) {
  int code = 0;
  const ContextObject* const context = current_context(code);
  if (context == nullptr) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().modules.count(module) == 0) end_for_unknown_handle(module);
  if (&module->context != context) return kErrorInvalidContext;
  try {
    const std::string kernel = kernel_of(name);
    const auto added = module->functions.try_emplace(
        name, FunctionObject{module->context, module->code->kernel(kernel),
                             module->code->describe(kernel), module->subnormals});
    *function = &added.first->second;
    return parameter_bytes(**function) <= most_parameter_bytes() ? kSuccess : kErrorInvalidImage;
  } catch (const plugin::StatusError&) {
    return kErrorNotFound;
  }
}

int function_attribute(int* value, int attribute, NativeFunction) {
  return on_context([&](ContextObject&) -> int {
    if (attribute != kFunctionMaxThreads) return kErrorInvalidValue;
    *value = machine().config.group_limit;
    return kSuccess;
  });
}

int launch(NativeFunction function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
           unsigned group_x, unsigned group_y, unsigned group_z, unsigned, NativeStream stream,
           void** arguments, void**) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return code;
  if (&function->context != context) return kErrorInvalidContext;
  auto queued = std::make_shared<Launch>(Launch{function->kernel,
                                                {groups_x, groups_y, groups_z},
                                                {group_x, group_y, group_z},
                                                {},
                                                {},
                                                function->subnormals});
  try {
    executor::check_grid({queued->groups, queued->group_size});
  } catch (const plugin::StatusError&) {
    return kErrorInvalidValue;
  }
  // The hardware's limits for the second and third axis, and the kernel's for a group.
  if (groups_y > 65535 || groups_z > 65535 || group_z > 64) return kErrorInvalidValue;
  const std::uint64_t items = std::uint64_t{group_x} * group_y * group_z;
  if (items > static_cast<std::uint64_t>(machine().config.group_limit)) return kErrorInvalidValue;
  if (code = read_arguments(*function, arguments, *queued); code != kSuccess) return code;
  if (is_to_fail()) queued->fault = kErrorLaunchFailed;
  if (queued->fault != kSuccess) context->is_awaited = false;
  return submit(stream, [=] {
    if (queued->fault != kSuccess) {
      context->is_awaited.wait(false);  // when it is seen does not depend on threads
      context->broken = queued->fault;
      return;
    }
    try {
      const Subnormals::Scope scope(queued->subnormals);
      const bool is_outside = touches_guards([&] {
        queued->kernel.run({queued->groups, queued->group_size}, queued->places,
                           executor::run_serially);
      });
      if (is_outside) context->broken = kErrorIllegalAddress;
    } catch (const std::exception&) {
      context->broken = kErrorLaunchFailed;
    }
  });
}

int capture_begin(NativeStream stream, int mode) {
  return on_context([&](ContextObject& context) -> int {
    if (is_default_stream(stream)) return kErrorCaptureUnsupported;
    if (machine().streams.count(stream) == 0) end_for_unknown_handle(stream);
    if (&stream->context != &context || mode != kCaptureRelaxed) return kErrorInvalidValue;
    if (stream->capture != StreamObject::Capture::kNone) return kErrorInvalidValue;
    if (!machine().config.capture) return kErrorNotSupported;
    stream->capture = StreamObject::Capture::kActive;
    stream->captured.clear();
    return kSuccess;
  });
}

int capture_end(NativeStream stream, NativeGraph* graph) {
  constexpr int kCaptureInvalidated = 901;
  return on_context([&](ContextObject& context) -> int {
    if (machine().streams.count(stream) == 0) end_for_unknown_handle(stream);
    const bool is_sound = stream->capture == StreamObject::Capture::kActive;
    stream->capture = StreamObject::Capture::kNone;
    if (!is_sound) return kCaptureInvalidated;
    auto made = std::make_unique<GraphObject>(GraphObject{context, std::move(stream->captured)});
    *graph = made.get();
    machine().graphs.emplace(*graph, std::move(made));
    return kSuccess;
  });
}

int graph_destroy(NativeGraph graph) {
  return on_context([&](ContextObject&) -> int {
    if (machine().graphs.erase(graph) == 0) end_for_unknown_handle(graph);
    return kSuccess;
  });
}

int create_replay(NativeReplay* replay, NativeGraph graph) {
  return on_context([&](ContextObject& context) -> int {
    if (machine().graphs.count(graph) == 0) end_for_unknown_handle(graph);
    auto made = std::make_unique<ReplayObject>(ReplayObject{context, graph->work});
    *replay = made.get();
    machine().replays.emplace(*replay, std::move(made));
    ++machine().num_graphs_made;
    return kSuccess;
  });
}

int update_replay(NativeReplay replay, NativeGraph graph) {
  constexpr int kUpdateFailed = 910;
  return on_context([&](ContextObject&) -> int {
    if (machine().replays.count(replay) == 0) end_for_unknown_handle(replay);
    if (machine().graphs.count(graph) == 0) end_for_unknown_handle(graph);
    if (replay->work.size() != graph->work.size()) return kUpdateFailed;
    replay->work = graph->work;
    ++machine().num_graph_updates;
    return kSuccess;
  });
}

/// An update affects later replays only.
int replay_launch(NativeReplay replay, NativeStream stream) {
  std::vector<std::function<void()>> parts;
  const int code = on_context([&](ContextObject&) -> int {
    if (machine().replays.count(replay) == 0) end_for_unknown_handle(replay);
    parts = replay->work;
    ++machine().num_graph_runs;
    return kSuccess;
  });
  if (code != kSuccess) return code;
  return submit(stream, [parts = std::move(parts)] {
    for (const auto& part : parts) part();
  });
}

int replay_destroy(NativeReplay replay) {
  return on_context([&](ContextObject&) -> int {
    if (machine().replays.erase(replay) == 0) end_for_unknown_handle(replay);
    return kSuccess;
  });
}

}  // namespace patchbay::sim

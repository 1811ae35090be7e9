// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter loading: the properties of the plugin and its devices, opening and closing.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "conformance/chapters.h"
#include "conformance/support/expect.h"

namespace patchbay::conformance {
namespace {

PluginInfo info_of(const Runtime& runtime, const std::string& plugin) {
  (void)runtime.devices();  // opens every plugin
  for (const PluginInfo& info : runtime.plugins()) {
    if (info.name == plugin && info.status != PluginStatus::kShadowed) return info;
  }
  throw Failure(fmt::format("the runtime does not list the plugin '{}'", plugin));
}

void status_is_loaded(Context& context) {
  const PluginInfo info = info_of(context.runtime(), context.subject().plugin);
  expect(info.status == PluginStatus::kLoaded, "the plugin is not loaded but {}: {}",
         to_string(info.status), info.reason);
  expect(!info.reason.empty(), "a loaded plugin says what it found; the reason is empty");
  expect(info.reason.find('\n') == std::string::npos, "the reason has several lines: {}",
         info.reason);
}

bool is_name(const std::string& text, std::string_view more) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  more.find(c) != std::string_view::npos;
         });
}

void names_are_well_formed(Context& context) {
  const PluginInfo info = info_of(context.runtime(), context.subject().plugin);
  expect(is_name(info.name, "-"), "'{}' is no plugin name: expected [a-z][a-z0-9-]*", info.name);
  expect(is_name(info.backend, "_"), "'{}' is no backend name: expected [a-z][a-z0-9_]*",
         info.backend);
  expect_equal(info.path.filename().string(), "patchbay-" + info.name + ".so", "the file's name");
  expect(!info.version.empty(), "the plugin says no version");
}

void devices_are_numbered_from_0(Context& context) {
  const std::vector<Device> devices = context.devices();
  const PluginInfo info = info_of(context.runtime(), context.subject().plugin);
  expect_equal(devices.size(), info.devices.size(), "devices in Runtime::devices and PluginInfo");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    expect_equal(devices[i].index(), static_cast<int>(i), "index of device");
    const std::string name = fmt::format("{}:{}", context.subject().backend, i);
    expect_equal(devices[i].name(), name, "name of device");
    expect_equal(info.devices[i], name, "name in PluginInfo");
  }
}

void names_lead_back_to_their_device(Context& context) {
  for (const Device& device : context.devices()) {
    const DeviceName name = DeviceName::parse(device.name());
    expect_equal(name.to_string(), device.name(), "a printed name, parsed and printed");
    expect(context.runtime().device(device.name()) == device, "'{}' does not lead to that device",
           device.name());
  }
  expect(context.runtime().device(context.subject().backend) == context.device(),
         "'{}' is not device 0", context.subject().backend);
}

void index_beyond_the_last_is_refused(Context& context) {
  const std::string backend = context.subject().backend;
  const std::size_t count = context.devices().size();
  if (count > 255) throw Waiver("the backend has every index there can be");
  const std::string name = fmt::format("{}:{}", backend, count);
  expect_error(ErrorCode::kUnknownDevice, "an index too large",
               [&] { (void)context.runtime().device(name); }, {name, std::to_string(count)});
}

void properties_make_sense(Context& context) {
  for (const Device& device : context.devices()) {
    const DeviceProperties& properties = device.properties();
    expect(!properties.name.empty(), "{} has no descriptive name", device.name());
    expect(properties.memory_total_bytes > 0, "{} has no memory", device.name());
    expect(properties.compute_units > 0, "{} has no compute units", device.name());
    const std::uint32_t width = properties.preferred_vector_bytes;
    expect((width & (width - 1)) == 0, "{}: preferred_vector_bytes {} is no power of 2",
           device.name(), width);
    expect(properties.kind == DeviceKind::kCpu || properties.kind == DeviceKind::kAccelerator,
           "{} has an unknown kind {}", device.name(), static_cast<int>(properties.kind));
    expect(device.kind() == properties.kind, "{}: kind() and properties() differ", device.name());
  }
}

void accelerators_count_as_gpus(Context& context) {
  const std::vector<Device> gpus = context.runtime().gpus();
  for (const Device& device : context.devices()) {
    const bool is_gpu = std::find(gpus.begin(), gpus.end(), device) != gpus.end();
    if (device.kind() == DeviceKind::kCpu) {
      expect(!is_gpu, "{} is of kind cpu but counts as a gpu", device.name());
    }
  }
  // A card that two plugins see counts once, so the subject's device may not be listed.
  if (context.device().kind() == DeviceKind::kAccelerator) {
    expect(!gpus.empty(), "{} is an accelerator, but the runtime counts none",
           context.device().name());
  }
}

void enumeration_allocates_nothing(Context& context) {
  const Runtime runtime(context.subject().options);
  for (const Device& device : devices_of(runtime, context.subject().backend)) {
    (void)device.properties();
    const DeviceMemory memory = device.memory();
    expect_equal(memory.live_bytes, 0u, device.name() + ": live bytes before any use");
    expect_equal(memory.live_blocks, 0u, device.name() + ": live blocks before any use");
  }
}

void enumeration_repeats(Context& context) {
  const Runtime again(context.subject().options);
  const std::vector<Device> devices = devices_of(again, context.subject().backend);
  expect_equal(devices.size(), context.devices().size(), "devices of a second runtime");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceProperties& first = context.devices()[i].properties();
    const DeviceProperties& second = devices[i].properties();
    expect_equal(second.name, first.name, "descriptive name of " + devices[i].name());
    expect(second.uuid == first.uuid, "the UUID of {} changed", devices[i].name());
    expect_equal(second.pci_address, first.pci_address, "PCI address of " + devices[i].name());
  }
}

void two_runtimes_live_side_by_side(Context& context) {
  const Runtime one(context.subject().options), two(context.subject().options);
  const std::string name = context.device().name();
  const Buffer a = Buffer::allocate(one.device(name), 4096);
  {
    const Buffer b = Buffer::allocate(two.device(name), 4096);
    expect(!(one.device(name) == two.device(name)), "devices of two runtimes are equal");
    expect_error(ErrorCode::kInvalidArgument, "a copy between two runtimes", [&] {
      copy({b, 0, 4096}, {a, 0, 4096});
    });
    expect_equal(two.device(name).memory().live_blocks, 1u, "live blocks of the second runtime");
  }
  expect_equal(one.device(name).memory().live_blocks, 1u, "live blocks of the first runtime");
}

void devices_keep_their_runtime(Context& context) {
  std::optional<Buffer> buffer;
  {
    const Runtime brief(context.subject().options);
    buffer = Buffer::allocate(brief.device(context.device().name()), 64);
  }
  const std::vector<std::byte> sent(64, std::byte{7});
  std::vector<std::byte> got(64);
  copy_from_host({*buffer, 0, 64}, sent.data());
  copy_to_host(got.data(), {*buffer, 0, 64});
  expect(sent == got, "a buffer lost its bytes with the last handle of its runtime");
}

void unload_when_nothing_lives(Context& context) {
  Runtime runtime(context.subject().options);
  const std::string& plugin = context.subject().plugin;
  { const Buffer used = Buffer::allocate(runtime.device(context.subject().backend), 1024); }
  runtime.unload(plugin);
  expect(info_of(runtime, plugin).status == PluginStatus::kUnloaded, "the status is not unloaded");
  expect(devices_of(runtime, context.subject().backend).empty(), "its devices are still shown");
  expect_error(ErrorCode::kUnknownDevice, "a device of an unloaded plugin",
               [&] { (void)runtime.device(context.subject().backend); });
}

void unload_is_refused_while_a_buffer_lives(Context& context) {
  Runtime runtime(context.subject().options);
  const Buffer holder = Buffer::allocate(runtime.device(context.subject().backend), 1024);
  expect_error(ErrorCode::kInUse, "unloading under a buffer",
               [&] { runtime.unload(context.subject().plugin); }, {context.subject().plugin});
  std::vector<std::byte> bytes(1024);
  copy_from_host({holder, 0, 1024}, bytes.data());
  copy_to_host(bytes.data(), {holder, 0, 1024});
}

/// UUIDs and PCI addresses identify cards.
void devices_are_told_apart(Context& context) {
  const std::vector<Device> devices = context.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const DeviceProperties &one = devices[j].properties(), &other = devices[i].properties();
      expect(one.uuid == decltype(one.uuid){} || one.uuid != other.uuid,
             "{} and {} have the same UUID", devices[j].name(), devices[i].name());
    }
  }
}

void the_runtime_closes(Context& context) {
  const Runtime runtime = context.new_runtime();
  const KernelSpec fill = {
      "fill.1",
      {ArgumentSpec::tensor(DType::f32, Access::kWrite), ArgumentSpec::scalar(DType::f32)},
      {}};
  for (const Device& device : devices_of(runtime, context.subject().backend)) {
    const Buffer used = Buffer::allocate(device, 64);
    static_cast<void>(why_unsupported(device, fill));  // prepares it if possible
    const Stream stream(device);
    stream.record().wait();
  }
}

/// A runtime that watches a plugin asks for each extension of the interface when it loads it.
void extensions_are_whole(Context& context) {
  RuntimeOptions options = context.subject().options;
  const auto faults = std::make_shared<std::string>();
  const std::string begin = fmt::format("[{}] gives a table ", context.subject().plugin);
  options.log = [=](LogLevel, std::string_view line) {
    if (const std::size_t at = line.find(begin); at != std::string_view::npos) {
      *faults += faults->empty() ? "" : "; ";
      *faults += line.substr(at);
    }
  };
  (void)info_of(Runtime(options), context.subject().plugin);
  expect(faults->empty(), "{}", *faults);
}

void explain_names_the_plugin(Context& context) {
  const std::string text = context.runtime().explain();
  expect(text.find(context.subject().plugin) != std::string::npos, "explain() lacks '{}'",
         context.subject().plugin);
}

}  // namespace

std::vector<Check> loading_checks() {
  return {
      {"loading", "status_is_loaded", status_is_loaded},
      {"loading", "names_are_well_formed", names_are_well_formed},
      {"loading", "devices_are_numbered_from_0", devices_are_numbered_from_0},
      {"loading", "names_lead_back_to_their_device", names_lead_back_to_their_device},
      {"loading", "index_beyond_the_last_is_refused", index_beyond_the_last_is_refused},
      {"loading", "properties_make_sense", properties_make_sense},
      {"loading", "accelerators_count_as_gpus", accelerators_count_as_gpus},
      {"loading", "enumeration_allocates_nothing", enumeration_allocates_nothing},
      {"loading", "enumeration_repeats", enumeration_repeats},
      {"loading", "two_runtimes_live_side_by_side", two_runtimes_live_side_by_side},
      {"loading", "devices_keep_their_runtime", devices_keep_their_runtime},
      {"loading", "unload_when_nothing_lives", unload_when_nothing_lives},
      {"loading", "unload_is_refused_while_a_buffer_lives", unload_is_refused_while_a_buffer_lives},
      {"loading", "extensions_are_whole", extensions_are_whole},
      {"loading", "explain_names_the_plugin", explain_names_the_plugin},
      {"loading", "devices_are_told_apart", devices_are_told_apart},
      {"loading", "the_runtime_closes", the_runtime_closes},
  };
}

}  // namespace patchbay::conformance

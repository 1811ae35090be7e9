// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Values of a plugin's that no plugin may give, one at a time. Each becomes the status of that
// plugin or the error of the call, and the other plugins work on.
#include <stdlib.h>

#include <cfenv>

#include "support/kernels.h"
#include "support/log_lines.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

/// The hostile plugin with that value spoilt, beside the good one.
class Hostile {
 public:
  explicit Hostile(const std::string& value, std::map<std::string, std::string> settings = {})
      : runtime_([&] {
          ::setenv("HOSTILE_VALUE", value.c_str(), 1);
          directory_.add("plain-c");
          directory_.add("hostile");
          RuntimeOptions options = only({directory_.path()});
          options.settings = std::move(settings);
          options.log = [this](LogLevel, std::string_view line) {
            log_ += std::string(line) + "\n";
          };
          return Runtime(options);
        }()) {}
  ~Hostile() { expect_plain_c_works(runtime_); }

  const Runtime& runtime() const { return runtime_; }
  Device device() const { return runtime_.device("hostile:0"); }
  PluginInfo info() const { return plugin_info(runtime_, "hostile"); }
  const std::string& log() const { return log_; }

 private:
  std::string log_;
  const TemporaryDirectory directory_;
  const Runtime runtime_;
};

/// The values, and what the reason says after its begin.
using Refusals = std::vector<std::pair<std::string, std::string>>;

void expect_refused(const std::string& begin, const Refusals& refusals) {
  for (const auto& [value, end] : refusals) {
    SCOPED_TRACE(value);
    const Hostile hostile(value);
    EXPECT_EQ(to_string(hostile.info().status), to_string(PluginStatus::kFailed));
    EXPECT_EQ(hostile.info().reason, begin + end);
    EXPECT_HAS(hostile.runtime().explain(), begin + end);
    EXPECT_HAS(hostile.log(), "hostile.so failed: " + begin + end + "\n");
  }
}

constexpr const char* kDevice = "it enumerates hostile:0: its ";

TEST(HostilePlugin, DoesNotLoadWithSpoiltTexts) {
  const std::string huge = "4611686018427387904 bytes";  // 2^62
  for (const auto& [value, what] : {std::pair<std::string, std::string>{"table-name", "name"},
                                    {"table-backend", "backend"},
                                    {"table-version", "version"},
                                    {"device-name", "name"},
                                    {"vendor", "vendor"},
                                    {"driver-version", "driver_version"},
                                    {"architecture", "architecture"}}) {
    const std::string begin = value.starts_with("table-") ? "its table's " : kDevice;
    expect_refused(begin + what + " is ",
                   {{value + "-null", "null with a length of 5 bytes"},
                    {value + "-huge", huge + " long, expected at most 4096"}});
  }
  // An empty text has no bytes either.
  expect_refused(kDevice, {{"pci-address-null", "pci_address is null with a length of 5 bytes"},
                           {"pci-address-huge", "pci_address is null with a length of " + huge}});
  const std::string nameless =
      "a feature without a name (bit 40), which this library does not have";
  expect_refused("it requires ",
                 {{"feature-null", nameless},
                  {"feature-huge", nameless},
                  {"feature-bytes",
                   "the feature 'red\\x1b[31m \\xff\u00e9\\xc2\\x9b\\x0aend' (bit 40), which this "
                   "library does not have"}});
  expect_refused("open failed: (a text of the plugin's that can't be read: ",
                 {{"message-null", "null with a length of 5 bytes)"},
                  {"message-huge", huge + " long, expected at most 16777216)"}});
}

TEST(HostilePlugin, DoesNotLoadWithSpoiltStatuses) {
  const std::string unknown = ", which the plugin interface does not have)";
  expect_refused("open failed: ",
                 {{"message-long", std::string(4096, 'x') + "... (5904 bytes more)"},
                  {"message-bytes", "red\\x1b[31m \\xff\u00e9\\xc2\\x9b end"},
                  {"status-code", "it failed (status code 4242" + unknown},
                  {"status-core-code", "it failed (status code -1" + unknown},
                  {"status-null", "it gave no message (status code 0" + unknown},
                  {"status-short", "it gave no message (status code 0" + unknown},
                  {"status-flags", "it failed"},
                  {"origin-huge", "it failed"}});
}

TEST(HostilePlugin, DoesNotLoadWithSpoiltProperties) {
  const std::string most_bytes = " is 4611686018427387904, expected at most 72057594037927936";
  const std::string most_units = " is 4294967295, expected at most 16777216";
  const std::string most_khz = " is 4294967295, expected at most 100000000";
  expect_refused(
      kDevice,
      {{"kind", "kind is 99, expected 1 or 2"},
       {"no-kind", "kind is 0, expected 1 or 2"},
       {"alignment", "memory_alignment_bytes is 48, expected a power of two"},
       {"huge-alignment",
        "memory_alignment_bytes is 4611686018427387904, expected at most 2097152"},
       {"total", "memory_total_bytes" + most_bytes},
       {"free", "memory_free_bytes" + most_bytes},
       {"units", "compute_units" + most_units},
       {"group", "max_group_size" + most_units},
       {"dlpack", "DLPack device is (-7, 0), expected no negative number"},
       {"dlpack-id", "DLPack device is (0, -1), expected no negative number"},
       {"vector", "preferred_vector_bytes" + most_units},
       {"sub-group", "sub_group_width" + most_units},
       {"cache", "l2_cache_bytes" + most_bytes},
       {"shared", "shared_memory_bytes" + most_bytes},
       {"clock", "clock_khz" + most_khz},
       {"memory-clock", "memory_clock_khz" + most_khz},
       {"capability", "capabilities have unknown bits, 0x8000000000000000"},
       {"memory-kind", "host_addressable_kinds have unknown bits, 0x201"},
       {"pageable",
        "copies of pageable memory block, and its host_addressable_kinds lack pinned memory"},
       {"address", "pci_address is '0000:65:00:0', expected one as '0000:65:00.0'"},
       {"free-above-total", "memory_free_bytes is 1048577, expected at most 1048576"}});
  expect_refused("it enumerates a device ",
                 {{"index", "of index 2147483648: expected 0 to 255"},
                  {"properties-split", "with 36 bytes of properties: expected a multiple of 8"},
                  {"properties-null", "without properties"},
                  {"properties-short", "with 12 bytes of properties: expected at least 16"}});
}

TEST(HostilePlugin, NamesAreEscaped) {
  const Hostile hostile("device-name-bytes");
  EXPECT_EQ(hostile.device().properties().name, "red\\x1b[31m \\xff\u00e9\\xc2\\x9b\\x0aend");
  EXPECT_HAS(hostile.runtime().explain(), "red\\x1b[31m \\xff\u00e9\\xc2\\x9b\\x0aend");
}

constexpr const char* kText =
    "PATCHBAY_KERNEL(scale)(PATCHBAY_OUTPUT(f32, y), PATCHBAY_VALUE(f32, a)) {\n"
    "  PATCHBAY_BIND(f32, y);\n  y[0] = a;\n}\n";

using test::fill_spec;

struct Call {
  const char* value;
  const char* operation;
  const char* answer;
  std::function<void(const Device&)> make;
};

/// Whatever a failed call leaves where the object would be: nothing uses or destroys it.
/// Drivers spell one address in several ways, and cards are compared by it.
TEST(HostilePlugin, AddressesOfCardsHaveOneSpelling) {
  const Hostile hostile("long-address");
  EXPECT_EQ(hostile.device().properties().pci_address, "af00:65:0a.0");
}

TEST(HostilePlugin, FailedCallsGiveNothing) {
  const auto prepare = [](const Device& device) { return Kernel::prepare(device, fill_spec()); };
  const auto fuse_and_run = [](const Device& device) {
    return fuse([](Expression a) { return a + a; })(ones({4}, device));
  };
  const std::vector<Call> calls = {
      {"failed-kernel", "", "it failed", prepare},
      {"second-kernel", "", "prepare reported success and gave nothing", prepare},
      {"failed-module", "", "it failed",
       [](const Device& device) { return KernelModule::from_source(device, kText); }},
      {"failed-module", "", "it failed", fuse_and_run},
      {"failed-module-kernel", "", "it failed",
       [](const Device& device) {
         const KernelModule module = KernelModule::from_source(device, kText);
         EXPECT_THROW((void)module.kernel("scale"), Error);
         (void)module.kernel("scale");
       }},
      {"failed-module-kernel", "", "it failed", fuse_and_run},
  };
  for (const char* validate : {"0", "1"}) {
    for (const Call& call : calls) {
      SCOPED_TRACE(std::string(call.value) + ", validate " + validate);
      const Hostile hostile(call.value, {{"validate", validate}});
      EXPECT_HAS(test::error_of([&] { call.make(hostile.device()); }).what(), call.answer);
    }
  }
}

TEST(HostilePlugin, CallsNameTheEntryThatGaveNothing) {
  const auto open = [](const Device& device) { return device.memory(); };
  const auto allocate = [](const Device& device) { return Buffer::allocate(device, 64); };
  const auto prepare = [](const Device& device) { return Kernel::prepare(device, fill_spec()); };
  const std::vector<Call> calls = {
      {"no-device", "Device", "open_device reported success and gave nothing", open},
      {"no-default-stream", "Device",
       "create of the stream table reported success and gave nothing", open},
      {"no-stream", "Stream", "create of the stream table reported success and gave nothing",
       [](const Device& device) { return Stream(device); }},
      {"no-event", "Event", "create of the event table reported success and gave nothing",
       [](const Device& device) { return device.default_stream().record(); }},
      {"no-memory", "allocate", "allocate of the memory table reported success and gave nothing",
       allocate},
      {"memory-address", "allocate",
       "allocate of the memory table gave the address 0x1001, expected a multiple of 64", allocate},
      {"memory-offset", "allocate",
       "allocate of the memory table gave an offset of 4611686018427387904 bytes, expected at most "
       "72057594037927936",
       allocate},
      {"wrap-offset", "wrap_buffer",
       "wrap of the memory table gave an offset of 4611686018427387904 bytes, expected at most "
       "72057594037927936",
       [](const Device& device) { return wrap_buffer(device, 64, 4); }},
      {"", "wrap_buffer", "wrap of the memory table reported success and gave nothing",
       [](const Device& device) { return wrap_buffer(device, 64, 4); }},
      {"", "wrap_stream", "wrap of the stream table reported success and gave nothing",
       [](const Device& device) { return wrap_stream(device, 64); }},
      {"no-adopted-device", "adopt_context",
       "open_device of 'adopt-context' reported success and gave nothing",
       [](const Device& device) { adopt_context(device, 64); }},
      {"no-kernel", "fill.1(f32, f32 scalar)", "prepare reported success and gave nothing",
       prepare},
      {"no-module", "KernelModule", "load_module reported success and gave nothing",
       [](const Device& device) { return KernelModule::from_source(device, kText); }},
      {"", "KernelModule", "module_kernel reported success and gave nothing",
       [](const Device& device) {
         return KernelModule::from_source(device, kText).kernel("scale");
       }},
      {"workspace", "fill.1(f32, f32 scalar)",
       "workspace_bytes gave 4611686018427387904, expected at most 72057594037927936", prepare},
      {"workspace-limit", "fill.1(f32, f32 scalar)",
       "workspace_bytes gave 4096, expected at most 100",
       [](const Device& device) {
         KernelSpec spec = fill_spec();
         spec.workspace_limit_bytes = 100;
         (void)Kernel::prepare(device, spec);
       }},
      {"info-free", "memory", "info gave 1048577 free of 1048576 bytes", open},
      {"info-total", "memory", "info gave 1048576 free of 4611686018427387904 bytes", open},
      {"elapsed", "take_times", "elapsed gave 18446744073709551615 ns",
       [](const Device& device) {
         const Stream stream(device, {.times = true});
         const StreamScope scope(stream);
         (void)ones({4}, device);
         (void)stream.take_times();
       }},
  };
  for (const char* validate : {"0", "1"}) {
    for (const Call& call : calls) {
      SCOPED_TRACE(std::string(call.value) + " for " + call.operation + ", validate " + validate);
      const Hostile hostile(call.value, {{"validate", validate}});
      const Device device = hostile.device();
      const Error error = test::error_of([&] { call.make(device); });
      EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kPluginFailed));
      EXPECT_EQ(error.what(), "[" + std::string(call.operation) +
                                  "] the plugin 'hostile' broke the plugin interface: " +
                                  call.answer + " (hostile:0). Tell the author of the plugin.");
    }
  }
}

TEST(HostilePlugin, WhateverReportsTheLossOfTheDeviceLosesIt) {
  const std::vector<Call> calls = {
      {"lost-record", "record", "",
       [](const Device& device) { return device.default_stream().record(); }},
      {"lost-callback", "add_callback", "",
       [](const Device& device) { device.default_stream().add_callback([](const Error*) {}); }},
      {"lost-memory", "wrap_buffer", "",
       [](const Device& device) { return wrap_buffer(device, 64, 4); }},
      {"lost-stream", "wrap_stream", "",
       [](const Device& device) { return wrap_stream(device, 64); }},
      {"lost-handle", "native_handle", "",
       [](const Device& device) { return native_handle(device); }}};
  const auto lost = [](const std::function<void()>& call) -> std::string {
    const Error error = test::error_of(call);
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kDeviceLost));
    return error.what();
  };
  for (const Call& call : calls) {
    SCOPED_TRACE(call.value);
    const Hostile hostile(call.value);
    const Device device = hostile.device();
    // In one line, though the plugin wrote two.
    const std::string text =
        "] it fell off the bus (hostile:0). All that is on this device is lost: use another one.";
    EXPECT_EQ(lost([&] { call.make(device); }), "[" + std::string(call.operation) + text);
    EXPECT_EQ(lost([&] { device.synchronize(); }), "[synchronize" + text);
    EXPECT_EQ(lost([&] { return Buffer::allocate(device, 64); }), "[allocate" + text);
  }
}

TEST(HostilePlugin, DoesNotChangeHowThisThreadRounds) {
  for (const char* value :
       {"rounding-of-load", "rounding-of-open", "rounding-of-enumerate", "rounding-of-device"}) {
    SCOPED_TRACE(value);
    const Hostile hostile(value);
    (void)hostile.device().memory();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    std::fesetround(FE_TONEAREST);
  }
}

TEST(HostilePlugin, OneFromTheKitMayReturnNull) {
  const Device device = Runtime(only_fixture("null-device")).device("nulldevice:0");
  EXPECT_ERROR(device.memory(), kPluginFailed,
               "[Device] the plugin 'null-device' broke the plugin interface: open_device reported "
               "success and gave nothing (nulldevice:0). Tell the author of the plugin.");
}

TEST(HostilePlugin, SettingsThatItDoesNotDeclareAreNamed) {
  const test::LogLines lines;
  RuntimeOptions options = only_fixture("asking");
  options.log = lines.sink();
  { const Runtime runtime(options); }
  EXPECT_EQ(lines.count("[asking] asks for the setting 'asking_sise', which "
                        "PATCHBAY_PLUGIN_SETTINGS does not have"),
            1);
  EXPECT_EQ(lines.count("asks for the setting"), 1);
}

TEST(HostilePlugin, AnExtensionThatIsNotWholeIsNone) {
  for (const auto& [spoilt, fault] :
       {std::pair{"extension-short",
                  " of 8 bytes for the extension 'adopt-context', expected at least 16: ignored\n"},
        {"extension-gap",
         " for the extension 'adopt-context' whose entry 1 of 1 is null: ignored\n"}}) {
    const Hostile hostile(spoilt);
    EXPECT_ERROR(adopt_context(hostile.device(), 64), kUnsupported,
                 "[adopt_context] the plugin 'hostile' takes no context of the application's "
                 "(hostile:0). Leave it out, and the device opens in a context of its own.");
    EXPECT_HAS(hostile.log(), "[hostile] gives a table" + std::string(fault));
  }
}

TEST(HostilePlugin, AReservedExtensionIsIgnored) {
  const Hostile hostile("");
  (void)hostile.device();
  for (const char* name : {"event-export", "ipc", "collective"}) {
    EXPECT_HAS(hostile.log(), "[hostile] gives the extension '" + std::string(name) +
                                  "', a name that plugin interface 1.2 reserves: ignored\n");
  }
}

TEST(PluginExtension, IsOfOneDevice) {
  const Hostile hostile("");
  const PluginExtension found = plugin_extension(hostile.device(), "hostile.numbers", 3);
  EXPECT_EQ(static_cast<const std::uint64_t*>(found.table)[1], 42u);
  EXPECT_NE(found.device, nullptr);
}

TEST(PluginExtension, ThatIsNotThereIsAnError) {
  const Hostile hostile("");
  EXPECT_ERROR(plugin_extension(hostile.device(), "nothing.new", 1), kUnsupported,
               "[plugin_extension] the plugin 'hostile' has no extension 'nothing.new' of version "
               "1 (hostile:0). Its documentation says which it has.");
  EXPECT_INVALID(plugin_extension(hostile.device(), "graph", 1),
                 "[plugin_extension] 'graph': expected a name of the plugin's own, which has a '.' "
                 "in it, as 'mine.counters' (hostile:0).");
}

TEST(HostilePlugin, WhatTheHostCanIgnoreDoesNoHarm) {
  for (const char* value : {"abuse", "late-device", "done"}) {
    SCOPED_TRACE(value);
    const Hostile hostile(value);
    const Device device = hostile.device();
    EXPECT_EQ(ones({3}, device).to_vector<float>(), std::vector<float>(3, 1));
    const Event event = device.default_stream().record();
    EXPECT_TRUE(event.is_done());
    EXPECT_EQ(hostile.info().devices, std::vector<std::string>{"hostile:0"});
  }
}

}  // namespace
}  // namespace patchbay::faults

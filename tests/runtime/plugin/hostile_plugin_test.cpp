// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Values of a plugin's that no plugin may give, one at a time. Each becomes the status of that
// plugin or the error of the call, and the other plugins work on.
#include <stdlib.h>

#include <cfenv>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/interop.h>
#include <patchbay/patchbay.h>

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

struct Refusal {
  const char* value;
  std::string reason;
};

TEST(HostilePlugin, DoesNotLoadWithSpoiltTextsAndNumbers) {
  constexpr const char* kHuge = "4611686018427387904 bytes long, expected at most 4096";  // 2^62
  std::vector<std::pair<std::string, std::string>> refusals;
  for (const auto& [value, what] :
       {std::pair{"table-name", "its table's name is "},
        {"table-backend", "its table's backend is "},
        {"table-version", "its table's version is "},
        {"device-name", "it enumerates hostile:0: its name is "},
        {"vendor", "it enumerates hostile:0: its vendor is "},
        {"driver-version", "it enumerates hostile:0: its driver_version is "},
        {"architecture", "it enumerates hostile:0: its architecture is "},
        {"pci-address", "it enumerates hostile:0: its pci_address is "}}) {
    refusals.emplace_back(std::string(value) + "-null",
                          std::string(what) + "null with a length of 5 bytes");
    // An empty text has no bytes either.
    const bool has_bytes = std::string(value) != "pci-address";
    refusals.emplace_back(std::string(value) + "-huge", has_bytes
                                                            ? what + std::string(kHuge)
                                                            : std::string(what) +
                                                                  "null with a length of "
                                                                  "4611686018427387904 bytes");
  }
  for (
      const Refusal& refusal : std::vector<Refusal>{
          {"feature-null",
           "it requires a feature without a name (bit 40), which this library does not have"},
          {"feature-huge",
           "it requires a feature without a name (bit 40), which this library does not have"},
          {"feature-bytes",
           "it requires the feature 'red\\x1b[31m \\xff\u00e9\\xc2\\x9b\\x0aend' (bit 40), which "
           "this library does not have"},
          {"message-null",
           "(a text of the plugin's that can't be read: null with a length of 5 bytes)"},
          {"message-huge",
           "(a text of the plugin's that can't be read: 4611686018427387904 bytes long, expected "
           "at most 16777216)"},
          {"message-long", std::string(4096, 'x') + "... (5904 bytes more)"},
          {"message-bytes", "red\\x1b[31m \\xff\u00e9\\xc2\\x9b end"},
          {"status-code", "it failed (status code 4242, which the plugin interface does not have)"},
          {"status-core-code",
           "it failed (status code -1, which the plugin interface does not have)"},
          {"status-null",
           "it gave no message (status code 0, which the plugin interface does not have)"},
          {"status-short",
           "it gave no message (status code 0, which the plugin interface does not have)"},
          {"status-flags", "it failed"},
          {"origin-huge", "it failed"},
          {"index", "it enumerates a device of index 2147483648: expected 0 to 255"},
          {"kind", "it enumerates hostile:0: its kind is 99, expected 1 or 2"},
          {"no-kind", "it enumerates hostile:0: its kind is 0, expected 1 or 2"},
          {"alignment",
           "it enumerates hostile:0: its memory_alignment_bytes is 48, expected a power of two"},
          {"huge-alignment",
           "it enumerates hostile:0: its memory_alignment_bytes is 4611686018427387904, expected "
           "at most 2097152"},
          {"total",
           "it enumerates hostile:0: its memory_total_bytes is 4611686018427387904, expected at "
           "most 72057594037927936"},
          {"free",
           "it enumerates hostile:0: its memory_free_bytes is 4611686018427387904, expected at "
           "most 72057594037927936"},
          {"units",
           "it enumerates hostile:0: its compute_units is 4294967295, expected at most 16777216"},
          {"group",
           "it enumerates hostile:0: its max_group_size is 4294967295, expected at most 16777216"},
          {"dlpack",
           "it enumerates hostile:0: its DLPack device is (-7, 0), expected no negative number"},
          {"dlpack-id",
           "it enumerates hostile:0: its DLPack device is (0, -1), expected no negative number"},
          {"vector",
           "it enumerates hostile:0: its preferred_vector_bytes is 4294967295, expected at most "
           "16777216"},
          {"sub-group",
           "it enumerates hostile:0: its sub_group_width is 4294967295, expected at most 16777216"},
          {"cache",
           "it enumerates hostile:0: its l2_cache_bytes is 4611686018427387904, expected at most "
           "72057594037927936"},
          {"shared",
           "it enumerates hostile:0: its shared_memory_bytes is 4611686018427387904, expected at "
           "most 72057594037927936"},
          {"clock",
           "it enumerates hostile:0: its clock_khz is 4294967295, expected at most 100000000"},
          {"memory-clock",
           "it enumerates hostile:0: its memory_clock_khz is 4294967295, expected at most "
           "100000000"},
          {"capability",
           "it enumerates hostile:0: its capabilities have unknown bits, 0x8000000000000000"},
          {"memory-kind",
           "it enumerates hostile:0: its host_addressable_kinds have unknown bits, 0x201"},
          {"pageable",
           "it enumerates hostile:0: its copies of pageable memory block, and its "
           "host_addressable_kinds lack pinned memory"},
          {"address",
           "it enumerates hostile:0: its pci_address is '0000:65:00:0', expected one as "
           "'0000:65:00.0'"},
          {"free-above-total",
           "it enumerates hostile:0: its memory_free_bytes is 1048577, expected at most 1048576"},
          {"properties-split",
           "it enumerates a device with 36 bytes of properties: expected a multiple of 8"},
          {"properties-null", "it enumerates a device without properties"},
          {"properties-short",
           "it enumerates a device with 12 bytes of properties: expected at least 16"},
      }) {
    refusals.emplace_back(refusal.value, refusal.reason);
  }
  for (const auto& [value, text] : refusals) {
    SCOPED_TRACE(value);
    const bool is_status = value.starts_with("message-") || value.starts_with("status-") ||
                           value.starts_with("origin-");
    const std::string reason = (is_status ? "open failed: " : "") + text;
    const Hostile hostile(value);
    EXPECT_EQ(to_string(hostile.info().status), to_string(PluginStatus::kFailed));
    EXPECT_EQ(hostile.info().reason, reason);
    EXPECT_NE(hostile.runtime().explain().find(reason), std::string::npos);
    EXPECT_NE(hostile.log().find("hostile.so failed: " + reason + "\n"), std::string::npos)
        << hostile.log();
  }
}

TEST(HostilePlugin, NamesAreEscaped) {
  const Hostile hostile("device-name-bytes");
  EXPECT_EQ(hostile.device().properties().name, "red\\x1b[31m \\xff\u00e9\\xc2\\x9b\\x0aend");
  EXPECT_NE(hostile.runtime().explain().find("red\\x1b[31m \\xff\u00e9\\xc2\\x9b\\x0aend"),
            std::string::npos);
}

constexpr const char* kText =
    "PATCHBAY_KERNEL(scale)(PATCHBAY_OUTPUT(f32, y), PATCHBAY_VALUE(f32, a)) {\n"
    "  PATCHBAY_BIND(f32, y);\n  y[0] = a;\n}\n";

KernelSpec fill_spec() {
  return {"fill.1",
          {ArgumentSpec::tensor(DType::f32, Access::kWrite), ArgumentSpec::scalar(DType::f32)},
          {}};
}

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
  const auto prepare = [](const Device& device) { (void)Kernel::prepare(device, fill_spec()); };
  const auto fuse_and_run = [](const Device& device) {
    (void)fuse([](Expression a) { return a + a; })(ones({4}, device));
  };
  const std::vector<Call> calls = {
      {"failed-kernel", "", "it failed", prepare},
      {"second-kernel", "", "prepare reported success and gave nothing", prepare},
      {"failed-module", "", "it failed",
       [](const Device& device) { (void)KernelModule::from_source(device, kText); }},
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
      try {
        call.make(hostile.device());
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(call.answer), std::string::npos) << error.what();
      }
    }
  }
}

TEST(HostilePlugin, CallsNameTheEntryThatGaveNothing) {
  const auto open = [](const Device& device) { (void)device.memory(); };
  const auto allocate = [](const Device& device) { (void)Buffer::allocate(device, 64); };
  const auto prepare = [](const Device& device) { (void)Kernel::prepare(device, fill_spec()); };
  const std::vector<Call> calls = {
      {"no-device", "Device", "open_device reported success and gave nothing", open},
      {"no-default-stream", "Device",
       "create of the stream table reported success and gave nothing", open},
      {"no-stream", "Stream", "create of the stream table reported success and gave nothing",
       [](const Device& device) { (void)Stream(device); }},
      {"no-event", "Event", "create of the event table reported success and gave nothing",
       [](const Device& device) { (void)device.default_stream().record(); }},
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
       [](const Device& device) { (void)wrap_buffer(device, 64, 4); }},
      {"", "wrap_buffer", "wrap of the memory table reported success and gave nothing",
       [](const Device& device) { (void)wrap_buffer(device, 64, 4); }},
      {"", "wrap_stream", "wrap of the stream table reported success and gave nothing",
       [](const Device& device) { (void)wrap_stream(device, 64); }},
      {"no-adopted-device", "adopt_context",
       "open_device of 'adopt-context' reported success and gave nothing",
       [](const Device& device) { adopt_context(device, 64); }},
      {"no-kernel", "fill.1(f32, f32 scalar)", "prepare reported success and gave nothing",
       prepare},
      {"no-module", "KernelModule", "load_module reported success and gave nothing",
       [](const Device& device) { (void)KernelModule::from_source(device, kText); }},
      {"", "KernelModule", "module_kernel reported success and gave nothing",
       [](const Device& device) {
         (void)KernelModule::from_source(device, kText).kernel("scale");
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
      try {
        call.make(device);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kPluginFailed));
        EXPECT_EQ(error.what(), "[" + std::string(call.operation) +
                                    "] the plugin 'hostile' broke the plugin interface: " +
                                    call.answer + " (hostile:0). Tell the author of the plugin.");
      }
    }
  }
}

TEST(HostilePlugin, WhateverReportsTheLossOfTheDeviceLosesIt) {
  const std::vector<Call> calls = {
      {"lost-record", "record", "",
       [](const Device& device) { (void)device.default_stream().record(); }},
      {"lost-callback", "add_callback", "",
       [](const Device& device) { device.default_stream().add_callback([](const Error*) {}); }},
      {"lost-memory", "wrap_buffer", "",
       [](const Device& device) { (void)wrap_buffer(device, 64, 4); }},
      {"lost-stream", "wrap_stream", "",
       [](const Device& device) { (void)wrap_stream(device, 64); }},
      {"lost-handle", "native_handle", "",
       [](const Device& device) { (void)native_handle(device); }}};
  const auto error_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kDeviceLost));
      return error.what();
    }
    return "no error";
  };
  for (const Call& call : calls) {
    SCOPED_TRACE(call.value);
    const Hostile hostile(call.value);
    const Device device = hostile.device();
    // In one line, though the plugin wrote two.
    const std::string text =
        "] it fell off the bus (hostile:0). All that is on this device is lost: use another one.";
    EXPECT_EQ(error_of([&] { call.make(device); }), "[" + std::string(call.operation) + text);
    EXPECT_EQ(error_of([&] { device.synchronize(); }), "[synchronize" + text);
    EXPECT_EQ(error_of([&] { (void)Buffer::allocate(device, 64); }), "[allocate" + text);
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
  RuntimeOptions options = only({});
  options.plugin_files = {fixture_path("null-device")};
  const Runtime runtime(options);
  const Device device = runtime.device("nulldevice:0");
  try {
    (void)device.memory();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "[Device] the plugin 'null-device' broke the plugin interface: open_device reported "
              "success and gave nothing (nulldevice:0). Tell the author of the plugin.");
  }
}

TEST(HostilePlugin, AnExtensionThatIsNotWholeIsNone) {
  for (const auto& [spoilt, fault] :
       {std::pair{"extension-short",
                  " of 8 bytes for the extension 'adopt-context', expected at least 16: ignored\n"},
        {"extension-gap",
         " for the extension 'adopt-context' whose entry 1 of 1 is null: ignored\n"}}) {
    const Hostile hostile(spoilt);
    try {
      adopt_context(hostile.device(), 64);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "[adopt_context] the plugin 'hostile' takes no context of the application's "
                "(hostile:0). Leave it out, and the device opens in a context of its own.");
    }
    EXPECT_NE(hostile.log().find("[hostile] gives a table" + std::string(fault)), std::string::npos)
        << hostile.log();
  }
}

TEST(HostilePlugin, AReservedExtensionIsIgnored) {
  const Hostile hostile("");
  (void)hostile.device();
  for (const char* name : {"event-export", "ipc", "collective"}) {
    EXPECT_NE(hostile.log().find("[hostile] gives the extension '" + std::string(name) +
                                 "', a name that plugin interface 1.1 reserves: ignored\n"),
              std::string::npos)
        << hostile.log();
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
  const auto expect = [&](const char* name, ErrorCode code, const std::string& text) {
    try {
      (void)plugin_extension(hostile.device(), name, 1);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), to_string(code));
      EXPECT_EQ(error.what(), text);
    }
  };
  expect("nothing.new", ErrorCode::kUnsupported,
         "[plugin_extension] the plugin 'hostile' has no extension 'nothing.new' of version 1 "
         "(hostile:0). Its documentation says which it has.");
  expect("graph", ErrorCode::kInvalidArgument,
         "[plugin_extension] 'graph': expected a name of the plugin's own, which has a '.' in it, "
         "as 'mine.counters' (hostile:0).");
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

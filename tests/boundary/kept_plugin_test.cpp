// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin of each earlier version of the boundary still works: the file that was built then, and
// its text, compiled now.
#include <sys/utsname.h>

#include "support/child.h"
#include "support/paths.h"
#include "support/runtime_fixture.h"
#include "support/scratch_directory.h"

namespace patchbay::boundary {
namespace {

namespace fs = std::filesystem;

/// As in kept/1.0/plugin.c.
struct Counts {
  std::uint64_t size;
  std::uint64_t copies, peer_copies, launches, callbacks, adoptions, replays, ranges_begun,
      ranges_ended, stops, scratch_bytes, cached, high_streams;
};

std::string architecture() {
  utsname system{};
  uname(&system);
  return system.machine;
}

/// The parameter says which plugin: its version, and whether it is built now.
struct Kept {
  const char* version;
  bool is_built_now;

  fs::path file() const {
    if (is_built_now) {
      return fs::path(PATCHBAY_KEPT_BUILT_DIR) / version / "patchbay-kept.so";
    }
    return fs::path(test::source_path("tests/boundary/kept")) / version / architecture() /
           "patchbay-kept.so";
  }
};
void PrintTo(const Kept& kept, std::ostream* out) { *out << kept.file().string(); }

class KeptPlugin : public testing::TestWithParam<Kept> {
 protected:
  void SetUp() override {
    if (!fs::exists(GetParam().file())) {
      GTEST_SKIP() << "no plugin of version " << GetParam().version << " is kept for "
                   << architecture();
    }
  }

  RuntimeOptions options() {
    RuntimeOptions result;
    result.read_environment = false;
    result.plugin_files = {copy()};
    result.plugins = {"kept"};
    result.settings = {{"kept_greeting", "Kept device"},
                       {"cache_dir", (scratch_.path() / "cache").string()}};
    return result;
  }

  /// The tree may be writable by others, which a plugin must not be.
  fs::path copy() {
    const fs::path target = scratch_.path() / "patchbay-kept.so";
    if (!fs::exists(target)) {
      fs::copy_file(GetParam().file(), target);
      fs::permissions(target, fs::perms(0644));
    }
    return target;
  }

  /// Of the loaded file, which may have counted before.
  static const Counts& counts(const Device& device) {
    return *static_cast<const Counts*>(plugin_extension(device, "kept.counts", 1).table);
  }

  test::ScratchDirectory scratch_;
};

TEST_P(KeptPlugin, TellsItsDevices) {
  std::vector<std::string> lines;
  RuntimeOptions changed = options();
  changed.settings["log"] = "info";
  changed.log = [&lines](LogLevel, std::string_view line) { lines.emplace_back(line); };
  const Runtime runtime(changed);
  const std::vector<Device> devices = runtime.devices();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "[kept] the kept driver is open"), 1);
  EXPECT_EQ(devices[1].name(), "kept:1");
  EXPECT_EQ(devices[1].memory().free_bytes, (std::size_t{1} << 24) - 2048);  // not opened
  const DeviceProperties& properties = devices[1].properties();
  EXPECT_EQ(properties.name, "Kept device");
  EXPECT_EQ(properties.vendor, "Patchbay");
  EXPECT_EQ(properties.driver_version, "1.0");
  EXPECT_EQ(properties.pci_address, "0000:17:01.0");
  EXPECT_EQ(properties.uuid[15], 17);
  EXPECT_EQ(properties.architecture, "kept_10");
  EXPECT_EQ(properties.l2_cache_bytes, 4096u);
  EXPECT_EQ(properties.shared_memory_bytes, 1024u);
  EXPECT_EQ(properties.clock_khz, 1000u);
  EXPECT_EQ(properties.memory_clock_khz, 2000u);
  EXPECT_EQ(properties.compute_units, 3u);
  EXPECT_EQ(properties.sub_group_width, 32u);
  EXPECT_EQ(properties.max_group_size, 256u);
  EXPECT_TRUE(properties.f64 && properties.f16 && properties.bf16);
  EXPECT_TRUE(properties.stream_priorities);
  EXPECT_TRUE(properties.unified_buffers);
  EXPECT_FALSE(properties.host_addressable);
}

TEST_P(KeptPlugin, MovesMemory) {
  const Runtime runtime(options());
  const Device first = runtime.device("kept:0"), second = runtime.device("kept:1");
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Tensor a = from_host(values, {2, 3}, first);
  const std::uint64_t copies = counts(first).copies, peer_copies = counts(first).peer_copies;
  EXPECT_EQ(a.to(second).to_vector<float>(), values);
  EXPECT_EQ(counts(first).peer_copies, peer_copies + 1);
  EXPECT_GT(counts(first).copies, copies);
  EXPECT_EQ(a.clone().to_vector<float>(), values);
  for (const MemoryKind kind : {MemoryKind::kPinned, MemoryKind::kUnified}) {
    const Buffer buffer = Buffer::allocate(second, 24, kind);
    copy_from_host({buffer, 0, 24}, values.data());
    std::vector<float> back(6);
    copy_to_host(back.data(), {buffer, 0, 24});
    EXPECT_EQ(back, values);
  }
  EXPECT_ERROR(Buffer::allocate(first, std::size_t{1} << 25), kOutOfMemory, "kept:0");
  EXPECT_EQ(first.memory().total_bytes, std::size_t{1} << 24);
}

TEST_P(KeptPlugin, HasStreamsAndEvents) {
  const Device device = Runtime(options()).device("kept:1");
  const std::uint64_t high = counts(device).high_streams, callbacks = counts(device).callbacks;
  const Stream timed(device, {.times = true}), urgent(device, {.priority = StreamPriority::kHigh});
  EXPECT_EQ(counts(device).high_streams, high + 1);
  Tensor a = zeros({4}, device);
  {
    const StreamScope scope(timed);
    a = add(a, ones({4}, device));
  }
  const Event done = timed.record();
  urgent.wait(done);
  std::atomic<int> calls{0};
  timed.add_callback([&calls](const Error* error) { calls += error == nullptr ? 1 : 100; });
  timed.synchronize();
  urgent.flush();
  urgent.synchronize();
  EXPECT_TRUE(done.is_done());
  EXPECT_EQ(a.to_vector<float>(), std::vector<float>(4, 1));
  EXPECT_EQ(timed.take_times().size(), 2u);  // the fill and the sum
  while (calls.load() == 0) usleep(100);
  EXPECT_EQ(calls.load(), 1);
  EXPECT_EQ(counts(device).callbacks, callbacks + 1);
}

TEST_P(KeptPlugin, RunsKernels) {
  const Device device = Runtime(options()).device("kept:0");
  const Tensor a = from_host<float>({1, 2, 3, 4, 5, 6}, {2, 3}, device);
  const Tensor sum = add(a.transpose(0, 1), full({3, 2}, 10, device));
  EXPECT_EQ(sum.to_vector<float>(), (std::vector<float>{11, 14, 12, 15, 13, 16}));
  EXPECT_HAS(why_unsupported(device, {"exp.1", {}, {}}), "fill.1, add.1");
  EXPECT_ERROR(exp(a), kUnsupported, "fill.1, add.1");
}

/// Attributes, bytes, a workspace, scratch memory, the cache, and the application's threads.
TEST_P(KeptPlugin, RunsItsOwnOperator) {
  for (const bool lends : {false, true}) {
    RuntimeOptions changed = options();
    std::atomic<int> bodies{0};
    if (lends) {
      changed.thread_pool = {2, [&bodies](std::size_t n, const auto& body) {
                               for (std::size_t i = 0; i < n; ++i) body(i), ++bodies;
                             }};
    }
    const Runtime runtime(changed);
    const Device device = runtime.device("kept:0");
    const std::uint64_t scratch = counts(device).scratch_bytes, cached = counts(device).cached;
    ArgumentSpec text;
    text.kind = ArgumentSpec::Kind::kBytes;
    const KernelSpec spec{
        "kept.scale.1",
        {ArgumentSpec::tensor(DType::f32, Access::kWrite),
         ArgumentSpec::tensor(DType::f32, Access::kRead), text},
        {{"factor", 2.5}, {"shift", std::int64_t{-1}}, {"mode", std::string("exact")}}};
    const Kernel kernel = Kernel::prepare(device, spec);
    EXPECT_EQ(kernel.workspace_bytes(), 4096u);
    EXPECT_EQ(counts(device).scratch_bytes, scratch + 256);
    EXPECT_EQ(counts(device).cached, cached + (lends ? 1 : 0));  // put by the first runtime
    const Tensor in = from_host<float>({1, 2, 3, 4}, {4}, device);
    const Buffer out = Buffer::allocate(device, 16);
    Argument bytes;
    bytes.kind = ArgumentSpec::Kind::kBytes;
    bytes.bytes = "exactly";
    const std::array<Argument, 3> arguments = {
        Argument::tensor(out, DType::f32, {4}, Access::kWrite),
        Argument::tensor(in.buffer(), DType::f32, {4}, Access::kRead), bytes};
    kernel.launch(device.default_stream(), arguments);
    EXPECT_EQ(from_buffer(out, DType::f32, {4}).to_vector<float>(),
              (std::vector<float>{1.5, 4, 6.5, 9}));
    EXPECT_EQ(bodies.load(), lends ? 4 : 0);
  }
}

TEST_P(KeptPlugin, LoadsModules) {
  const Device device = Runtime(options()).device("kept:1");
  const KernelModule module = KernelModule::from_source(device, R"(// times 3
    PATCHBAY_KERNEL(multiply)(PATCHBAY_INOUT(f32, x)) { PATCHBAY_BIND(f32, x); x[0] *= 3; })");
  const Tensor a = from_host<float>({1, 2, 3, 4}, {4}, device);
  module.kernel("multiply").launch({.groups = {2}, .group_size = {2}}, {a});
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{3, 6, 9, 12}));
  EXPECT_ERROR(KernelModule::from_source(
                   device, "PATCHBAY_KERNEL(k)(PATCHBAY_INOUT(f32, x)) { PATCHBAY_BIND(f32, x); }"),
               kBuildFailed, "1:1: expected a factor");
}

/// By the driver, where streams do not complete inline.
TEST_P(KeptPlugin, ReplaysGraphs) {
  const Device device = Runtime(options()).device("kept:1");
  const Tensor a = from_host<float>({1, 2}, {2}, device);
  Tensor b;
  const Graph graph = record_graph([&](GraphRecording&) { b = add(add(a, a), a); });
  const std::uint64_t replays = counts(device).replays;
  graph.replay();
  EXPECT_EQ(b.to_vector<float>(), (std::vector<float>{3, 6}));
  a.copy_from(from_host<float>({10, 20}, {2}, device));
  graph.replay();
  EXPECT_EQ(b.to_vector<float>(), (std::vector<float>{30, 60}));
  EXPECT_GT(counts(device).replays, replays);
}

TEST_P(KeptPlugin, WorksWithTheApplicationsObjects) {
  const Runtime runtime(options());
  const Device device = runtime.device("kept:1");
  const std::uint64_t adoptions = counts(runtime.device("kept:0")).adoptions;
  adopt_context(device, 4321);
  EXPECT_EQ(counts(device).adoptions, adoptions + 1);
  EXPECT_EQ(native_handle(device).value, 101u);
  EXPECT_EQ(native_context(device).value, 4321u);
  const auto* own =
      static_cast<const std::uint64_t*>(plugin_extension(device, "kept.device", 1).table);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own[1], 4712u);
  alignas(64) std::array<float, 16> memory{1, 2};
  const Buffer buffer = wrap_buffer(
      device, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory.data())), 8);
  EXPECT_EQ(from_buffer(buffer, DType::f32, {2}).to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(native_handle(buffer).as<float*>(), memory.data());
  const Stream stream = wrap_stream(device, 77);
  EXPECT_NE(native_handle(stream).value, 0u);
  EXPECT_NE(native_handle(stream.record()).value, 0u);
  EXPECT_INVALID(wrap_stream(device, 78), "no stream of mine");
}

TEST_P(KeptPlugin, ShowsRanges) {
  RuntimeOptions changed = options();
  changed.settings["ranges"] = "1";
  const Runtime runtime(changed);
  const Device device = runtime.device("kept:0");
  const std::uint64_t begun = counts(device).ranges_begun, ended = counts(device).ranges_ended;
  { const TraceScope scope("step", runtime); }
  EXPECT_EQ(counts(device).ranges_begun, begun + 1);
  EXPECT_EQ(counts(device).ranges_ended, ended + 1);
}

/// Its driver is opened once more in a child, by the feature 'fork'.
TEST_P(KeptPlugin, IsOpenedInAForkedProcess) {
  const Runtime parent(options());
  (void)parent.devices();
  EXPECT_EQ(test::answer_of([&] {
              const Runtime runtime(options());
              const Tensor a = ones({2}, runtime.device("kept:1"));
              return std::to_string(add(a, a).to_vector<float>()[1]);
            }),
            "2.000000");
}

std::string name_of(const testing::TestParamInfo<Kept>& info) {
  std::string name = info.param.version;
  std::replace(name.begin(), name.end(), '.', '_');
  return "Version" + name + (info.param.is_built_now ? "Text" : "File");
}
INSTANTIATE_TEST_SUITE_P(Of, KeptPlugin, testing::Values(Kept{"1.0", false}, Kept{"1.0", true}),
                         name_of);

}  // namespace
}  // namespace patchbay::boundary

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The numbers of contents that launches tell plugins. The fixture logs those of each launch.
#include <mutex>

#include "runtime/plugin/unruly.h"
#include "support/environment_variable.h"
#include "support/kernels.h"
#include "support/runtime_fixture.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

class Contents : public testing::TestWithParam<const char*> {
 protected:
  Contents() : ways_("UNRULY", "tell-contents"), runtime_(options()) {}

  Tensor made(float value = 1) const { return full({3}, value, on()); }
  TensorOptions on() const { return {DType::f32, runtime_.device("kept:0")}; }
  const Runtime& runtime() const { return runtime_; }

  /// Those of out, a and b in the last launch.
  std::vector<std::uint64_t> last() {
    const std::scoped_lock lock(mutex_);
    return last_;
  }
  /// Those of a and b in an addition.
  std::pair<std::uint64_t, std::uint64_t> of(const Tensor& a, const Tensor& b) {
    (void)add(a, b);
    const std::vector<std::uint64_t> all = last();
    EXPECT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0], 0u) << "of what is only written";
    return {all[1], all[2]};
  }
  std::uint64_t of(const Tensor& a) { return of(a, a).first; }

 private:
  RuntimeOptions options() {
    RuntimeOptions result = unruly_options({{"log", "info"}, {"validate", GetParam()}});
    result.log = [this](LogLevel, std::string_view line) {
      const std::size_t at = line.find("contents");
      if (at == std::string_view::npos) return;
      std::istringstream numbers{std::string(line.substr(at + 8))};
      const std::scoped_lock lock(mutex_);
      last_.clear();
      for (std::uint64_t number; numbers >> number;) last_.push_back(number);
    };
    return result;
  }

  std::mutex mutex_;
  std::vector<std::uint64_t> last_;
  const EnvironmentVariable ways_;
  const Runtime runtime_;
};
INSTANTIATE_TEST_SUITE_P(Validation, Contents, testing::Values("0", "1"),
                         [](const auto& each) { return std::string("Is") + each.param; });

TEST_P(Contents, HaveANumberUntilTheyAreWritten) {
  const Tensor a = made(1), b = made(2);
  const auto [of_a, of_b] = of(a, b);
  EXPECT_NE(of_a, 0u);
  EXPECT_NE(of_b, 0u);
  EXPECT_NE(of_a, of_b);
  EXPECT_EQ(of(a, b), std::pair(of_a, of_b));
  EXPECT_EQ(of(b, a), std::pair(of_b, of_a));
  EXPECT_EQ(a.to_vector<float>(), std::vector<float>(3, 1));  // reading changes nothing
  (void)a.clone();
  EXPECT_EQ(of(a), of_a);
  EXPECT_EQ(of(a.slice(0, 0, 2)), of_a);  // a view's are its buffer's
}

TEST_P(Contents, HaveAnotherNumberAfterEachWayToWrite) {
  const Tensor other = made(5);
  const std::vector<float> values(3, 7);
  const std::map<std::string, std::function<void(const Tensor&)>> writers = {
      {"fill_", [](const Tensor& w) { w.fill_(3); }},
      {"fill_ of a view", [](const Tensor& w) { w.slice(0, 1, 2).fill_(3); }},
      {"an operation's output", [&](const Tensor& w) { add_out(w, other, other); }},
      {"in place", [&](const Tensor& w) { w += other; }},
      {"copy_from", [&](const Tensor& w) { w.copy_from(other); }},
      {"copy_from, not blocking", [&](const Tensor& w) { w.copy_from(other, true); }},
      {"copy_from another device",
       [&](const Tensor& w) { w.copy_from(other.to(runtime().device("kept:1"))); }},
      {"copy_from_host",
       [&](const Tensor& w) {
         copy_from_host({w.buffer(), w.offset_bytes(), 12}, values.data());
       }},
      {"copy of bytes",
       [&](const Tensor& w) {
         copy({w.buffer(), w.offset_bytes(), 12}, {other.buffer(), 0, 12});
       }},
      {"a kernel by hand",
       [](const Tensor& w) {
         const Device device = w.device();
         Kernel::prepare(device, test::fill_spec())
             .launch(
                 device.default_stream(),
                 std::vector{Argument::tensor(w.buffer(), DType::f32, w.shape(), Access::kWrite),
                             Argument::scalar(4.0F)});
       }},
      {"a graph", [](const Tensor& w) { record_graph([&] { w.fill_(3); }).replay(); }},
  };
  for (const auto& [name, write] : writers) {
    SCOPED_TRACE(name);
    const Tensor w = made();
    const std::uint64_t before = of(w);
    write(w);
    const std::uint64_t after = of(w);
    EXPECT_NE(after, before);
    EXPECT_NE(after, 0u);
    write(w);
    EXPECT_NE(of(w), after);
  }
}

/// The application may write to it at any time.
TEST_P(Contents, AreUnknownOnceTheApplicationCanReachThem) {
  const std::map<std::string, std::function<void(const Tensor&)>> ways = {
      {"data", [](const Tensor& w) { return w.data<float>(); }},
      {"host_pointer", [](const Tensor& w) { return w.buffer().host_pointer(); }},
      {"native_handle", [](const Tensor& w) { return native_handle(w.buffer()); }},
      {"to_dlpack",
       [](const Tensor& w) {
         dlpack::DLManagedTensorVersioned* const exported = to_dlpack(w);
         exported->deleter(exported);
       }},
  };
  for (const auto& [name, reach] : ways) {
    SCOPED_TRACE(name);
    // The host can address unified memory.
    const Tensor w =
        from_buffer(Buffer::allocate(*on().device, 12, MemoryKind::kUnified), DType::f32, {3});
    w.fill_(1);
    EXPECT_NE(of(w), 0u);
    reach(w);
    EXPECT_EQ(of(w), 0u);
    w.fill_(2);
    EXPECT_EQ(of(w), 0u);
  }
  const Tensor lender = made();
  EXPECT_EQ(of(from_buffer(wrap_buffer(*on().device, native_handle(lender.buffer()).value, 12, {}),
                           DType::f32, {3})),
            0u);
}

TEST_P(Contents, OfMemoryThatIsUsedAgainAreNew) {
  std::uint64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    const Tensor a = made();
    const std::uint64_t now = of(a);
    EXPECT_NE(now, before);
    before = now;
  }
}

TEST_P(Contents, OfWhatAGraphOnlyReadsHaveNumbersInReplays) {
  const Tensor a = made(), b = made(), out = made();
  const Graph graph = record_graph([&] { add_out(out, a, b); });
  for (int run = 0; run < 2; ++run) {
    const auto [of_a, of_b] = of(a, b);
    for (int replay = 0; replay < 2; ++replay) {
      graph.replay();
      EXPECT_EQ(last(), (std::vector<std::uint64_t>{0, of_a, of_b}));
    }
    a.fill_(2);
  }
  const Tensor other = made();
  graph.bind(b, other);
  graph.replay();
  EXPECT_EQ(last().back(), of(other));
}

/// The driver keeps the arguments that it got in the first replay.
TEST_P(Contents, AreNotToldInReplaysByTheDriver) {
  if (std::string(GetParam()) == "1") GTEST_SKIP() << "validation launches one by one";
  const Tensor a = made(), b = made(), out = made();
  const Graph graph = record_graph([&] {
    add_out(out, a, b);
    add_out(out, a, b);
  });
  graph.replay();
  EXPECT_EQ(last(), (std::vector<std::uint64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace patchbay::faults

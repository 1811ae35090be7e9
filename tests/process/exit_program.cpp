// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Ends while work is queued: exit_program <device> <way> <stream> [cold], with status 7.
//   way     return    from main
//           exit      by exit() in main
//           thread    by exit() in another thread, while main waits for the work
//           callback  by exit() in a callback of the stream
//           static    from main, and destructors of static objects drop tensors and runtime
//           local     by exit() in a callback; a static object of main's drops the runtime
//           hung      from main, with a kernel that never ends
//   stream  default   of the device; where it computes at once, a thread of ours submits
//           own       another stream of the device
//   cold    nothing has run before, so that kernels are compiled while the process ends
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <patchbay/patchbay.h>

namespace {

using patchbay::Device;
using patchbay::Stream;
using patchbay::StreamScope;
using patchbay::Tensor;

constexpr int kStatus = 7;

struct Work {
  Tensor a, b, out, other;
};

// Destroyed after main, in the way 'static' with the runtime.
std::optional<patchbay::Runtime> static_runtime;
Work static_work;

/// The sizes give some tenths of a second of work in all. Products are computed by a library on
/// `cpu`, by kernels on other devices of the CPU, and by the simulators' loops elsewhere.
Work make_work(const Device& device) {
  const bool is_cpu = device.properties().kind == patchbay::DeviceKind::kCpu;
  const std::int64_t size = device.backend() == "cpu" ? 500 : is_cpu ? 200 : 100;
  const patchbay::Shape square = {size, size};
  return {full(square, 0.5, device), full(square, 0.25, device), empty(square, device),
          empty(square, device)};
}

void submit(const Work& work, int count) {
  for (int i = 0; i < count; ++i) {
    matmul_out(work.out, work.a, work.b);
    exp_out(work.other, work.out);
    add_out(work.out, work.other, work.b);
  }
}

[[noreturn]] void wait_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Runs `body`, which may be refused because the process is ending, and does not return.
template <class Body>
[[noreturn]] void run_until_the_end(const Body& body) {
  try {
    body();
  } catch (const patchbay::Error& error) {
    if (std::string(error.what()).find("process is ending") == std::string::npos) throw;
  }
  wait_for_ever();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4 && argc != 5) return 2;
  const std::string name = argv[1], way = argv[2];
  const bool is_own = std::string(argv[3]) == "own";
  if (way == "static") static_runtime.emplace(patchbay::RuntimeOptions());
  const auto local_device = [&name] {
    static const patchbay::Runtime runtime{patchbay::RuntimeOptions()};
    return runtime.device(name);
  };
  const Device device = way == "static"  ? static_runtime->device(name)
                        : way == "local" ? local_device()
                                         : Device(name);
  const Work work = make_work(device);
  if (argc == 4) {
    submit(work, 1);  // kernels are compiled
    device.synchronize();
  }
  if (way == "static") static_work = work;
  if (way == "hung") {
    constexpr const char* kText =
        "PATCHBAY_KERNEL(hang)(PATCHBAY_INOUT(f32, y)) {\n"
        "  PATCHBAY_BIND(f32, y);\n"
        "  while (y[0] < 1e30f) y[1] += 1.0f;\n"
        "}\n";
    // A module that goes waits for its work, so this one stays.
    auto* const module =
        new patchbay::KernelModule(patchbay::KernelModule::from_source(device, kText));
    module->kernel("hang").launch({}, {work.out});
    return kStatus;
  }

  auto* const stream = is_own ? new Stream(device) : nullptr;
  const auto scope = is_own ? std::make_unique<StreamScope>(*stream) : nullptr;
  if (is_own || !device.properties().completes_inline) {
    submit(work, 30);
  } else {
    static std::atomic<bool> has_begun{false};
    std::thread([kept = work] {
      for (;;) {
        submit(kept, 1);
        has_begun.store(true);
      }
    }).detach();
    while (!has_begun.load()) std::this_thread::yield();
  }
  if (way == "exit") std::exit(kStatus);
  if (way == "thread") {
    std::thread([] { std::exit(kStatus); }).detach();
    run_until_the_end([&] { device.synchronize(); });
  }
  if (way == "callback" || way == "local") {
    (is_own ? *stream : device.default_stream()).add_callback([](const patchbay::Error*) {
      std::exit(kStatus);
    });
    run_until_the_end([&] {
      while (is_own) submit(work, 1);
    });
  }
  return kStatus;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

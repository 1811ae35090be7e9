// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What becomes of a process whose kernel goes out of bounds, which forks, is interrupted, or ends
// with work under way.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "probe.h"

namespace probe {
namespace {

using patchbay::Device;
using patchbay::Runtime;
using patchbay::Tensor;

/// Far behind the end of any allocation.
constexpr const char* kStray =
    "PATCHBAY_KERNEL(stray)(PATCHBAY_INOUT(f32, y), PATCHBAY_VALUE(i64, far)) {\n"
    "  PATCHBAY_BIND(f32, y);\n"
    "  y[far] = 1.0f;\n"
    "}\n";

/// Runs a step and prints whether it told of an error.
bool step(const char* name, const std::function<void()>& body) {
  try {
    body();
    print({{"step", name}, {"passed", true}});
    return true;
  } catch (const patchbay::Error& error) {
    print({{"step", name},
           {"passed", false},
           {"code", std::string(to_string(error.code()))},
           {"driver_code", error.native_code()},
           {"message", error.what()}});
    return false;
  }
}

bool computes(const Device& device) {
  return (full({4}, 2, device) + full({4}, 3, device)).to_vector<float>() ==
         std::vector<float>(4, 5);
}

/// Products one after the other, of which nobody waits for any.
Tensor queue_work(const Target& target, int products) {
  const std::int64_t size = target.size_or(2048);
  const Device device(target.device);
  const Tensor a = full({size, size}, 1e-3, device);
  Tensor out = zeros({size, size}, device);
  for (int i = 0; i < products; ++i) matmul_out(out, a, a);
  return out;
}

}  // namespace

int out_of_bounds(const Target& target) {
  {
    const Runtime runtime{patchbay::RuntimeOptions()};
    const Device device = runtime.device(target.device);
    const Tensor y = zeros({16}, device);
    device.synchronize();
    const auto module = patchbay::KernelModule::from_source(device, kStray);
    const auto kernel = module.kernel("stray");
    const std::int64_t far = std::int64_t{1} << 44;
    step("launch", [&] { kernel.launch({.groups = {1}, .group_size = {1}}, {y, far}); });
    step("synchronize", [&] { device.synchronize(); });
    step("read", [&] { (void)y.to_vector<float>(); });
    step("allocate", [&] { (void)patchbay::Buffer::allocate(device, 64); });
  }
  step("new runtime in the same process", [&] {
    const Runtime runtime{patchbay::RuntimeOptions()};
    print({{"computes", computes(runtime.device(target.device))}});
  });
  return 0;  // what happened is the result
}

int fork_after_start(const Target& target) {
  const Device device(target.device);
  const Tensor tensor = full({4}, 2, device);
  device.synchronize();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool fails =
        !step("child: read a tensor of the parent", [&] { (void)tensor.to_vector<float>(); });
    const bool starts = step("child: new runtime", [&] {
      const Runtime runtime{patchbay::RuntimeOptions()};
      print({{"computes", computes(runtime.device(target.device))}});
    });
    _exit(fails ? (starts ? 0 : 3) : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  print({{"child_ended", WIFEXITED(status)},
         {"child_status", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)}});
  const bool goes_on = step("parent", [&] { (void)computes(device); });
  return WIFEXITED(status) && WEXITSTATUS(status) != 4 && goes_on ? 0 : 1;
}

/// Until a signal comes, which the caller sends after the first line.
int work(const Target& target) {
  const Device device(target.device);
  const Tensor out = queue_work(target, 1);
  device.synchronize();
  print({{"working", true}});
  const auto start = patchbay::tools::Clock::now();
  while (patchbay::tools::seconds_since(start) < 30) {
    queue_work(target, 8);
    device.synchronize();
  }
  return 1;
}

/// Tensors of static storage and a queue that is far from empty.
int exit_with_work(const Target& target) {
  static Tensor kept;
  kept = queue_work(target, 64);
  print({{"queued", 64}});
  return 0;
}

}  // namespace probe

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Rows by calls of NVIDIA's driver alone, which is opened at run time: what a launch, a graph and a
// copy cost without anything above the driver.
#include <dlfcn.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "probe.h"

namespace probe {
namespace {

using Handle = void*;
using Address = unsigned long long;  // NOLINT(google-runtime-int): the driver's

// 64 elements of the first operand become the larger ones of both.
constexpr const char* kLarger = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry larger(.param .u64 first, .param .u64 second) {
  .reg .u64 %a, %b, %i;
  .reg .u32 %t;
  .reg .f32 %x, %y;
  ld.param.u64 %a, [first];
  ld.param.u64 %b, [second];
  cvta.to.global.u64 %a, %a;
  cvta.to.global.u64 %b, %b;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %i, %t, 4;
  add.u64 %a, %a, %i;
  add.u64 %b, %b, %i;
  ld.global.f32 %x, [%a];
  ld.global.f32 %y, [%b];
  max.f32 %x, %x, %y;
  st.global.f32 [%a], %x;
  ret;
}
)";

class Driver {
 public:
  Driver() {
    if (library_ == nullptr) throw std::runtime_error("no driver: " + std::string(dlerror()));
    call("cuInit", 0u);
    call("cuDevicePrimaryCtxRetain", &context_, 0);
    call("cuCtxSetCurrent", context_);
    call("cuStreamCreate", &stream_, 1u);
    call("cuModuleLoadData", &module_, kLarger);
    call("cuModuleGetFunction", &larger_, module_, "larger");
  }

  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const auto function = entry<Arguments...>(name);
    check(name, function(arguments...));
  }
  template <class... Arguments>
  auto entry(const char* name) const -> int (*)(Arguments...) {
    void* const symbol = dlsym(library_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("the driver lacks ") + name);
    return reinterpret_cast<int (*)(Arguments...)>(symbol);
  }
  static void check(const char* name, int code) {
    if (code != 0) throw std::runtime_error(name + (" gives code " + std::to_string(code)));
  }

  Address allocate(std::size_t bytes) const {
    Address address = 0;
    call("cuMemAlloc_v2", &address, bytes);
    return address;
  }
  void* allocate_pinned(std::size_t bytes) const {
    void* memory = nullptr;
    call("cuMemHostAlloc", &memory, bytes, 0u);
    return memory;
  }
  void synchronize() const { call("cuStreamSynchronize", stream_); }
  Handle stream() const { return stream_; }
  Handle larger() const { return larger_; }

 private:
  Handle library_ = dlopen("libcuda.so.1", RTLD_NOW);
  Handle context_ = nullptr, stream_ = nullptr, module_ = nullptr, larger_ = nullptr;
};

std::function<void()> launch(const Driver& driver) {
  const auto run = driver.entry<Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, Handle, void**, void**>("cuLaunchKernel");
  return [run, &driver, first = driver.allocate(256), second = driver.allocate(256)]() mutable {
    std::array<void*, 2> arguments = {&first, &second};
    Driver::check("cuLaunchKernel", run(driver.larger(), 1, 1, 1, 64, 1, 1, 0, driver.stream(),
                                        arguments.data(), nullptr));
  };
}

std::function<void()> graph(const Driver& driver, std::int64_t launches) {
  const auto once = launch(driver);
  driver.call("cuStreamBeginCapture_v2", driver.stream(), 1);
  for (std::int64_t i = 0; i < launches; ++i) once();
  Handle recorded = nullptr, ready = nullptr;
  driver.call("cuStreamEndCapture", driver.stream(), &recorded);
  driver.call("cuGraphInstantiateWithFlags", &ready, recorded, 0ull);
  const auto replay = driver.entry<Handle, Handle>("cuGraphLaunch");
  return [=, stream = driver.stream()] { Driver::check("cuGraphLaunch", replay(ready, stream)); };
}

/// A row of the names in rows.cpp; empty if there is none.
std::function<void()> row(const Driver& driver, const std::string& kind, std::int64_t n) {
  if (kind == "launch") return launch(driver);
  if (kind == "graph") return graph(driver, n);
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  if (kind == "copy") {
    const auto copy = driver.entry<Address, Address, std::size_t, Handle>("cuMemcpyDtoDAsync_v2");
    return
        [=, to = driver.allocate(bytes), from = driver.allocate(bytes), stream = driver.stream()] {
          Driver::check("cuMemcpyDtoDAsync_v2", copy(to, from, bytes, stream));
        };
  }
  if (kind == "pinned-to-device") {
    const auto copy =
        driver.entry<Address, const void*, std::size_t, Handle>("cuMemcpyHtoDAsync_v2");
    return [=, to = driver.allocate(bytes), from = driver.allocate_pinned(bytes),
            stream = driver.stream()] {
      Driver::check("cuMemcpyHtoDAsync_v2", copy(to, from, bytes, stream));
    };
  }
  if (kind == "device-to-pinned") {
    const auto copy = driver.entry<void*, Address, std::size_t, Handle>("cuMemcpyDtoHAsync_v2");
    return [=, to = driver.allocate_pinned(bytes), from = driver.allocate(bytes),
            stream = driver.stream()] {
      Driver::check("cuMemcpyDtoHAsync_v2", copy(to, from, bytes, stream));
    };
  }
  return {};
}

}  // namespace

int bare(const Target&) {
  const Driver driver;
  print({{"driver", "libcuda.so.1"}});
  answer_rows([&](const std::string& kind, std::int64_t n) { return row(driver, kind, n); },
              [&] { driver.synchronize(); });
  return 0;
}

}  // namespace probe

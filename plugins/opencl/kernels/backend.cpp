// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/kernels/backend.hpp"

#include <string>
#include <utility>

#include "opencl/device/device.hpp"
#include "opencl/kernels/launcher.hpp"
#include "opencl/kernels/program.hpp"

namespace patchbay::opencl {
namespace {

class Program final : public portable::Program {
 public:
  Program(const Device& device, ProgramHandle program)
      : device_(device), program_(std::move(program)) {}

  std::unique_ptr<portable::Function> function(std::string_view name) override {
    return std::make_unique<Launcher>(device_, program_.get(), std::string(name));
  }

 private:
  const Device& device_;
  const ProgramHandle program_;
};

portable::Traits traits_of(const DeviceInfo& info) {
  portable::Traits traits;
  traits.name = info.name;
  traits.is_cpu = info.is_cpu;
  traits.has_f64 = info.has_f64;
  traits.has_vectors = info.is_cpu;
  traits.divides_exactly = info.divides_exactly;
  traits.vector_bytes = info.vector_bytes;
  traits.compute_units = info.compute_units;
  return traits;
}

}  // namespace

Backend::Backend(const Device& device, const DeviceInfo& info, plugin::Host host)
    : device_(device), host_(host), traits_(traits_of(info)) {}

std::unique_ptr<portable::Program> Backend::build(std::string_view text) {
  return std::make_unique<Program>(device_, build_program(device_, host_, text));
}

}  // namespace patchbay::opencl

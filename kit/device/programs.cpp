// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/programs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kit/device/stream.hpp"
#include "kit/dialect_module.hpp"
#include "kit/portable/elementwise/fused.hpp"

namespace patchbay::device {
namespace {

using Code = std::shared_ptr<const executor::Kernel>;

/// A launch that waits on the stream's thread. It copies values and resolves buffers at once.
class Launch {
 public:
  Launch(Code code, const Allocator& memory) : code_(std::move(code)), memory_(memory) {}

  void add_buffer(plugin::Memory buffer) {
    places_.push_back(memory_.resolve(buffer, buffer.base != nullptr ? 1 : 0));
  }
  void add_value(const void* value, std::size_t size_bytes) {
    const auto* const bytes = static_cast<const std::byte*>(value);
    values_.emplace_back(bytes, bytes + size_bytes);
    places_.push_back(values_.back().data());
  }
  void set_grid(std::size_t axis, std::uint64_t groups, std::uint64_t group_size) {
    groups_[axis] = static_cast<std::uint32_t>(groups);
    group_size_[axis] = static_cast<std::uint32_t>(group_size);
  }
  void check_grid() const { executor::check_grid({groups_, group_size_}); }
  void run() const { code_->run({groups_, group_size_}, places_, executor::run_serially); }

 private:
  const Code code_;
  const Allocator& memory_;
  std::array<std::uint32_t, 3> groups_{}, group_size_{};
  std::vector<const void*> places_;
  std::vector<std::vector<std::byte>> values_;
};

void submit(plugin::Stream& stream, std::string_view name, std::shared_ptr<const Launch> launch) {
  static_cast<Stream&>(stream).submit_launch(std::string(name),
                                             [launch = std::move(launch)] { launch->run(); });
}

class Function final : public portable::Function {
 public:
  Function(const Allocator& memory, executor::Kernel code)
      : memory_(memory), code_(std::make_shared<const executor::Kernel>(std::move(code))) {}

  void launch(plugin::Stream& stream, std::string_view name, const portable::Grid& grid,
              const portable::Arguments& arguments) override {
    const auto launch = std::make_shared<Launch>(code_, memory_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t group = grid.group[axis];
      launch->set_grid(axis, (grid.items[axis] + group - 1) / group, group);
    }
    for (const portable::Argument& argument : arguments) {
      if (argument.is_memory())
        launch->add_buffer(argument.memory);
      else
        launch->add_value(argument.bytes, argument.size_bytes);
    }
    submit(stream, name, launch);
  }

 private:
  const Allocator& memory_;
  const Code code_;
};

class Program final : public portable::Program {
 public:
  Program(const Allocator& memory, std::shared_ptr<const executor::Module> code)
      : memory_(memory), code_(std::move(code)) {}

  std::unique_ptr<portable::Function> function(std::string_view name) override {
    return std::make_unique<Function>(memory_, code_->kernel(name));
  }

 private:
  const Allocator& memory_;
  const std::shared_ptr<const executor::Module> code_;
};

class ModuleKernel final : public GridKernel {
 public:
  ModuleKernel(const Allocator& memory, executor::Kernel code)
      : GridKernel(code.name()),
        memory_(memory),
        code_(std::make_shared<const executor::Kernel>(std::move(code))) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t,
                   plugin::Arguments arguments, std::string_view shown) override {
    const auto launch = std::make_shared<Launch>(code_, memory_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch->set_grid(axis, groups[axis], group_size[axis]);
    }
    launch->check_grid();
    for (const patchbay_argument& argument : arguments) {
      if (argument.kind == PATCHBAY_TENSOR)
        launch->add_buffer(argument.value.memory);
      else
        launch->add_value(&argument.value.bits, sizeof argument.value.bits);
    }
    submit(stream, shown.empty() ? name() : shown, launch);
  }

 private:
  const Allocator& memory_;
  const Code code_;
};

class Module final : public plugin::Module {
 public:
  Module(const Allocator& memory, std::shared_ptr<const executor::Module> code)
      : memory_(memory), code_(std::move(code)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    return std::make_unique<ModuleKernel>(memory_, code_->kernel(name, arguments));
  }

 private:
  const Allocator& memory_;
  const std::shared_ptr<const executor::Module> code_;
};

}  // namespace

std::unique_ptr<portable::Program> Programs::build(std::string_view text) {
  return std::make_unique<Program>(memory_, executor_.load(executor::kFormat, text));
}

std::unique_ptr<plugin::Module> Programs::load(std::string_view format, std::string_view code) {
  if (expression::is_expression(format)) return portable::load_fused(*this, code);
  return std::make_unique<Module>(memory_, executor_.load(format, code));
}

}  // namespace patchbay::device

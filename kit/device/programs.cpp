// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/programs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "kit/device/stream.hpp"
#include "kit/dialect_module.hpp"
#include "kit/dtypes.hpp"

namespace patchbay::device {
namespace {

/// A text that is compiled at its first launch, so that preparing a kernel is cheap.
class Text {
 public:
  Text(executor::Executor& executor, std::string_view text) : executor_(executor), text_(text) {}

  /// 1 for texts with shared memory: it is thread-local, and the C library ends the process if it
  /// can't allocate that.
  std::uint64_t max_group_size() const {
    return text_.find("PATCHBAY_SHARED") == std::string::npos ? 256 : 1;
  }
  executor::Kernel kernel(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (module_ == nullptr) module_ = executor_.load(executor::kFormat, text_);
    return module_->kernel(name);
  }

 private:
  executor::Executor& executor_;
  const std::string text_;
  std::mutex mutex_;
  std::shared_ptr<const executor::Module> module_;
};

using Code = std::shared_ptr<const executor::Kernel>;

/// A launch that waits on the stream's thread. It copies values and resolves buffers at once.
class Launch {
 public:
  explicit Launch(Code code) : code_(std::move(code)) {}

  void add_buffer(const std::byte* bytes) { places_.push_back(bytes); }
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
  Function(const Allocator& memory, std::shared_ptr<Text> text, std::string_view name)
      : memory_(memory), text_(std::move(text)), name_(name) {}

  std::uint64_t max_group_size() const override { return text_->max_group_size(); }
  void launch(plugin::Stream& stream, std::string_view name, const portable::Grid& grid,
              const portable::Arguments& arguments) override {
    const auto launch = std::make_shared<Launch>(code());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t group = grid.group[axis];
      launch->set_grid(axis, (grid.items[axis] + group - 1) / group, group);
    }
    for (const portable::Argument& argument : arguments) {
      if (argument.is_memory()) {
        launch->add_buffer(place_of(argument.memory));
      } else if (argument.memories != nullptr) {
        std::vector<std::byte*> places;
        for (const plugin::Memory& memory : argument.buffers()) places.push_back(place_of(memory));
        launch->add_value(places.data(), argument.size_bytes);
      } else {
        launch->add_value(argument.bytes, argument.size_bytes);
      }
    }
    submit(stream, name, launch);
  }

 private:
  std::byte* place_of(const plugin::Memory& memory) const {
    return memory_.resolve(memory, memory.base != nullptr ? 1 : 0);
  }

  Code code() {
    const std::lock_guard lock(mutex_);
    if (code_ == nullptr) code_ = std::make_shared<const executor::Kernel>(text_->kernel(name_));
    return code_;
  }

  const Allocator& memory_;
  const std::shared_ptr<Text> text_;
  const std::string name_;
  std::mutex mutex_;
  Code code_;
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
    const auto launch = std::make_shared<Launch>(code_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch->set_grid(axis, groups[axis], group_size[axis]);
    }
    launch->check_grid();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const patchbay_argument& argument = arguments[i];
      const std::string where = name() + ": argument " + std::to_string(i);
      if (argument.kind == PATCHBAY_TENSOR)
        launch->add_buffer(resolve_tensor(memory_, where, argument));
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

std::byte* resolve_tensor(const Allocator& memory, const std::string& where,
                          const patchbay_argument& tensor) {
  std::uint64_t last = 0;
  bool is_empty = false, overflows = false;
  for (std::size_t d = 0; d < tensor.rank && !is_empty; ++d) {
    is_empty = tensor.shape[d] == 0;
    if (is_empty) break;
    std::uint64_t reach = 0;
    overflows = overflows ||
                __builtin_mul_overflow(static_cast<std::uint64_t>(tensor.shape[d] - 1),
                                       static_cast<std::uint64_t>(tensor.strides[d]), &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  const std::uint64_t element_bytes = patchbay::element_bytes(tensor.dtype);
  if (overflows || last >= std::numeric_limits<std::uint64_t>::max() / element_bytes) {
    plugin::invalid_argument(where + ": a tensor beyond 64 bits");
  }
  std::byte* const bytes =
      memory.resolve(tensor.value.memory, is_empty ? 0 : (last + 1) * element_bytes);
  if (reinterpret_cast<std::uintptr_t>(bytes) % element_bytes != 0) {
    plugin::invalid_argument(where + ": a misaligned tensor");
  }
  return bytes;
}

portable::Backend make_backend(const Allocator& memory, executor::Executor& executor,
                               portable::Traits traits) {
  return {std::move(traits), [&memory, &executor](std::string_view code) -> portable::Program {
            const auto text = std::make_shared<Text>(executor, code);
            return [&memory, text](std::string_view name) {
              return std::make_unique<Function>(memory, text, name);
            };
          }};
}

std::unique_ptr<plugin::Module> load_module(const Allocator& memory, executor::Executor& executor,
                                            std::string_view format, std::string_view code) {
  return std::make_unique<Module>(memory, executor.load(format, code));
}

}  // namespace patchbay::device

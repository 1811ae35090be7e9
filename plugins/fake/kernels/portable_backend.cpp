// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/kernels/portable_backend.hpp"

#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fake/device/device.hpp"
#include "fake/device/stream.hpp"

namespace fake {
namespace {

namespace executor = patchbay::executor;
namespace portable = patchbay::portable;

/// A launch that waits on the worker.
struct Submission {
  std::shared_ptr<const executor::Kernel> code;
  std::array<std::uint32_t, 3> groups{}, group_size{};
  std::vector<const void*> places;
  std::vector<std::vector<std::byte>> values;

  void run() const { code->run({groups, group_size}, places, executor::run_serially); }
};

/// A text that is compiled at its first launch, so that preparing a kernel is cheap.
class Code {
 public:
  Code(executor::Executor& executor, std::string_view text) : executor_(executor), text_(text) {}

  /// Shared memory is thread-local, and the system aborts if it can't allocate that. Groups of one
  /// work-item need none.
  std::uint64_t max_group_size() const {
    return text_.find("PATCHBAY_SHARED") == std::string::npos ? 256 : 1;
  }

  const executor::Module& get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (module_ == nullptr) module_ = executor_.load(executor::kFormat, text_);
    return *module_;
  }

 private:
  executor::Executor& executor_;
  const std::string text_;
  std::mutex mutex_;
  std::shared_ptr<const executor::Module> module_;
};

class Function final : public portable::Function {
 public:
  Function(Device& device, std::shared_ptr<Code> code, std::string name)
      : device_(device), code_(std::move(code)), name_(std::move(name)) {}

  std::uint64_t max_group_size() const override { return code_->max_group_size(); }
  void launch(plugin::Stream& stream, std::string_view, const portable::Grid& grid,
              const portable::Arguments& arguments) override {
    const auto call = std::make_shared<Submission>();
    call->code = kernel();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t group = grid.group[axis];
      call->group_size[axis] = static_cast<std::uint32_t>(group);
      call->groups[axis] = static_cast<std::uint32_t>((grid.items[axis] + group - 1) / group);
    }
    for (const portable::Argument& argument : arguments) {
      if (argument.is_memory()) {
        const std::uint64_t least = argument.memory.base != nullptr ? 1 : 0;
        call->places.push_back(device_.memory().resolve(argument.memory, least));
        continue;
      }
      const auto* const bytes = static_cast<const std::byte*>(argument.bytes);
      call->values.emplace_back(bytes, bytes + argument.size_bytes);
      call->places.push_back(call->values.back().data());
    }
    static_cast<Stream&>(stream).add_to_batch([=] { call->run(); });
  }

 private:
  std::shared_ptr<const executor::Kernel> kernel() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kernel_ == nullptr) {
      kernel_ = std::make_shared<const executor::Kernel>(code_->get().kernel(name_));
    }
    return kernel_;
  }

  Device& device_;
  const std::shared_ptr<Code> code_;
  const std::string name_;
  std::mutex mutex_;
  std::shared_ptr<const executor::Kernel> kernel_;
};

class Program final : public portable::Program {
 public:
  Program(Device& device, executor::Executor& executor, std::string_view text)
      : device_(device), code_(std::make_shared<Code>(executor, text)) {}

  std::unique_ptr<portable::Function> function(std::string_view name) override {
    return std::make_unique<Function>(device_, code_, std::string(name));
  }

 private:
  Device& device_;
  const std::shared_ptr<Code> code_;
};

portable::Traits traits_of(const Device& device) {
  portable::Traits traits;
  traits.name = device.name();
  traits.has_f64 = device.options().f64;
  return traits;
}

}  // namespace

PortableBackend::PortableBackend(Device& device, executor::Executor& executor)
    : device_(device), executor_(executor), traits_(traits_of(device)) {}

std::unique_ptr<portable::Program> PortableBackend::build(std::string_view text) {
  return std::make_unique<Program>(device_, executor_, text);
}

}  // namespace fake

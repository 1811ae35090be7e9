// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver, which finds the CPU devices; a device, which is a share of the cores and their
// threads; and users' kernels.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/kit.hpp"

#include "cpu-openblas/device/allocator.hpp"
#include "cpu-openblas/fused/fused.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/operators/operators.hpp"
#include "cpu-openblas/products/libraries.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "cpu-openblas/threads/timeline.hpp"
#include "cpu-openblas/threads/topology.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/dialect_module.hpp"
#include "kit/executor/executor.hpp"
#include "kit/expression/program.hpp"
#include "kit/library/root_folder.hpp"
#include "kit/machine/memory.hpp"

namespace patchbay::cpu {
namespace {

class ModuleKernel final : public GridKernel {
 public:
  ModuleKernel(executor::Kernel code, Workers& workers)
      : GridKernel(code.name()), code_(std::move(code)), workers_(workers) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t,
                   plugin::Arguments arguments, std::string_view name) override {
    executor::check_grid({groups, group_size});
    Extents extents{};
    std::copy(groups.begin(), groups.end(), extents.groups.begin());
    std::copy(group_size.begin(), group_size.end(), extents.group_size.begin());
    static_cast<Stream&>(stream).submit(
        arguments, name, [this, extents](plugin::Arguments kept) { compute(extents, kept); });
  }

 private:
  struct Extents {
    std::array<std::uint32_t, 3> groups, group_size;
  };

  void compute(const Extents& extents, plugin::Arguments arguments) const {
    std::vector<const void*> places;
    for (const patchbay_argument& argument : arguments) {
      const bool is_buffer = argument.kind == PATCHBAY_TENSOR;
      places.push_back(is_buffer ? data_of(argument)
                                 : static_cast<const void*>(&argument.value.bits));
    }
    workers_.run([&] {
      code_.run({extents.groups, extents.group_size}, places,
                [&](std::int64_t num_groups, std::int64_t work, const executor::GroupRange& range) {
                  workers_.split(num_groups, 1, work, range);
                });
    });
  }

  const executor::Kernel code_;
  Workers& workers_;
};

/// Runs users' kernels with the kernel executor.
class Module final : public plugin::Module {
 public:
  Module(std::shared_ptr<const executor::Module> code, Workers& workers)
      : code_(std::move(code)), workers_(workers) {}
  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    return std::make_unique<ModuleKernel>(code_->kernel(name, arguments), workers_);
  }

 private:
  const std::shared_ptr<const executor::Module> code_;
  Workers& workers_;
};

class Device final : public plugin::Device {
 public:
  Device(Libraries& libraries, executor::Executor& executor, const Share& share, plugin::Host host)
      : libraries_(libraries), executor_(executor), workers_(share, host) {}

  plugin::Allocator& allocator() override { return allocator_; }

  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override {
    return std::make_unique<Stream>(workers_, (flags & PATCHBAY_STREAM_DEFAULT) != 0);
  }

  std::unique_ptr<plugin::Event> create_event(std::uint32_t) override {
    return std::make_unique<Event>();
  }

  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override {
    return prepare_operator(spec, workers_, libraries_);
  }

  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view) override {
    if (expression::is_expression(format)) return load_fused(code, workers_, libraries_);
    return std::make_unique<Module>(executor_.load(format, code), workers_);
  }

  /// Only memory has a handle: its address.
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override {
    if (native_kind == PATCHBAY_NATIVE_MEMORY) return reinterpret_cast<std::uintptr_t>(object);
    plugin::unsupported("on CPU devices only memory has a native handle, its address");
  }

 private:
  Libraries& libraries_;
  executor::Executor& executor_;
  Workers workers_;
  Allocator allocator_;
};

std::vector<Share> find_shares(plugin::Host host) {
  const std::vector<int> cores = allowed_cores();
  const int quota = quota_cores("", static_cast<int>(cores.size()));
  return plan_shares(cores, quota, host.option("cpu_devices"), host.option("cpu_threads"));
}

/// Reads the options cpu_devices, cpu_threads, and those of Libraries and the executor.
class Driver final : public plugin::Driver {
 public:
  static constexpr std::uint64_t kFeatures = UINT64_C(1) << PATCHBAY_FEATURE_FORK;

  explicit Driver(plugin::Host host)
      : host_(host),
        processor_(describe_processor()),
        shares_(find_shares(host)),
        libraries_(host, processor_.identity, processor_.last_level_cache_bytes),
        executor_(host) {
    RootFolder::keep();
  }

  void enumerate(const Found& found) override {
    const machine::MemoryState memory = machine::read_memory_state();
    for (std::size_t index = 0; index < shares_.size(); ++index) {
      patchbay_device_properties properties{};
      properties.size = sizeof(properties);
      properties.index = static_cast<std::uint32_t>(index);
      properties.kind = PATCHBAY_DEVICE_CPU;
      properties.name = plugin::to_abi(processor_.name);
      properties.vendor = plugin::to_abi(processor_.vendor);
      properties.driver_version = plugin::to_abi(libraries_.description());
      properties.capabilities = PATCHBAY_CAN_F64 | PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 |
                                PATCHBAY_CAN_UNIFIED_MEMORY | PATCHBAY_CAN_INLINE_STREAM |
                                PATCHBAY_CAN_MODULES | PATCHBAY_CAN_FUSED_GROUPS |
                                PATCHBAY_CAN_ADDRESS;
      if (libraries_.has_threaded_lapack(shares_[index].num_threads)) {
        properties.capabilities |= PATCHBAY_CAN_LARGE_FACTORS;
      }
      properties.host_addressable_kinds = PATCHBAY_KNOWN_MEMORY_KINDS;
      properties.memory_total_bytes = memory.total_bytes;
      properties.memory_free_bytes = memory.free_bytes;
      properties.memory_alignment_bytes = kMemoryAlignment;
      properties.compute_units = static_cast<std::uint32_t>(shares_[index].num_threads);
      properties.preferred_vector_bytes = libraries_.simd().vector_bytes;
      properties.sub_group_width = 1;
      properties.max_group_size = executor::kMaxGroupSize;
      const long l2_cache_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);  // of one core
      properties.l2_cache_bytes = static_cast<std::uint64_t>(std::max(l2_cache_bytes, 0L));
      properties.dlpack_device_type = 1;  // all CPU devices share the host's memory
      found(properties);
    }
  }

  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override {
    if (index >= shares_.size()) {
      plugin::invalid_argument("there is no device " + std::to_string(index) + " among " +
                               std::to_string(shares_.size()));
    }
    return std::make_unique<Device>(libraries_, executor_, shares_[index], host_);
  }

  std::unique_ptr<plugin::Device> open_device_in(std::uint32_t, std::uint64_t) override {
    plugin::unsupported("CPU devices have no contexts");
  }

  /// Has "exit" if OpenBLAS may multiply.
  const void* extension(std::string_view name, std::uint32_t version) override {
    static constexpr patchbay_exit_table kExit = {sizeof(patchbay_exit_table), stop};
    const bool is_wanted = name == PATCHBAY_EXTENSION_EXIT && version == 1;
    const bool may_call = libraries_.blas() != nullptr || libraries_.faster_blas() != nullptr;
    return is_wanted && may_call ? &kExit : nullptr;
  }

 private:
  static void stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept {
    static_cast<Driver&>(plugin::detail::object(driver)).libraries_.blas_gate().close(deadline_ns);
  }

  const plugin::Host host_;
  const Processor processor_;
  const std::vector<Share> shares_;
  Libraries libraries_;
  executor::Executor executor_;
};

}  // namespace
}  // namespace patchbay::cpu

PATCHBAY_PLUGIN_SETTINGS(
    "cpu_convolutions cpu_devices cpu_packed_mb cpu_threads cpu_products cpu_simd kernel_compiler "
    "kernel_compiler_timeout_s lapack_path onednn_path openblas_path");
PATCHBAY_DEFINE_PLUGIN("cpu-openblas", "cpu", "0.1", patchbay::cpu::Driver);

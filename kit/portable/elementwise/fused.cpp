// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise/fused.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "kit/expression/nest.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/elementwise/elementwise.hpp"
#include "kit/portable/elementwise/elementwise_text.hpp"

namespace patchbay::portable {
namespace {

using expression::Groups;

/// Half the range of the text's numbers: elements are rounded up to groups of work-items.
constexpr std::int64_t kMostElements = 1 << 30;
constexpr std::uint64_t kGroupItems = 256;
constexpr std::size_t kFew = 32;
/// The bytes of parameters that every compiler takes. NVRTC before 12.1 takes no more, whatever the
/// driver takes.
constexpr std::int64_t kCertainBytes = 4096;

/// The groups of the kernel for few.
std::size_t few_groups_of(const expression::Program& program, Traits traits) {
  traits.argument_bytes = std::min(traits.argument_bytes, kCertainBytes);
  return std::min(kFew, num_groups_of(program, traits));
}

/// A group whose tensors are contiguous.
struct DenseGroup {
  plugin::Arguments tensors;
  std::int64_t num_elements;
};

/// The kernel `groups` of the text, for at most `most` groups, 2 or more.
class GroupsKernel {
 public:
  GroupsKernel(Backend& backend, const expression::Program& program, std::size_t most)
      : has_addresses_(backend.traits().has_addresses),
        most_(most),
        at_once_(
            std::max(vector_of(program, backend.traits()), pack_of(program, backend.traits()))),
        program_(backend.build(groups_text(program, backend.traits(), most))),
        function_(program_("groups")),
        group_items_(std::min(kGroupItems, function_->max_group_size())) {}

  /// 1 to `most` groups.
  void launch(plugin::Stream& stream, std::string_view name, std::span<const DenseGroup> groups,
              plugin::Arguments scalars) const {
    const std::size_t num_tensors = groups[0].tensors.size();
    std::vector<plugin::Memory> memories(num_tensors * most_);  // null for unused groups
    std::vector<std::int32_t> numbers(2 * most_);  // the struct Groups: first, then count
    std::int64_t num_blocks = 0;
    for (std::size_t g = 0; g < most_; ++g) {
      numbers[g] = static_cast<std::int32_t>(num_blocks);
      if (g >= groups.size()) continue;
      for (std::size_t t = 0; t < num_tensors; ++t) {
        memories[t * most_ + g] = groups[g].tensors[t].value.memory;
      }
      numbers[most_ + g] = static_cast<std::int32_t>(groups[g].num_elements);
      num_blocks +=
          pieces(pieces(groups[g].num_elements, at_once_), static_cast<std::int64_t>(group_items_));
    }
    Arguments to;
    add(to, memories);
    for (const patchbay_argument& scalar : scalars) {
      to.bytes(&scalar.value.bits, element_bytes(scalar.dtype));
    }
    to.bytes(numbers.data(), numbers.size() * sizeof(std::int32_t));
    const auto items = static_cast<std::uint64_t>(num_blocks) * group_items_;
    function_->launch(stream, name, {{items, 1, 1}, {group_items_, 1, 1}}, to);
  }

 private:
  void add(Arguments& to, std::span<const plugin::Memory> memories) const {
    if (has_addresses_) {
      to.addresses(memories);
    } else {
      for (const plugin::Memory& memory : memories) to.memory(memory);
    }
  }

  const bool has_addresses_;
  const std::size_t most_;
  const std::int64_t at_once_;  // elements that a work-item computes
  const Program program_;
  const std::unique_ptr<Function> function_;
  const std::uint64_t group_items_;
};

/// Launches contiguous groups together, as many at once as the arguments of a launch allow; others
/// one by one.
class FusedKernel final : public plugin::Kernel {
 public:
  FusedKernel(Backend& backend, const expression::Program& program)
      : backend_(backend),
        program_(program),
        one_(backend, PATCHBAY_FUSED_KERNEL, program),
        few_groups_(few_groups_of(program, backend.traits())),
        most_(num_groups_of(program, backend.traits())) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const Groups groups(program_, arguments);
    if (groups.size() == 1) return one_.launch(stream, arguments, workspace, name);
    const std::string_view shown = name.empty() ? std::string_view(PATCHBAY_FUSED_KERNEL) : name;
    std::vector<DenseGroup> dense;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const expression::Nest nest = expression::nest_of(groups.tensors(g));
      const std::int64_t num_elements = nest.num_elements();
      if (num_elements == 0) continue;
      if (nest.is_dense() && num_elements <= kMostElements && most_ > 1) {
        dense.push_back({groups.tensors(g), num_elements});
      } else {
        launch_one(stream, groups.tensors(g), groups.scalars(), shown);
      }
    }
    for (std::span<const DenseGroup> rest = dense; !rest.empty();) {
      rest = rest.subspan(launch_some(stream, rest, groups.scalars(), shown));
    }
  }

 private:
  void launch_one(plugin::Stream& stream, plugin::Arguments tensors, plugin::Arguments scalars,
                  std::string_view name) {
    std::array<patchbay_argument, expression::kMaxTensors + expression::kMaxScalars> arguments;
    const auto end = std::copy(scalars.begin(), scalars.end(),
                               std::copy(tensors.begin(), tensors.end(), arguments.begin()));
    one_.launch(stream, {arguments.begin(), end}, {}, name);
  }

  /// The first groups, of which one launch takes so many.
  std::span<const DenseGroup> first_of(std::span<const DenseGroup> groups) const {
    std::int64_t num_elements = 0;
    std::size_t count = 0;
    for (; count < std::min(most_.load(), groups.size()); ++count) {
      num_elements += groups[count].num_elements;
      if (num_elements > kMostElements) break;
    }
    return groups.first(count);
  }

  /// Launches as many of the first groups as one launch takes, and returns their number.
  std::size_t launch_some(plugin::Stream& stream, std::span<const DenseGroup> groups,
                          plugin::Arguments scalars, std::string_view name) {
    const std::span<const DenseGroup> first = first_of(groups);
    if (first.size() == 1) {
      launch_one(stream, first[0].tensors, scalars, name);
    } else if (const GroupsKernel* const kernel = kernel_for(first.size())) {
      kernel->launch(stream, name, first, scalars);
    } else {
      return launch_some(stream, groups, scalars, name);
    }
    return first.size();
  }

  /// Compiled when it is first needed. Few groups have a kernel of their own, because all arguments
  /// are copied with each launch. Null if the compiler, which may be older than the driver, takes
  /// only few.
  const GroupsKernel* kernel_for(std::size_t num_groups) {
    const bool are_few = num_groups <= few_groups_;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<const GroupsKernel>& kernel = are_few ? few_ : many_;
    if (kernel != nullptr) return kernel.get();
    try {
      kernel =
          std::make_unique<GroupsKernel>(backend_, program_, are_few ? few_groups_ : most_.load());
    } catch (const plugin::StatusError& error) {
      if (are_few || error.code() != PATCHBAY_BUILD_FAILED) throw;
      most_ = few_groups_;
    }
    return kernel.get();
  }

  Backend& backend_;
  const expression::Program program_;
  ElementwiseKernel one_;
  const std::size_t few_groups_;
  std::atomic<std::size_t> most_;
  std::mutex mutex_;
  std::unique_ptr<const GroupsKernel> few_, many_;
};

class FusedModule final : public plugin::Module {
 public:
  FusedModule(Backend& backend, expression::Program program)
      : backend_(backend), program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    expression::check_kernel(program_, name, arguments);
    return std::make_unique<FusedKernel>(backend_, program_);
  }

 private:
  Backend& backend_;
  const expression::Program program_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_fused(Backend& backend, std::string_view code) {
  expression::Program program = expression::parse(code);
  for (const expression::Value& value : program.values) {
    if (value.dtype != PATCHBAY_F64 || backend.traits().has_f64) continue;
    plugin::unsupported("a fused expression: this device (" + backend.traits().name + ") has no " +
                        dtype_name(value.dtype));
  }
  return std::make_unique<FusedModule>(backend, std::move(program));
}

}  // namespace patchbay::portable

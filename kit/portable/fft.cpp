// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms. A group of work-items has some strips of columns; on CPUs one work-item has
// them. The workspace has the turns, and the memory of each group.
#include "kit/fft.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "kFftText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/item_groups.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kWorkspaceBytes = std::int64_t{16} << 20;

std::string whole_text(std::uint8_t dtype, const Traits& traits) {
  return barriers_of(traits) + alias("T", element_type(dtype)) +
         alias("W", traits.has_f64 ? "f64" : "f32") + define("PAIRS", 1) + define("TABLES", 0) +
         define("EPSILON", 1) + define("LEAST", 1) + std::string(kFftText);
}

class FftKernel final : public plugin::Kernel {
 public:
  FftKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : plan_(spec),
        traits_(backend.traits()),
        element_bytes_(static_cast<std::int64_t>(element_bytes(spec.arguments[0].dtype))),
        program_(backend.build(whole_text(spec.arguments[0].dtype, traits_))),
        turns_(program_("fft_turns")),
        transform_(program_("fft")),
        group_(items_of_group(traits_, *transform_)) {
    if (static_cast<std::uint64_t>(kWorkspaceBytes) > spec.workspace_limit_bytes) {
      plugin::unsupported("fft.1 needs a workspace of 16 MiB");
    }
  }

  std::uint64_t workspace_bytes() const override { return kWorkspaceBytes; }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view given) override {
    FftSizes sizes = plan_.sizes_of(arguments);
    if (sizes.count == 0 || sizes.m == 0) return;
    const std::string_view name = given.empty() ? std::string_view("fft.1") : given;
    constexpr std::int64_t kTurnsBytes = 3 * FftPlan::kMostRows * 16;
    sizes.work_step = FftPlan::work_numbers(sizes);
    const std::int64_t most = (kWorkspaceBytes - kTurnsBytes) / (sizes.work_step * element_bytes_);
    sizes.groups = std::min({most, FftPlan::num_strips(sizes),
                             static_cast<std::int64_t>(std::min<std::uint64_t>(
                                 traits_.most_items, std::numeric_limits<std::int64_t>::max()))});
    const auto groups = static_cast<std::uint64_t>(sizes.groups);
    const std::uint64_t group = groups > traits_.most_items / group_ ? 1 : group_;
    plugin::Memory work = workspace;
    work.offset_bytes += static_cast<std::uint64_t>(kTurnsBytes);
    Arguments turns;
    turns.memory(workspace).memory(workspace).memory(work).value(sizes);
    turns_->launch(stream, name, Grid{{group, 1, 1}, {group, 1, 1}}, turns);
    Arguments to;
    to.memory(arguments[1].value.memory).memory(arguments[0].value.memory);
    to.memory(workspace).memory(workspace).memory(work);
    to.bytes(&arguments[2].value.bits, static_cast<std::size_t>(element_bytes_)).value(sizes);
    transform_->launch(stream, name, Grid{{groups * group, 1, 1}, {group, 1, 1}}, to);
  }

 private:
  const FftPlan plan_;
  const Traits& traits_;
  const std::int64_t element_bytes_;
  const Program program_;
  const std::unique_ptr<Function> turns_, transform_;
  const std::uint64_t group_;
};

}  // namespace

Prepared prepare_fft(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<FftKernel>(backend, spec);
}

}  // namespace patchbay::portable

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <limits>
#include <string>

#include "kDivisorText.text.h"
#include "kGatherText.text.h"
#include "kit/portable/base/divisor.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/lookups.hpp"

namespace patchbay::portable {
namespace {

/// An unsigned type of that size, because the elements are only copied.
std::string_view moved_type(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    default: return "u64";
  }
}

/// A NaN, or 0 for integers and bools.
std::uint64_t missing_bits(std::uint8_t dtype) {
  static_assert(PATCHBAY_SET_FLOATS ==
                (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(F16) | PATCHBAY_BIT(BF16)));
  if (dtype == PATCHBAY_F32)
    return std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN());
  if (dtype == PATCHBAY_F64)
    return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  if (dtype == PATCHBAY_F16) return 0x7e00;
  return dtype == PATCHBAY_BF16 ? 0x7fc0 : 0;
}

std::string gather_text(std::uint8_t dtype, std::uint8_t index, const Traits& traits) {
  return alias("T", moved_type(element_bytes(dtype))) + alias("INDEX", element_type(index)) +
         define("RUN", run_of(traits)) + kDivisorText + kGatherText;
}
/// The kernels' struct of the same name for gather, with operands out, a, index.
struct LookupRun {
  std::int64_t items, extent, step, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[3][PATCHBAY_MAX_RANK];
  Divisor runs, by_shape[PATCHBAY_MAX_RANK];
};
LookupRun lookup_of(plugin::Arguments arguments, int dim, const Traits& traits) {
  const patchbay_argument &out = arguments[0], &a = arguments[1], &index = arguments[2];
  LookupRun run{};
  run.extent = a.shape[dim];
  run.step = a.strides[dim];
  IndexNest nest(3);
  for (int d = 0; d < out.rank; ++d) {
    nest.add(out.shape[d], {out.strides[d], d == dim ? 0 : a.strides[d], index.strides[d]});
  }
  set_nest(run, nest);
  run.items = num_runs(run, traits);
  if (run.items == 0) return run;
  run.runs = divisor_of(pieces(run.shape[run.rank - 1], run_of(traits)), run.items);
  for (std::int64_t d = 0; d < run.rank; ++d) {
    run.by_shape[d] = divisor_of(run.shape[d], run.items);
  }
  return run;
}

/// Arguments: out, a, index.
class GatherKernel final : public plugin::Kernel {
 public:
  GatherKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : traits_(backend.traits()),
        dim_(dim_of(spec)),
        missing_(missing_bits(spec.arguments[0].dtype)),
        element_bytes_(element_bytes(spec.arguments[0].dtype)),
        program_(
            backend.build(gather_text(spec.arguments[0].dtype, spec.arguments[2].dtype, traits_))),
        gather_(program_("gather")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    check_shapes("gather.1", arguments[0], arguments[1], arguments[2], dim_);
    const LookupRun run = lookup_of(arguments, dim_, traits_);
    if (run.items == 0) return;
    Arguments to;
    for (std::size_t k = 0; k < 3; ++k) to.memory(arguments[k].value.memory);
    to.bytes(&missing_, element_bytes_).value(run);
    gather_->launch(stream, name.empty() ? "gather.1" : name, grid_of(run.items, traits_, *gather_),
                    to);
  }

 private:
  const Traits& traits_;
  const int dim_;
  const std::uint64_t missing_;  // the bits of what is not there
  const std::size_t element_bytes_;
  const Program program_;
  const std::unique_ptr<Function> gather_;
};

}  // namespace

Prepared prepare_gather(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<GatherKernel>(backend, spec);
}

}  // namespace patchbay::portable

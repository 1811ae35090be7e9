// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kCumsumText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/dtypes.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kBlock = 128;  // cumsum.1 says so

/// The text's struct of the same name.
struct Run {
  std::int64_t lines = 1, count, blocks, reverse, out_step, a_step, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK], strides[2][PATCHBAY_MAX_RANK];
};

Run run_of(const patchbay_argument& out, const patchbay_argument& a, int dim,
           std::int64_t reverse) {
  LoopNest<2> nest(2);
  for (int d = 0; d < a.rank; ++d) {
    if (d != dim) nest.add(a.shape[d], {out.strides[d], a.strides[d]});
  }
  nest.collapse();
  const std::int64_t count = a.shape[dim];
  Run run{1,  count, pieces(count, kBlock), reverse, out.strides[dim], a.strides[dim], nest.rank,
          {}, {}};
  for (int d = 0; d < nest.rank; ++d) {
    run.lines *= nest.shape[d];
    run.shape[d] = nest.shape[d];
    for (int k = 0; k < 2; ++k) run.strides[k][d] = nest.strides[k][d];
  }
  return run;
}

std::string text_of(std::uint8_t dtype) {
  return alias("T", element_type(dtype)) + alias("W", wrapping_type(dtype)) +
         define("BLOCK", kBlock) + kCumsumText;
}

/// Arguments: out, a. Without more than one block the first of three functions is enough.
class CumsumKernel final : public plugin::Kernel {
 public:
  CumsumKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : dim_(static_cast<int>(plugin::Attributes(spec).integer("dim"))),
        reverse_(plugin::Attributes(spec).integer("reverse")),
        program_(backend.build(text_of(spec.arguments[0].dtype))),
        sum_blocks_(program_("sum_blocks")),
        add_up_(program_("add_up")),
        add_before_(program_("add_before")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const patchbay_argument &out = arguments[0], &a = arguments[1];
    if (dim_ >= a.rank || a.rank != out.rank || !std::equal(a.shape, a.shape + a.rank, out.shape)) {
      plugin::invalid_argument("cumsum.1: expected dim and equal shapes");
    }
    const Run run = run_of(out, a, dim_, reverse_);
    if (run.lines * run.count == 0) return;
    const std::string_view shown = name.empty() ? "cumsum.1" : name;
    const auto start = [&](Function& function, std::int64_t items, const Arguments& to) {
      const std::uint64_t group = std::min<std::uint64_t>(64, function.max_group_size());
      function.launch(stream, shown, {{static_cast<std::uint64_t>(items), 1, 1}, {group, 1, 1}},
                      to);
    };
    Arguments both, result;
    both.memory(out.value.memory).memory(a.value.memory).value(run);
    start(*sum_blocks_, run.lines * run.blocks, both);
    if (run.blocks == 1) return;
    result.memory(out.value.memory).value(run);
    start(*add_up_, run.lines, result);
    start(*add_before_, run.lines * (run.blocks - 1), result);
  }

 private:
  const int dim_;
  const std::int64_t reverse_;
  const Program program_;
  const std::unique_ptr<Function> sum_blocks_, add_up_, add_before_;
};

}  // namespace

Prepared prepare_cumsum(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<CumsumKernel>(backend, spec);
}

}  // namespace patchbay::portable

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "kRandomText.text.h"
#include "kit/loop_nest.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::uint64_t kGroupItems = 256;
constexpr std::size_t kNumFixed = 4;  // out, seed, offset, base
constexpr std::size_t kMostParameters = 3;

/// The kernel's struct of the same name.
struct Run {
  std::int64_t items, per_block, first, skipped, count, seed, offset, rank;
  std::int64_t shape[PATCHBAY_MAX_RANK], strides[PATCHBAY_MAX_RANK];
};

/// Parameters have the dtype of the elements, or are 64-bit integers.
std::uint8_t parameter_dtype(std::uint8_t out) {
  return is_float(out) ? out : std::uint8_t{PATCHBAY_I64};
}

std::string whole_text(std::string_view op, std::uint8_t out, const Traits& traits) {
  const bool is_wide = out == PATCHBAY_F64;
  const auto flag = [&](std::string_view other) { return op == other ? 1 : 0; };
  const std::uint8_t parameter = parameter_dtype(out);
  std::string text = conversions_of(out, traits) + alias("OUT", value_type(out)) +
                     alias("STORED", element_type(out)) +
                     alias("PARAMETER", value_type(parameter)) +
                     alias("STORED_PARAMETER", element_type(parameter)) +
                     define("LOAD(parameter)", loaded(parameter, "parameter")) +
                     define("STORE(value)", stored(out, "value"));
  text += define("OUT_IS_F64", is_wide ? 1 : 0) + define("REAL_IS_F64", is_wide ? 1 : 0);
  text += define("REAL", is_wide ? "f64" : "f32");
  text += define("IS_UNIFORM", flag("uniform.1")) + define("IS_NORMAL", flag("normal.1")) +
          define("IS_INTEGERS", flag("integers.1")) + define("IS_MASK", flag("mask.1"));
  const bool varies = op == "integers.1" && out == PATCHBAY_I64;
  const std::string_view fixed = is_wide ? "2" : "4";
  text += define("PER_BLOCK", varies ? "run.per_block" : fixed);
  return text + kRandomText;
}

/// Keeps row-major order, in which elements are counted.
LoopNest<1> nest_of(const patchbay_argument& out) {
  LoopNest<1> nest(1);
  for (int d = 0; d < out.rank; ++d) nest.add(out.shape[d], {out.strides[d]});
  nest.merge();
  nest.pad(1);
  return nest;
}

std::int64_t bits_of(const patchbay_argument& scalar) {
  return static_cast<std::int64_t>(scalar.value.bits);
}

/// Arguments: out, seed, offset, base, then the distribution's parameters.
class RandomKernel final : public plugin::Kernel {
 public:
  RandomKernel(Backend& backend, std::string name, std::uint8_t out)
      : name_(std::move(name)),
        out_(out),
        program_(backend.build(whole_text(name_, out, backend.traits()))),
        function_(program_("elements")) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const LoopNest<1> nest = nest_of(arguments[0]);
    Run run{};
    run.count = nest.num_elements();
    if (run.count == 0) return;
    const std::int64_t base = bits_of(arguments[3]);
    run.per_block = elements_of_a_block(arguments);
    run.first = base / run.per_block;
    run.skipped = base % run.per_block;
    run.items = pieces(run.skipped + run.count, run.per_block);
    run.seed = bits_of(arguments[1]);
    run.offset = bits_of(arguments[2]);
    run.rank = nest.rank;
    for (int d = 0; d < nest.rank; ++d) {
      run.shape[d] = nest.shape[d];
      run.strides[d] = nest.strides[0][d];
    }
    Arguments to;
    to.memory(arguments[0].value.memory);
    const std::size_t parameter_bytes = element_bytes(parameter_dtype(out_));
    const std::uint64_t nothing = 0;
    for (std::size_t k = kNumFixed; k < kNumFixed + kMostParameters; ++k) {
      to.bytes(k < arguments.size() ? &arguments[k].value.bits : &nothing, parameter_bytes);
    }
    to.value(run);
    const Grid grid{{static_cast<std::uint64_t>(run.items), 1, 1},
                    {std::min(kGroupItems, function_->max_group_size()), 1, 1}};
    function_->launch(stream, name.empty() ? std::string_view(name_) : name, grid, to);
  }

 private:
  std::int64_t elements_of_a_block(plugin::Arguments arguments) const {
    const bool is_wide = name_ == "integers.1" && out_ == PATCHBAY_I64 &&
                         arguments[kNumFixed + 1].value.bits > std::uint64_t{1} << 32;
    return is_wide || out_ == PATCHBAY_F64 ? 2 : 4;
  }

  const std::string name_;
  const std::uint8_t out_;
  const Program program_;
  const std::unique_ptr<Function> function_;
};

}  // namespace

Prepared prepare_random(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  if (name == "permutation.1") return prepare_permutation(backend);
  return std::make_unique<RandomKernel>(backend, std::string(name), spec.arguments[0].dtype);
}

}  // namespace patchbay::portable

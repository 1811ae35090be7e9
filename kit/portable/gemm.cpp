// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kGemmText.text.h"
#include "kit/portable/base/gemm_problem.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kLargestTile = 16;
/// How many times as fast the large form is, at least, on a device that it fills: a term costs it
/// 1/4 of a read of shared memory (1/2 for 64 bits), and two in the form of single elements.
constexpr std::int64_t kGain = 4;

/// Along each axis of the large form's work-items. Their sums take 64 or 32 registers of 32 bits.
std::int64_t most_elements(std::uint8_t dtype) { return element_bytes(dtype) > 4 ? 4 : 8; }

std::string whole_text(std::uint8_t dtype, std::int64_t tile, std::int64_t elements,
                       const Traits& traits) {
  return conversions_of(dtype, traits) + gemm_definitions(dtype) +
         define("IS_FLOAT", is_integer(dtype) ? 0 : 1) + define("TILE", tile) +
         define("ITEM_ROWS", elements) + define("ITEM_COLUMNS", elements) +
         define("DEPTH", elements > 1 ? pieces(tile, 2) : tile) + kGemmText;
}

/// A compiled form of the text. A work-item computes `elements` x `elements` of the result.
class Form {
 public:
  Form(const Backend& backend, std::uint8_t dtype, std::int64_t elements)
      : elements_(elements), tile_(2 * kLargestTile) {
    // The largest group is known only after the kernel is compiled.
    do {
      tile_ /= 2;
      gemm_.reset();
      program_ = backend.build(whole_text(dtype, tile_, elements, backend.traits()));
      gemm_ = program_("gemm");
    } while (tile_ > 1 && static_cast<std::uint64_t>(tile_ * tile_) > gemm_->max_group_size());
  }

  void launch(plugin::Stream& stream, std::string_view name, const GemmSizes& sizes,
              const Arguments& arguments) const {
    const std::int64_t side = tile_ * elements_;
    const auto tile = static_cast<std::uint64_t>(tile_);
    const auto blocks =
        static_cast<std::uint64_t>(pieces(sizes.m, side) * pieces(sizes.n, side) * sizes.count);
    gemm_->launch(stream, name, Grid{{blocks * tile, tile, 1}, {tile, tile, 1}}, arguments);
  }

 private:
  const std::int64_t elements_;
  std::int64_t tile_;  // work-items along a group's side
  Program program_;
  std::unique_ptr<Function> gemm_;
};

/// Multiplies by tiles in shared memory. A work-item of a large result has a block of sums in its
/// registers, so that it reads less of shared memory. The bits do not depend on that.
class GemmKernel final : public plugin::Kernel {
 public:
  GemmKernel(const Backend& backend, std::uint8_t dtype)
      : backend_(backend), dtype_(dtype), small_(backend, dtype, 1) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const std::size_t bytes = element_bytes(dtype_);
    for (const GemmProblem& problem : gemm_problems(arguments)) {
      const GemmSizes& sizes = problem.sizes;
      Arguments to;
      to.memory(problem.out).memory(problem.a).memory(problem.b);
      to.bytes(&arguments[3].value.bits, bytes).bytes(&arguments[4].value.bits, bytes);
      to.value(sizes);
      const Form& form = is_large(sizes) ? large() : small_;
      form.launch(stream, name.empty() ? "gemm.1" : name, sizes, to);
    }
  }

 private:
  /// Whether larger blocks pay, though they may reach beyond the result and leave compute units
  /// without work.
  bool is_large(const GemmSizes& sizes) const {
    const std::int64_t side = kLargestTile * most_elements(dtype_);
    const std::int64_t units = std::max<std::int64_t>(backend_.traits().compute_units, 1);
    const std::int64_t blocks = pieces(sizes.m, side) * pieces(sizes.n, side) * sizes.count;
    const std::int64_t rounds = pieces(blocks, units);
    const auto elements = static_cast<double>(sizes.m) * static_cast<double>(sizes.n) *
                          static_cast<double>(sizes.count);
    return static_cast<double>(rounds * units) * static_cast<double>(side * side) <=
           kGain * elements;
  }

  const Form& large() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (large_ == nullptr) {
      large_ = std::make_unique<const Form>(backend_, dtype_, most_elements(dtype_));
    }
    return *large_;
  }

  const Backend& backend_;
  const std::uint8_t dtype_;
  const Form small_;
  std::mutex mutex_;
  std::unique_ptr<const Form> large_;  // built when it is needed
};

}  // namespace

Prepared prepare_gemm(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::uint8_t dtype = check_gemm({spec.arguments, spec.num_arguments}, backend.traits());
  return std::make_unique<GemmKernel>(backend, dtype);
}

}  // namespace patchbay::portable

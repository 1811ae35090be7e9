// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/lowering.hpp"

#include <algorithm>
#include <string>

#include "kLoweringText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/gemm_problem.hpp"
#include "kit/portable/base/text.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kMost = 0x7fff0000;  // leaves room for the items that fill the last group

/// The text's structs of the same names.
struct Windows {
  std::int32_t extent, windows, size, stride, padding, dilation;
};
struct Sizes {
  std::int32_t images, channels;
  Windows h, w;
};

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

Windows windows_of(const WindowAxis& axis) {
  return {narrow(axis.extent), narrow(axis.windows), narrow(axis.kernel),
          narrow(axis.stride), narrow(axis.padding), narrow(axis.dilation)};
}

Sizes sizes_of(const Convolution& of) {
  return {narrow(of.images), narrow(of.channels), windows_of(of.h), windows_of(of.w)};
}

std::string text_of(std::uint8_t dtype, const Traits& traits) {
  return conversions_of(dtype, traits) + gemm_definitions(dtype) + kLoweringText;
}

Grid grid_of(std::int64_t items, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min<std::uint64_t>(256, function.max_group_size()), 1, 1}};
}

/// Whether a product of positive numbers is small enough.
template <class... Factors>
bool is_small(Factors... factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : {static_cast<std::int64_t>(factors)...}) {
    if (factor != 0 && product > kMost / factor) return false;
    product *= factor;
  }
  return true;
}

bool is_small_axis(const WindowAxis& axis) {
  return is_small(axis.stride) && is_small(axis.padding) && is_small(axis.dilation) &&
         is_small(axis.windows, axis.stride) && is_small(axis.kernel, axis.dilation) &&
         axis.extent + 2 * axis.padding + axis.kernel * axis.dilation < kMost;
}

}  // namespace

Lowering::Lowering(Backend& backend, std::uint8_t dtype)
    : program_(backend.build(text_of(dtype, backend.traits()))),
      columns_(program_("columns")),
      images_(program_("images")),
      swap_(program_("swap")),
      round_sums_(program_("round_sums")) {}

bool Lowering::fits(const Convolution& of) {
  return is_small_axis(of.h) && is_small_axis(of.w) &&
         is_small(of.images, of.channels, of.h.extent, of.w.extent) &&
         is_small(of.images, of.filters, of.h.windows, of.w.windows) &&
         is_small(of.filters, of.group_channels(), of.h.kernel, of.w.kernel) &&
         is_small(of.images, of.places(), of.channels, of.h.kernel, of.w.kernel);
}

void Lowering::columns(const Launch& launch, const Convolution& of, plugin::Memory out,
                       plugin::Memory images) const {
  Arguments to;
  to.memory(out).memory(images).value(sizes_of(of));
  columns_->launch(launch.stream, launch.name,
                   grid_of(of.images * of.places() * of.channels, *columns_), to);
}

void Lowering::images(const Launch& launch, const Convolution& of, plugin::Memory out,
                      plugin::Memory columns) const {
  Arguments to;
  to.memory(out).memory(columns).value(sizes_of(of));
  images_->launch(launch.stream, launch.name,
                  grid_of(of.images * of.channels * of.pixels(), *images_), to);
}

void Lowering::swap(const Launch& launch, std::int64_t m, std::int64_t n, std::int64_t k,
                    plugin::Memory out, plugin::Memory a) const {
  Arguments to;
  to.memory(out).memory(a).value(narrow(m)).value(narrow(n)).value(narrow(k));
  swap_->launch(launch.stream, launch.name, grid_of(m * n * k, *swap_), to);
}

void Lowering::round_sums(const Launch& launch, std::int64_t count, plugin::Memory out,
                          plugin::Memory sums) const {
  Arguments to;
  to.memory(out).memory(sums).value(narrow(count));
  round_sums_->launch(launch.stream, launch.name, grid_of(count, *round_sums_), to);
}

}  // namespace patchbay::portable

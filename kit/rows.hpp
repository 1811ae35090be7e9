// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The sizes of softmax and of normalization, checked once for every backend. The texts of
// portable/texts have the same structs.
#ifndef PATCHBAY_KIT_ROWS_HPP_
#define PATCHBAY_KIT_ROWS_HPP_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay {

/// Whether the tensor has this shape and is contiguous, which one without elements always is.
inline bool is_plain(const patchbay_argument& tensor, std::initializer_list<std::int64_t> shape) {
  if (tensor.rank != shape.size()) return false;
  const std::int64_t* const extents = shape.begin();
  std::int64_t expected = 1;
  bool is_contiguous = true;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.shape[d] != extents[d]) return false;
    is_contiguous = is_contiguous && (extents[d] == 1 || tensor.strides[d] == expected);
    expected *= extents[d];
  }
  return is_contiguous || expected == 0;
}

/// Softmax along the middle one of three dimensions.
struct Slices {
  std::int64_t outer = 0, n = 0, inner = 0;

  std::int64_t num_elements() const { return outer * n * inner; }
};

/// Throws invalid_argument unless all tensors are contiguous and of one shape of rank 3.
inline Slices slices_of(std::string_view op, plugin::Arguments tensors) {
  const patchbay_argument& out = tensors[0];
  const Slices sizes{out.shape[0], out.shape[1], out.shape[2]};
  bool fits = out.rank == 3 && (sizes.n > 0 || sizes.outer * sizes.inner == 0);
  for (const patchbay_argument& tensor : tensors) {
    fits = fits && is_plain(tensor, {sizes.outer, sizes.n, sizes.inner});
  }
  if (!fits) {
    plugin::invalid_argument(std::string(op) +
                             ": expected contiguous tensors of one shape of rank 3");
  }
  return sizes;
}

/// Normalization of [s, g, e, o]: statistics for each [s, g], with batch for each g; weights for
/// each [g, e].
struct Normalization {
  std::int64_t s = 0, g = 0, e = 0, o = 0;
  std::int64_t batch = 0, centered = 1;

  std::int64_t num_elements() const { return s * g * e * o; }
  std::int64_t num_statistics() const { return batch != 0 ? g : s * g; }
  /// The elements of one statistic.
  std::int64_t num_each() const { return batch != 0 ? s * e * o : e * o; }
};

class NormalizationPlan {
 public:
  explicit NormalizationPlan(const patchbay_kernel_spec& spec) : op_(plugin::from_abi(spec.op)) {
    const plugin::Attributes given(spec);
    if (op_ != "normalize_weight.1") plan_.centered = given.integer("centered");
    if (op_ != "normalize_input.1") plan_.batch = given.integer("batch");
  }

  const std::string& op() const { return op_; }

  /// The sizes of a launch. Throws invalid_argument unless the shapes of its arguments fit.
  Normalization of(plugin::Arguments arguments) const {
    const Roles& roles = roles_of_arguments();
    const auto whole = static_cast<std::size_t>(
        std::find(roles.rbegin(), roles.rend(), Role::kWhole) - roles.rbegin());
    const patchbay_argument& images = arguments[roles.size() - 1 - whole];
    if (images.rank != 4) refuse();
    Normalization sizes = plan_;
    sizes.s = images.shape[0];
    sizes.g = images.shape[1];
    sizes.e = images.shape[2];
    sizes.o = images.shape[3];
    bool fits = sizes.batch == 0 || sizes.e == 1;
    for (std::size_t i = 0; i < roles.size(); ++i) {
      fits = fits && fits_role(arguments[i], roles[i], sizes);
    }
    if (!fits) refuse();
    return sizes;
  }

 private:
  /// kWeight: a tensor, or one number. The last argument, epsilon, has no shape.
  enum class Role { kWhole, kStatistic, kWeight };
  using Roles = std::array<Role, 6>;

  const Roles& roles_of_arguments() const {
    using enum Role;
    static constexpr Roles kForward{kWhole, kStatistic, kStatistic, kWhole, kWeight, kWeight};
    static constexpr Roles kInput{kWhole, kWhole, kWhole, kStatistic, kStatistic, kWeight};
    static constexpr Roles kOfWeight{kWeight, kWeight, kWhole, kWhole, kStatistic, kStatistic};
    return op_ == "normalize.1" ? kForward : op_ == "normalize_input.1" ? kInput : kOfWeight;
  }
  static bool fits_role(const patchbay_argument& argument, Role role, const Normalization& sizes) {
    switch (role) {
      case Role::kWhole: return is_plain(argument, {sizes.s, sizes.g, sizes.e, sizes.o});
      case Role::kStatistic: return is_plain(argument, {sizes.batch != 0 ? 1 : sizes.s, sizes.g});
      case Role::kWeight:
        return argument.kind != PATCHBAY_TENSOR || is_plain(argument, {sizes.g, sizes.e});
    }
    return false;
  }
  [[noreturn]] void refuse() const {
    plugin::invalid_argument(op_ + ": the shapes of the arguments do not fit each other");
  }

  const std::string op_;
  Normalization plan_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_ROWS_HPP_

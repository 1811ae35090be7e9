// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the constructors of layers share.
#ifndef PATCHBAY_CORE_NN_LAYERS_SIZES_H_
#define PATCHBAY_CORE_NN_LAYERS_SIZES_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "patchbay/nn/module.h"
#include "patchbay/nn/parameter.h"
#include "patchbay/shape.h"

namespace patchbay::nn::layers {

/// Errors: kInvalidArgument if the size is less than `least`: "[Linear] a wrong size: ...".
std::int64_t checked_size(std::string_view layer, std::string_view name, std::int64_t size,
                          std::int64_t least = 0);

/// Errors: kInvalidArgument for an undefined operand of the layer.
void check_defined(const Module& layer, const char* name, const Tensor& operand);

/// Gives the parameter a tensor of this shape where and as it is to be, with values by `fill`.
void create_parameter(const Parameter& parameter, const Shape& shape,
                      const std::function<void(const Tensor&)>& fill);

/// Fills with values that are uniform in +-1 / sqrt(fan), 0 if the fan is 0.
std::function<void(const Tensor&)> uniform_in(std::int64_t fan);
/// create_parameter with these values.
void create_uniform(const Parameter& parameter, const Shape& shape, std::int64_t fan);

/// A parameter that a layer has to have.
struct Wanted {
  const char* name;
  Parameter parameter;
  Shape shape;
  std::function<void(const Tensor&)> fill;
};
/// create_parameter for those that have no tensor yet: for all of them, or for none on an error.
/// Errors, before anything is made: kShapeMismatch if one has a tensor of another shape.
void create_missing(std::string_view layer, const std::vector<Wanted>& all);

/// The parameter's tensor, undefined if it has none.
Tensor tensor_of(const Parameter& parameter);

}  // namespace patchbay::nn::layers

#endif  // PATCHBAY_CORE_NN_LAYERS_SIZES_H_

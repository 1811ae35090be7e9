// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/pooling.h"

#include "core/nn/layers/details.h"

namespace patchbay::nn {

using layers::both;
using layers::settings_text;
using layers::text_of;

std::string MaxPool2d::details() const {
  return text_of(kernel_) +
         settings_text(options_.stride.value_or(kernel_), options_.padding, options_.dilation);
}

std::string AvgPool2d::details() const {
  return text_of(kernel_) + settings_text(options_.stride.value_or(kernel_), options_.padding, 1);
}

std::string AdaptiveMaxPool2d::details() const { return text_of(size_); }

std::string AdaptiveAvgPool2d::details() const { return text_of(size_); }

std::string MaxPool1d::details() const {
  return std::to_string(kernel_) + settings_text(both(options_.stride.value_or(kernel_)),
                                                 both(options_.padding), both(options_.dilation));
}

std::string AvgPool1d::details() const {
  return std::to_string(kernel_) +
         settings_text(both(options_.stride.value_or(kernel_)), both(options_.padding), 1);
}

std::string AdaptiveMaxPool1d::details() const { return std::to_string(size_); }

std::string AdaptiveAvgPool1d::details() const { return std::to_string(size_); }

}  // namespace patchbay::nn

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the user has chosen by settings.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CHOICES_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CHOICES_HPP_

#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::cuda {

/// Read when the plugin is opened, so that a wrong value is known at once.
struct Choices {
  enum class Convolutions { kAuto, kOwn, kDnn, kWinograd };

  /// Throws invalid argument for a value that a setting does not have.
  explicit Choices(plugin::Host host)
      : uses_tf32(plugin::is_on(host, "cuda_tf32")),
        convolutions(plugin::choice_of(host, "cuda_convolutions", kConvolutions)),
        has_dnn_attention(plugin::choice_of(host, "cuda_attention", kAttention)) {}

  /// Whether products of f32 may round their operands to 10 bits of fraction.
  bool uses_tf32;
  Convolutions convolutions;
  bool has_dnn_attention;

 private:
  static constexpr std::pair<std::string_view, Convolutions> kConvolutions[] = {
      {"auto", Convolutions::kAuto},
      {"own", Convolutions::kOwn},
      {"cudnn", Convolutions::kDnn},
      {"winograd", Convolutions::kWinograd}};
  static constexpr std::pair<std::string_view, bool> kAttention[] = {{"auto", true},
                                                                     {"own", false}};
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CHOICES_HPP_

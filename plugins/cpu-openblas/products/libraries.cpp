// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/libraries.hpp"

#include <string>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/simd/selection/selection.hpp"
#include "cpu-openblas/threads/setting.hpp"
#include "kit/machine/subnormals.hpp"

namespace patchbay::cpu {
namespace {

constexpr int kMostPackedMb = 1'000'000;

/// The most bytes of packed operands that are kept.
std::uint64_t packed_bytes(plugin::Host host) {
  const std::string wish = host.option("cpu_packed_mb").value_or("64");
  const int megabytes = parse_setting("cpu_packed_mb", wish, 0, kMostPackedMb);
  return static_cast<std::uint64_t>(megabytes) * 1'000'000;
}

}  // namespace

Libraries::Libraries(plugin::Host host, const std::string& processor, std::int64_t cache_bytes)
    : host_(host),
      simd_(choose_simd_table(host.option("cpu_simd"))),
      cache_bytes_(cache_bytes),
      packed_(packed_bytes(host)) {
  choose_products(processor);
  choose_convolutions();
}

void Libraries::choose_products(const std::string& processor) {
  const std::string wish = host_.option("cpu_products").value_or("auto");
  if (wish != "auto" && wish != "own" && wish != "openblas") {
    plugin::refuse_setting("cpu_products", "auto, own or openblas", wish);
  }
  description_ = std::string(simd_.name) + ", own products";
  if (wish == "own") return;
  if (wish == "auto" && simd_.has_fast_products) {
    // OpenBLAS would use all instructions of the processor, and its own threads as they are.
    const bool is_limited = host_.option("cpu_simd").has_value() || host_.lent_threads() != 0 ||
                            Subnormals::wanted(host_).flushes();
    if (!is_limited) faster_blas_.emplace(host_, processor + ", " + simd_.name, blas_gate_);
    return;
  }
  std::string why;
  blas_ = Blas::open(host_.option("openblas_path"), why);
  if (blas_ != nullptr) {
    description_ = std::string(simd_.name) + ", products by " + blas_->name();
    return;
  }
  description_ += " (no OpenBLAS)";
  host_.log(PATCHBAY_LOG_WARNING,
            "OpenBLAS can't be used (" + why +
                "), so the plugin's own loops multiply matrices. Install libopenblas0-pthread, set "
                "openblas_path, or set cpu_products to own.");
}

void Libraries::choose_convolutions() {
  static constexpr std::pair<std::string_view, ConvolutionChoice> kChoices[] = {
      {"auto", ConvolutionChoice::kAuto},
      {"own", ConvolutionChoice::kOwn},
      {"onednn", ConvolutionChoice::kOneDnn},
      {"winograd", ConvolutionChoice::kWinograd}};
  convolutions_ = plugin::choice_of(host_, "cpu_convolutions", kChoices);
}

const OneDnn* Libraries::onednn() {
  std::call_once(onednn_once_, [this] {
    // oneDNN would use all instructions of the processor.
    const bool is_limited = host_.option("cpu_simd").has_value();
    const bool is_asked_for = convolutions_ == ConvolutionChoice::kOneDnn;
    if (convolutions_ == ConvolutionChoice::kOwn || (is_limited && !is_asked_for)) return;
    const std::optional<std::string> path = host_.option("onednn_path");
    std::string why;
    onednn_ = OneDnn::open(path, why);
    if (onednn_ != nullptr) {
      host_.log(PATCHBAY_LOG_INFO, "convolutions by " + onednn_->name());
    } else if (path || is_asked_for) {
      host_.log(PATCHBAY_LOG_WARNING,
                "oneDNN can't be used (" + why +
                    "), so the plugin's own loops compute convolutions. Install libdnnl2, set "
                    "onednn_path, or set cpu_convolutions to own.");
    }
  });
  return onednn_.get();
}

}  // namespace patchbay::cpu

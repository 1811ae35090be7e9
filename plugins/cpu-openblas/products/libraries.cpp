// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/libraries.hpp"

#include <string>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/simd/selection/selection.hpp"
#include "cpu-openblas/threads/setting.hpp"
#include "cpu-openblas/threads/topology.hpp"
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
  const std::string products = choose_products(processor);
  description_ = std::string(simd_.name) + choose_lapack() + ", " + products;
  choose_convolutions();
}

/// Returns what multiplies.
std::string Libraries::choose_products(const std::string& processor) {
  const std::string wish = host_.option("cpu_products").value_or("auto");
  if (wish != "auto" && wish != "own" && wish != "openblas") {
    plugin::refuse_setting("cpu_products", "auto, own or openblas", wish);
  }
  const std::string own = "own products";
  if (wish == "own") return own;
  // Libraries would use all instructions of the processor, and their own threads as they are.
  const bool is_limited = host_.option("cpu_simd").has_value() || host_.lent_threads() != 0 ||
                          Subnormals::wanted(host_).flushes();
  takes_lapack_ = !is_limited;
  if (wish == "auto" && simd_.has_fast_products) {
    if (!is_limited) faster_blas_.emplace(host_, processor + ", " + simd_.name, blas_gate_);
    return own;
  }
  std::string why;
  blas_ = Blas::open(host_.option("openblas_path"), why);
  if (blas_ != nullptr) return "products by " + blas_->name();
  host_.log(PATCHBAY_LOG_WARNING,
            "OpenBLAS can't be used (" + why +
                "), so the plugin's own loops multiply matrices. Install libopenblas0-pthread, set "
                "openblas_path, or set cpu_products to own.");
  return own + " (no OpenBLAS)";
}

/// Returns ", LAPACK of <file>", ", no LAPACK", or "" if none is wanted.
std::string Libraries::choose_lapack() {
  lapack_path_ = host_.option("lapack_path");
  if (lapack_path_) takes_lapack_ = true;
  lapack_file_ = find_lapack();
  if (!lapack_file_.empty())
    return ", LAPACK of " + lapack_file_.substr(lapack_file_.rfind('/') + 1);
  return takes_lapack_ || blas_ != nullptr ? ", no LAPACK" : "";
}

std::string Libraries::find_lapack() {
  if (lapack_path_) return is_installed(*lapack_path_) ? *lapack_path_ : "";
  std::string file;
  if (blas_ != nullptr) {
    if (blas_->lapack.dsyevd != nullptr) file = blas_->file();
  } else if (faster_blas_) {
    file = Blas::find(host_.option("openblas_path"));
  }
  if (file.empty() && takes_lapack_ && is_installed(Lapack::kFile)) file = Lapack::kFile;
  return file;
}

bool Libraries::has_threaded_lapack(int num_threads) const {
  if (lapack_file_.empty() || lapack_path_ || lapack_file_ == Lapack::kFile) return false;
  return blas_ != nullptr || num_threads == static_cast<int>(allowed_cores().size());
}

const Lapack* Libraries::lapack() {
  std::call_once(lapack_once_, [this] {
    if (!takes_lapack_) return;
    std::string why;
    lapack_ = Lapack::open(lapack_path_.value_or(Lapack::kFile), why);
    if (lapack_ != nullptr) return;
    host_.log(lapack_path_ ? PATCHBAY_LOG_WARNING : PATCHBAY_LOG_DEBUG,
              "LAPACK can't be used (" + why +
                  "), so the plugin's own loops compute eigenvalues and singular values. Install "
                  "libopenblas0-pthread or liblapack3, or set lapack_path.");
  });
  return lapack_.get();
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

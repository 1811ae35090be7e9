// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/fashion_mnist.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <patchbay/error.h>

#include "examples/common/idx.h"
#include "examples/common/text.h"

namespace examples {
namespace {

constexpr int kMaxLabel = 9;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw patchbay::Error(patchbay::ErrorCode::kInvalidArgument,
                        fmt::format("[load_fashion_mnist] {} {}.", in_quotes(file.string()), what));
}

LabelledImages load(const std::filesystem::path& folder, const std::string& part) {
  const auto images_file = folder / (part + "-images-idx3-ubyte.gz");
  const auto labels_file = folder / (part + "-labels-idx1-ubyte.gz");
  IdxArray images = read_idx(images_file, 3);
  IdxArray labels = read_idx(labels_file, 1);
  if (images.dims[0] == 0) fail(images_file, "holds no images");
  if (images.dims[1] != 28 || images.dims[2] != 28) {
    fail(images_file, fmt::format("has images of the wrong size: expected 28 x 28, got {} x {}",
                                  images.dims[1], images.dims[2]));
  }
  if (labels.dims[0] != images.dims[0]) {
    fail(labels_file, fmt::format("does not belong to the images: expected {} labels, got {}",
                                  images.dims[0], labels.dims[0]));
  }
  const auto bad = std::find_if(labels.values.begin(), labels.values.end(),
                                [](std::uint8_t label) { return label > kMaxLabel; });
  if (bad != labels.values.end()) {
    fail(labels_file, fmt::format("has a bad label: expected 0 to {}, got {} at {}", kMaxLabel,
                                  *bad, bad - labels.values.begin()));
  }
  return {images.dims[0], std::move(images.values), std::move(labels.values)};
}

}  // namespace

FashionMnist load_fashion_mnist(const std::filesystem::path& folder) {
  try {
    return {load(folder, "train"), load(folder, "t10k")};
  } catch (const patchbay::Error& error) {
    throw patchbay::Error(error.code(),
                          fmt::format("{} To get the files: apt-get install dataset-fashion-mnist "
                                      "(with --reinstall if they are damaged).",
                                      error.what()));
  }
}

}  // namespace examples

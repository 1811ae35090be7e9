// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/fashion_mnist.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <patchbay/nn/arrays.h>
#include <patchbay/patchbay.h>

#include "examples/common/text.h"

namespace examples {
namespace {

using patchbay::DType;
using patchbay::Shape;
using patchbay::Tensor;

constexpr int kMaxLabel = 9;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw patchbay::Error(patchbay::ErrorCode::kInvalidArgument,
                        fmt::format("[load_fashion_mnist] {} {}.", in_quotes(file.string()), what));
}

/// The u8 elements of a file with this shape, whose first extent may be any if it is -1.
Tensor read(const std::filesystem::path& file, Shape expected) {
  const Tensor array = patchbay::nn::read_idx(file);
  const std::string wanted = expected[0] < 0 ? "[n, 28, 28]" : patchbay::to_string(expected);
  if (expected[0] < 0 && array.rank() > 0) expected[0] = array.size(0);
  if (array.dtype() != DType::u8 || array.shape() != expected) {
    fail(file, fmt::format("is another array: expected u8 {}, got {} {}", wanted,
                           patchbay::to_string(array.dtype()), patchbay::to_string(array.shape())));
  }
  return array;
}

std::vector<std::uint8_t> elements_of(const Tensor& array) {
  const auto* const begin = array.data<std::uint8_t>();
  return {begin, begin + array.num_elements()};
}

LabelledImages load(const std::filesystem::path& folder, const std::string& part) {
  const auto images_file = folder / (part + "-images-idx3-ubyte.gz");
  const auto labels_file = folder / (part + "-labels-idx1-ubyte.gz");
  const Tensor images = read(images_file, {-1, 28, 28});
  const std::int64_t count = images.size(0);
  if (count == 0) fail(images_file, "holds no images");
  LabelledImages result{count, elements_of(images), elements_of(read(labels_file, {count}))};
  const auto bad = std::find_if(result.labels.begin(), result.labels.end(),
                                [](std::uint8_t label) { return label > kMaxLabel; });
  if (bad != result.labels.end()) {
    fail(labels_file, fmt::format("has a bad label: expected 0 to {}, got {} at {}", kMaxLabel,
                                  *bad, bad - result.labels.begin()));
  }
  return result;
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

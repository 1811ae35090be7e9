// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Small datasets for the tests of core/nn/data.
#ifndef PATCHBAY_TESTS_DATA_DATASETS_H_
#define PATCHBAY_TESTS_DATA_DATASETS_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <patchbay/nn/data.h>
#include <patchbay/patchbay.h>

#include "support/device_test.h"

namespace patchbay::test {

/// Sample i is the number i, [1]; what `before` throws comes first.
class Numbers : public nn::Dataset {
 public:
  explicit Numbers(std::int64_t size, std::function<void(std::int64_t)> before = {})
      : size_(size), before_(std::move(before)) {}
  std::int64_t size() const override { return size_; }
  nn::Batch get(std::int64_t index) const override {
    if (before_) before_(index);
    return {full({1}, index, {DType::i64, test_device("cpu:0")})};
  }

 private:
  std::int64_t size_;
  std::function<void(std::int64_t)> before_;
};

inline std::vector<std::int64_t> numbers_of(const nn::Batch& batch) {
  return batch.at(0).to_vector<std::int64_t>();
}

/// The numbers of the batches up to the end of the epoch.
inline std::vector<std::vector<std::int64_t>> epoch_of(nn::DataLoader& loader) {
  std::vector<std::vector<std::int64_t>> batches;
  while (const auto batch = loader.next()) batches.push_back(numbers_of(*batch));
  return batches;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_DATA_DATASETS_H_

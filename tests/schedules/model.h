// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a schedule works on: tensors, each beside the values that it must have.
#ifndef PATCHBAY_TESTS_SCHEDULES_MODEL_H_
#define PATCHBAY_TESTS_SCHEDULES_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <patchbay/patchbay.h>

namespace patchbay::schedules {

using Values = std::vector<std::int32_t>;

/// A tensor of i32 and rank 1, and what its elements are. One thread at a time has it.
struct Item {
  Tensor tensor;
  Values values;
  /// Streams of the program's own that used it; operations of the library wait for them, launches
  /// by hand do not.
  std::vector<Stream> used_by = {};
  /// A copy by another device's stream may be pending, for which only buffer().wait() waits.
  bool is_foreign = false;
  /// The program's own memory that the tensor borrows; null if it is the library's.
  std::shared_ptr<Values> lent = nullptr;

  std::size_t size() const { return values.size(); }
  std::string device() const { return tensor.device().name(); }
};

/// Bytes by source and destination, as the ledger counts them.
using Traffic = std::map<std::pair<std::string, std::string>, std::uint64_t>;

/// The model of an operation: element by element, integers wrap around.
enum class Op { kAdd, kSub, kMul, kMaximum };
inline constexpr std::size_t kNumOps = 4;
const char* name_of(Op op);
std::int32_t apply(Op op, std::int32_t a, std::int32_t b);
/// The library's.
Tensor run(Op op, const Tensor& a, const Tensor& b);
void run_out(Op op, const Tensor& out, const Tensor& a, const Tensor& b);

/// Throws std::runtime_error with the first element that differs.
void expect_equal(const char* what, const Values& got, const Values& expected);

}  // namespace patchbay::schedules

#endif  // PATCHBAY_TESTS_SCHEDULES_MODEL_H_

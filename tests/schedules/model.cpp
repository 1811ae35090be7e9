// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "schedules/model.h"

#include <algorithm>
#include <stdexcept>

namespace patchbay::schedules {

const char* name_of(Op op) {
  switch (op) {
    case Op::kAdd: return "add";
    case Op::kSub: return "sub";
    case Op::kMul: return "mul";
    case Op::kMaximum: return "maximum";
  }
  return "unknown";
}

std::int32_t apply(Op op, std::int32_t a, std::int32_t b) {
  const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
  switch (op) {
    case Op::kAdd: return static_cast<std::int32_t>(x + y);
    case Op::kSub: return static_cast<std::int32_t>(x - y);
    case Op::kMul: return static_cast<std::int32_t>(x * y);
    case Op::kMaximum: return std::max(a, b);
  }
  return 0;
}

Tensor run(Op op, const Tensor& a, const Tensor& b) {
  switch (op) {
    case Op::kAdd: return add(a, b);
    case Op::kSub: return sub(a, b);
    case Op::kMul: return mul(a, b);
    case Op::kMaximum: return maximum(a, b);
  }
  return {};
}

void run_out(Op op, const Tensor& out, const Tensor& a, const Tensor& b) {
  switch (op) {
    case Op::kAdd: add_out(out, a, b); return;
    case Op::kSub: sub_out(out, a, b); return;
    case Op::kMul: mul_out(out, a, b); return;
    case Op::kMaximum: maximum_out(out, a, b); return;
  }
}

void expect_equal(const char* what, const Values& got, const Values& expected) {
  if (got == expected) return;
  if (got.size() != expected.size()) throw std::runtime_error(std::string(what) + ": other size");
  std::size_t i = 0;
  while (got[i] == expected[i]) ++i;
  throw std::runtime_error(std::string(what) + ": element " + std::to_string(i) + " of " +
                           std::to_string(got.size()) + " is " + std::to_string(got[i]) +
                           ", expected " + std::to_string(expected[i]));
}

}  // namespace patchbay::schedules

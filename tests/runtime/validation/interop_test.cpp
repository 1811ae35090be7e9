// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the application lends: no misuse is found in it that is none.
#include <cstdint>
#include <vector>

#include "runtime/validation/validated.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class ValidatedContexts : public ValidationTest {};
INSTANTIATE_TEST_SUITE_P(, ValidatedContexts, testing::Values("opencl:0", "cuda:0"),
                         device_test_name);

TEST_P(ValidatedContexts, OfTheApplicationAreSeen) {
  adopt_context(device_, native_context(test_device(GetParam())).value);
  {
    const Tensor x = ones({100}, device_);
    EXPECT_EQ((x + 1).to_vector<float>(), Floats(100, 2));
    EXPECT_EQ(validation_report(runtime_).live.size(), 1u);
  }
  EXPECT_EQ(num_findings(), 0u);
}

class ValidatedLoans : public testing::Test {
 protected:
  Buffer lend(std::size_t first, std::size_t count) {
    return wrap_buffer(device_, reinterpret_cast<std::uintptr_t>(&values_[first]), count * 4);
  }

  LogLines lines_;
  Runtime runtime_{validated({}, lines_)};
  Device device_ = runtime_.device("cpu:0");
  Floats values_ = Floats(1000, 1);
};

TEST_F(ValidatedLoans, MayBePartsOfOneAnother) {
  const Tensor all = from_buffer(lend(0, 1000), DType::f32, {1000});
  const Tensor head = from_buffer(lend(0, 10), DType::f32, {10});
  const Tensor middle = from_buffer(lend(500, 10), DType::f32, {10});
  all.fill_(3);
  head.fill_(4);
  all.slice(0, 505, 1000).fill_(5);
  EXPECT_EQ(middle.to_vector<float>(), Floats({3, 3, 3, 3, 3, 5, 5, 5, 5, 5}));
  EXPECT_EQ(values_[9], 4);
  EXPECT_EQ(validation_report(runtime_).num_findings, 0u) << validation_report(runtime_).to_text();
}

TEST_F(ValidatedLoans, ArePartsOfMemoryThatIsTheHosts) {
  static_cast<void>(lend(100, 10));
  const Tensor x = full({1000}, 7, device_);
  copy_to_host(values_.data(), {x.buffer(), 0, 4000});
  EXPECT_EQ(values_, Floats(1000, 7));
  copy_to_host(&values_[105], {full({20}, 8, device_).buffer(), 0, 80});
  EXPECT_EQ(values_[124], 8);
  EXPECT_EQ(validation_report(runtime_).num_findings, 0u);
}

TEST_F(ValidatedLoans, AreNotReleased) {
  const Buffer lent = lend(0, 1000);
  driver_memory(device_)->release(MemoryKind::kDevice, {values_.data(), 0}, 4000);
  EXPECT_FINDING(finding_of([&] { device_.synchronize(); }),
                 "[release] memory is released that is not allocated: expected what allocate gave, "
                 "got base 0x");
}

}  // namespace
}  // namespace patchbay::test

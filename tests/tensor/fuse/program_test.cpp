// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The format patchbay-expr/1 as a plugin takes it: what programs compute, and which it refuses.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class FuseProgramTest : public DeviceTest {
 protected:
  static KernelSpec spec(const std::string& program, int num_inputs = 1, int num_scalars = 0) {
    KernelSpec result;
    result.op = "patchbay-expr/1";
    result.arguments.push_back(ArgumentSpec::tensor(DType::f32, Access::kWrite));
    for (int i = 0; i < num_inputs; ++i) {
      result.arguments.push_back(ArgumentSpec::tensor(DType::f32, Access::kRead));
    }
    for (int i = 0; i < num_scalars; ++i) {
      result.arguments.push_back(ArgumentSpec::scalar(DType::f32));
    }
    result.attributes.push_back({"program", program});
    return result;
  }

  void refuses(const std::string& program, const std::string& why, int num_inputs = 1) const {
    EXPECT_INVALID(Kernel::prepare(device_, spec(program, num_inputs)), why);
  }
};
PATCHBAY_ON_EACH_DEVICE(FuseProgramTest);

TEST_P(FuseProgramTest, Computes) {
  // where(s0 > x1, x0 x1 + x0 x1 - 1, x0 x1)
  const Kernel kernel = Kernel::prepare(
      device_, spec("patchbay-expr/1 input:f32 input:f32\n scalar:f32\t s0 x1 gt.1 x0 x1 mul.1 set "
                    "t0 t0 add.1 f32:3f800000 sub.1 t0 where.1 out",
                    2, 1));
  const Tensor a = floats({1, 2, 3}), b = floats({10, 20, 30}), out = empty({3}, device_);
  const auto argument = [](const Tensor& tensor, Access access) {
    return Argument::tensor(tensor.buffer(), DType::f32, tensor.shape(), access);
  };
  const Stream stream(device_);
  device_.synchronize();
  const std::vector<Argument> arguments{argument(out, Access::kWrite), argument(a, Access::kRead),
                                        argument(b, Access::kRead), Argument::scalar(25.0F)};
  kernel.launch(stream, arguments);
  stream.synchronize();
  EXPECT_EQ(out.to_vector<float>(), Floats({19, 79, 90}));
}

/// Bounds may be anything of the dtype, an input too.
TEST_P(FuseProgramTest, ClampsByInputs) {
  const Kernel kernel = Kernel::prepare(
      device_, spec("patchbay-expr/1 input:f32 input:f32 x0 x1 f32:40000000 clamp.1 out", 2));
  const Tensor a = floats({-1, 1, 3}), low = floats({0, -1, 1}), out = empty({3}, device_);
  const auto argument = [](const Tensor& tensor, Access access) {
    return Argument::tensor(tensor.buffer(), DType::f32, tensor.shape(), access);
  };
  const Stream stream(device_);
  device_.synchronize();
  const std::vector<Argument> arguments{argument(out, Access::kWrite), argument(a, Access::kRead),
                                        argument(low, Access::kRead)};
  kernel.launch(stream, arguments);
  stream.synchronize();
  EXPECT_EQ(out.to_vector<float>(), Floats({0, 1, 2}));
}

TEST_P(FuseProgramTest, RefusesWhatIsNoProgram) {
  refuses("", "word 1 '': expected 'patchbay-expr/1' at the beginning");
  refuses("patchbay-expr/2 input:f32 x0 out", "expected 'patchbay-expr/1' at the beginning");
  refuses("patchbay-expr/1 input:f32 x0", "1 values are left on the stack");
  refuses("patchbay-expr/1 input:f32", "there is no output");
  refuses("patchbay-expr/1 input:f32 x0 add.1 out", "word 4 'add.1': the stack is empty");
  refuses("patchbay-expr/1 input:f32 x1 out", "word 3 'x1': no such input so far");
  refuses("patchbay-expr/1 input:f32 s0 out", "'s0': no such scalar so far");
  refuses("patchbay-expr/1 input:f32 t0 out", "'t0': no such temporary so far");
  refuses("patchbay-expr/1 input:f32 y0 out", "'y0': no such word");
  refuses("patchbay-expr/1 input:f32 x0 set", "there is no output");
  refuses("patchbay-expr/1 input:f32 f32:0 out", "an input or a scalar is declared and never read");
  refuses("patchbay-expr/1 input:f8 x0 out", "unknown dtype 'f8'");
  refuses("patchbay-expr/1 input x0 out", "unknown dtype ''");
  refuses("patchbay-expr/1 scalar:bool s0 out", "scalars are never bool: use u8");
  refuses("patchbay-expr/1 f32:xyz out", "a number was expected");
  refuses("patchbay-expr/1 u8:1ff out", "more bits than a u8 has");
  refuses("patchbay-expr/1 x99999999999999999999 out", "a number was expected");
}

TEST_P(FuseProgramTest, RefusesWrongDtypes) {
  refuses("patchbay-expr/1 input:f32 x0 i32:1 add.1 out", "'add.1': operands of f32 and i32");
  refuses("patchbay-expr/1 i32:1 sqrt.1 cast.1:f32 out", "'sqrt.1': not defined for i32");
  refuses("patchbay-expr/1 input:f32 x0 x0 x0 where.1 out", "the condition is f32, expected bool");
  refuses("patchbay-expr/1 input:f32 x0 i32:1 eq.1 x0 i32:1 where.1 out",
          "'eq.1': operands of f32 and i32");
  refuses("patchbay-expr/1 input:f32 x0 x0 eq.1 x0 i32:1 where.1 out",
          "'where.1': operands of f32 and i32");
  refuses("patchbay-expr/1 input:f32 x0 x0 i32:1 clamp.1 out",
          "'clamp.1': operands of f32 and i32");
  refuses("patchbay-expr/1 input:f32 x0 logical_not.1 out", "'logical_not.1': not defined for f32");
}

TEST_P(FuseProgramTest, RefusesAnUnknownOperator) {
  EXPECT_ERROR(Kernel::prepare(device_, spec("patchbay-expr/1 input:f32 x0 transmogrify.1 out")),
               kUnsupported, "fused expressions have no operator 'transmogrify.1'");
}

TEST_P(FuseProgramTest, RefusesOtherArguments) {
  const std::string copy = "patchbay-expr/1 input:f32 x0 out";
  refuses(copy, "a fused expression of 2 arguments got 3", 2);
  refuses("patchbay-expr/1 input:i32 x0 cast.1:f32 out",
          "argument 1 is not a tensor to read of i32");
  refuses("patchbay-expr/1 input:f32 x0 x0 eq.1 out",
          "argument 0 is not a tensor to write of bool");
  refuses("patchbay-expr/1 scalar:f32 s0 out", "argument 1 is not a scalar of f32");
  KernelSpec two = spec(copy);
  two.attributes.push_back({"more", std::int64_t{1}});
  EXPECT_INVALID(Kernel::prepare(device_, two),
                 "one attribute, the program's text: got 2 attributes");
}

TEST_P(FuseProgramTest, RefusesTooMuch) {
  std::string many = "patchbay-expr/1", sum;
  for (int i = 0; i < 17; ++i) many += " input:f32";
  refuses(many + " x0 out", "18 inputs and outputs, expected at most 16");
  std::string scalars = "patchbay-expr/1";
  for (int i = 0; i < 17; ++i) scalars += " scalar:f32";
  refuses(scalars + " s0 out", "17 scalars, expected at most 16");
  std::string deep = "patchbay-expr/1 input:f32 x0";
  for (int i = 0; i < 1100; ++i) deep += " neg.1";
  refuses(deep + " out", "more than 1024 values");
}

}  // namespace
}  // namespace patchbay::test

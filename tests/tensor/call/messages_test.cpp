// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a call by name says to arguments that a function does not take.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

const Tensor& tensor() {
  static const Tensor& made = *new Tensor(ones({2, 3}, test_device("cpu:0")));
  return made;
}

/// The message of the error that the call throws, which is one of kInvalidArgument.
std::string refusal(std::string_view name, const std::vector<TensorOrScalar>& inputs,
                    const CallOptions& options = {}) {
  try {
    (void)call(name, inputs, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kInvalidArgument);
    return error.what();
  }
  return "no error";
}

/// Names are those of the records, and those of C++.
TEST(CallNames, HaveDotsOrColons) {
  const Tensor x = from_host(Floats{3, 0, 0, 4}, {2, 2}, test_device("cpu:0"));
  EXPECT_EQ(call("linalg.det", {x})[0].item<float>(), 12);
  EXPECT_EQ(call("linalg::det", {x})[0].item<float>(), 12);
  EXPECT_INVALID(call("linalg::dett", {x}), "[call] no function 'linalg.dett'");
}

TEST(CallRefusals, UnknownFunctions) {
  EXPECT_EQ(refusal("sofmax", {tensor()}),
            "[call] no function 'sofmax', the nearest is 'softmax'. docs/functions.md lists the "
            "functions.");
  EXPECT_EQ(refusal("", {}), "[call] no function ''. docs/functions.md lists the functions.");
  EXPECT_EQ(refusal("checkpoint", {tensor()}),
            "[call] 'checkpoint' can't be called by name: `function` is a function. Call it from "
            "C++.");
  EXPECT_EQ(refusal("nn.init.zeros", {tensor()}),
            "[call] 'nn.init.zeros' can't be called by name: it is in libpatchbay-nn, which is "
            "above patchbay::call. Call it from C++.");
}

TEST(CallRefusals, UnknownArguments) {
  EXPECT_EQ(refusal("sum", {tensor()}, {{"axis", 1}}),
            "[call] sum has no argument 'axis', the nearest is 'axes'. It is sum(a, [axes], "
            "[keep]).");
  EXPECT_EQ(refusal("exp", {tensor()}, {{"alpha", 1}}),
            "[call] exp has no argument 'alpha'. It is exp(a).");
}

TEST(CallRefusals, TextsOfTheProgramStayOnOneLine) {
  EXPECT_EQ(refusal("a\nb", {}),
            "[call] no function 'a\\x0ab'. docs/functions.md lists the functions.");
  EXPECT_EQ(refusal("exp", {tensor()}, {{"a\nb", 1}}),
            "[call] exp has no argument 'a\\x0ab'. It is exp(a).");
  EXPECT_EQ(refusal("softmax", {tensor()}, {{"dim", "a\nb"}}),
            "[call] argument 'dim' of softmax: expected an integer, got the text 'a\\x0ab'.");
}

TEST(CallRefusals, TooManyInputs) {
  EXPECT_EQ(refusal("exp", {tensor(), tensor()}),
            "[call] too many inputs of exp: expected 1 at most, got 2. Give what is no tensor, "
            "and lists, by name. It is exp(a).");
}

TEST(CallRefusals, ArgumentsThatAreGivenTwice) {
  EXPECT_EQ(refusal("exp", {tensor()}, {{"a", tensor()}}),
            "[call] argument 'a' of exp is given twice: as input 0 and by name.");
  EXPECT_EQ(refusal("concat", {tensor()}, {{"tensors", std::vector{tensor()}}}),
            "[call] argument 'tensors' of concat is given twice: as inputs and by name.");
}

TEST(CallRefusals, MissingArguments) {
  EXPECT_EQ(refusal("softmax", {tensor()}),
            "[call] argument 'dim' of softmax is missing, an integer. It is softmax(a, dim).");
  EXPECT_EQ(refusal("add", {tensor()}),
            "[call] argument 'b' of add is missing, a tensor or a number. It is add(a, b).");
}

TEST(CallRefusals, OtherKinds) {
  const auto of = [](const char* name, const CallValue& value) {
    CallOptions options{{"k", 1}};
    options.insert_or_assign(name, value);
    return refusal("topk", {tensor()}, options);
  };
  EXPECT_EQ(of("k", 1.5), "[call] argument 'k' of topk: expected an integer, got the number 1.5.");
  EXPECT_EQ(of("k", true), "[call] argument 'k' of topk: expected an integer, got true.");
  EXPECT_EQ(of("k", {1, 2}),
            "[call] argument 'k' of topk: expected an integer, got a list of 2 integers.");
  EXPECT_EQ(of("k", std::numeric_limits<std::uint64_t>::max()),
            "[call] argument 'k' of topk: expected an integer, got the number "
            "18446744073709551615.");
  EXPECT_EQ(of("largest", "yes"),
            "[call] argument 'largest' of topk: expected true or false, got the text 'yes'.");
  EXPECT_EQ(of("dim", tensor()),
            "[call] argument 'dim' of topk: expected an integer, got a tensor.");
  EXPECT_EQ(of("dim", std::vector{tensor()}),
            "[call] argument 'dim' of topk: expected an integer, got a list of 1 tensors.");
  EXPECT_EQ(of("dim", DType::f32),
            "[call] argument 'dim' of topk: expected an integer, got the dtype f32.");
  EXPECT_EQ(of("dim", test_device("cpu:0")),
            "[call] argument 'dim' of topk: expected an integer, got the device cpu:0.");
  EXPECT_EQ(of("dim", Generator(1)),
            "[call] argument 'dim' of topk: expected an integer, got a generator.");
  EXPECT_EQ(refusal("exp", {2}),
            "[call] argument 'a' of exp: expected a tensor, got the number 2.");
  EXPECT_EQ(refusal("concat", {tensor(), 1}),
            "[call] argument 'tensors' of concat: expected a list of tensors, got a number among "
            "the inputs.");
}

TEST(CallRefusals, ValuesThatNoFunctionTakes) {
  EXPECT_EQ(refusal("mse_loss", {tensor(), tensor()}, {{"reduction", "avg"}}),
            "[call] argument 'reduction' of mse_loss: expected none, mean or sum, got 'avg'.");
  EXPECT_EQ(refusal("var", {tensor()}, {{"correction", std::int64_t{1} << 40}}),
            "[call] argument 'correction' of var: expected -2147483648 to 2147483647, got "
            "1099511627776.");
  EXPECT_EQ(refusal("max_pool2d", {ones({1, 4, 4}, test_device("cpu:0"))}, {{"kernel", {1, 2, 3}}}),
            "[call] argument 'kernel' of max_pool2d: expected 1 or 2 integers, got 3.");
  EXPECT_EQ(refusal("pad", {tensor()}, {{"padding", {1, 2, 3}}}),
            "[call] argument 'padding' of pad: expected a multiple of 2 values, got 3.");
  EXPECT_EQ(refusal("add", {1, 2}), "[call] no operand of add is a tensor. It is add(a, b).");
}

TEST(CallRefusals, OfTheOverloadThatFitsFurthest) {
  EXPECT_EQ(refusal("split", {tensor()}, {{"sizes", "all"}}),
            "[call] argument 'sizes' of split: expected a list of integers, got the text 'all'.");
  EXPECT_EQ(refusal("eye", {}, {{"columns", 2}}),
            "[call] argument 'rows' of eye is missing, an integer. It is eye(rows, columns, "
            "[dtype], [device]).");
}

TEST(CallErrors, AreThoseOfTheFunction) {
  try {
    (void)call("matmul", {tensor(), tensor()});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kShapeMismatch);
    EXPECT_TRUE(std::string(error.what()).starts_with("[matmul]")) << error.what();
  }
}

}  // namespace
}  // namespace patchbay::test

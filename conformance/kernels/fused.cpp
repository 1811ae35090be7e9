// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused expressions: one group of tensors, and several in a launch.
#include <string>
#include <vector>

#include <patchbay/plugin/expression.h>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/support/expect.h"
#include "conformance/values/array.h"

namespace patchbay::conformance {
namespace {

/// The outputs a b + s and a - a b, which every step rounds.
constexpr const char* kProgram = PATCHBAY_FORMAT_EXPRESSION
    " input:f32 input:f32 scalar:f32 x0 x1 mul.1 set t0 s0 add.1 out x0 t0 sub.1 out";
constexpr float kScalar = 0.5F;

/// The tensors of a launch, and what it should leave in them.
class Group {
 public:
  Group(const Layout& layout, int seed) : outputs_{Array<float>(layout), Array<float>(layout)} {
    const Layout packed = contiguous(layout.shape);
    inputs_ = {Array<float>(packed, [seed](std::size_t i) { return value(i, seed); }),
               Array<float>(layout, [seed](std::size_t i) { return value(i, seed + 1); })};
  }

  void add_to(Arguments& arguments, const Device& device) {
    for (const auto& output : outputs_) {
      targets_.push_back(output.to_device(device, Access::kWrite));
      arguments.push_back(targets_.back());
    }
    for (const auto& input : inputs_) arguments.push_back(input.to_device(device, Access::kRead));
  }

  void expect_computed(const std::string& what) {
    std::vector<Array<float>> expected = outputs_;
    for (std::size_t i = 0; i < expected[0].size(); ++i) {
      const float product = inputs_[0].at(i) * inputs_[1].at(i);
      expected[0].at(i) = product + kScalar;
      expected[1].at(i) = inputs_[0].at(i) - product;
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      outputs_[o].from_device(targets_[o]);
      outputs_[o].expect_close_to(expected[o], 1, what + ", output " + std::to_string(o));
    }
  }

 private:
  /// Small multiples of 1/8, whose products and sums are exact.
  static float value(std::size_t i, int seed) {
    return static_cast<float>(static_cast<int>((i * 7 + static_cast<std::size_t>(seed) * 13) % 41) -
                              20) /
           8;
  }

  std::vector<Array<float>> outputs_, inputs_;
  std::vector<Argument> targets_;
};

Kernel prepare_program(const Device& device) {
  const auto tensor = [](Access access) { return ArgumentSpec::tensor(DType::f32, access); };
  KernelSpec spec;
  spec.op = PATCHBAY_FORMAT_EXPRESSION;
  spec.arguments = {tensor(Access::kWrite), tensor(Access::kWrite), tensor(Access::kRead),
                    tensor(Access::kRead), ArgumentSpec::scalar(DType::f32)};
  spec.attributes = {{"program", kProgram}};
  try {
    return Kernel::prepare(device, spec);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    throw Waiver(error.what());
  }
}

void launch(const Device& device, const Kernel& kernel, std::vector<Group>& groups) {
  Arguments arguments;
  for (Group& group : groups) group.add_to(arguments, device);
  arguments.push_back(Argument::scalar(kScalar));
  const Stream stream = device.default_stream();
  try {
    kernel.launch(stream, arguments);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    throw Waiver(error.what());
  }
  stream.synchronize();
}

std::vector<Layout> layouts() {
  return {contiguous({}),         contiguous({1}), contiguous({300}),       reversed({17, 23}),
          contiguous({5, 77}),    spread({40}, 3), contiguous({1000}, 12),  contiguous({20003}),
          contiguous({20003}, 3), contiguous({0}), contiguous({2, 3, 4, 5})};
}

void fused_expression(Context& context) {
  const Kernel kernel = prepare_program(context.device());
  for (const Layout& layout : layouts()) {
    std::vector<Group> one = {Group(layout, 1)};
    launch(context.device(), kernel, one);
    one[0].expect_computed("a fused expression of " + layout.to_string());
  }
}

void fused_groups(Context& context) {
  const Kernel kernel = prepare_program(context.device());
  for (const std::size_t num_groups : {2, 9, 200}) {
    std::vector<Group> groups;
    const std::vector<Layout> all = layouts();
    for (std::size_t g = 0; g < num_groups; ++g) {
      groups.emplace_back(all[(g + 2) % all.size()], static_cast<int>(g));
    }
    launch(context.device(), kernel, groups);
    for (std::size_t g = 0; g < num_groups; ++g) {
      groups[g].expect_computed(fmt::format("a fused expression, group {} of {}", g, num_groups));
    }
  }
}

}  // namespace

std::vector<Check> fused_checks() {
  return {{"kernels", "fused_expression", fused_expression},
          {"kernels", "fused_groups", fused_groups}};
}

}  // namespace patchbay::conformance

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Rules for all kernels: refusals, checked arguments, streams, threads.
#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/support/expect.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

/// A row of i32 with equal elements.
Argument row(const Device& device, std::int64_t size, std::int32_t value, Access access) {
  return Array<std::int32_t>(contiguous({size}), [=](std::size_t) { return value; })
      .to_device(device, access);
}

void expect_row(const Argument& argument, std::int32_t value, std::string_view what) {
  Array<std::int32_t> got(contiguous(argument.shape));
  got.from_device(argument);
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect(got.at(i) == value, "{}: element {}: expected {}, got {}", what, i, value, got.at(i));
  }
}

/// add.1 of i32: the result and two operands.
struct Addition {
  Addition(const Device& device, std::int64_t size)
      : out(row(device, size, -1, Access::kWrite)),
        a(row(device, size, 3, Access::kRead)),
        b(row(device, size, 4, Access::kRead)),
        kernel(prepare(device, spec_of("add.1", arguments()))) {}

  Arguments arguments() const { return {out, a, b}; }

  Argument out, a, b;
  Kernel kernel;
};

void unknown_operator_is_unsupported(Context& context) {
  KernelSpec spec = spec_of("no_such_op.1", {row(context.device(), 4, 0, Access::kWrite)});
  expect_error(ErrorCode::kUnsupported, "preparing no_such_op.1",
               [&] { (void)Kernel::prepare(context.device(), spec); },
               {"no_such_op.1", context.device().name()});
  const std::string reason = why_unsupported(context.device(), spec);
  expect(!reason.empty(), "why_unsupported gives no reason for no_such_op.1");
  spec.op = "";
  expect(!why_unsupported(context.device(), spec).empty(), "an operator without a name exists");
}

void known_operator_is_supported(Context& context) {
  const Addition addition(context.device(), 4);
  const std::string reason =
      why_unsupported(context.device(), spec_of("add.1", addition.arguments()));
  expect(reason.empty(), "add.1 of i32 can be prepared, yet: {}", reason);
}

void mixed_dtypes_are_unsupported(Context& context) {
  const Device device = context.device();
  Argument wrong = row(device, 4, 0, Access::kRead);
  wrong.dtype = DType::f32;
  const Arguments arguments = {row(device, 4, 0, Access::kWrite), row(device, 4, 0, Access::kRead),
                               wrong};
  expect(!why_unsupported(device, spec_of("add.1", arguments)).empty(),
         "add.1 is prepared for i32 and f32 together");
}

void accesses_are_checked(Context& context) {
  const Addition addition(context.device(), 4);
  const KernelSpec good = spec_of("add.1", addition.arguments());
  const auto refused = [&](std::size_t argument, Access access, std::string_view what) {
    KernelSpec spec = good;
    spec.arguments[argument].access = access;
    expect_error(ErrorCode::kUnsupported, what,
                 [&] { (void)Kernel::prepare(context.device(), spec); }, {"add.1"});
  };
  refused(0, Access::kRead, "preparing add.1 with a result that is only read");
  refused(2, Access::kWrite, "preparing add.1 with an operand that is written");
}

/// A kernel that ignored an attribute would compute a wrong result.
void attributes_are_checked(Context& context) {
  const Device device = context.device();
  const Addition addition(device, 4);
  const auto refused = [&](KernelSpec spec, ErrorCode code, std::string_view what,
                           const std::string& name) {
    expect_error(code, what, [&] { (void)Kernel::prepare(device, spec); }, {name});
  };
  KernelSpec add = spec_of("add.1", addition.arguments());
  add.attributes = {{"no_such_attribute", std::int64_t{1}}};
  refused(add, ErrorCode::kUnsupported, "preparing add.1 with an attribute", "no_such_attribute");
  const Argument index =
      Argument::tensor(Buffer::allocate(device, 32), DType::i64, {4}, Access::kRead);
  const Arguments arguments = {addition.out, addition.a, index};
  const auto gather = [&](const std::vector<Attribute>& attributes) {
    return spec_of("gather.1", arguments, attributes);
  };
  if (!why_unsupported(device, gather({{"dim", std::int64_t{0}}})).empty()) return;
  refused(gather({}), ErrorCode::kInvalidArgument, "preparing gather.1 without its dim", "dim");
  refused(gather({{"dim", std::int64_t{8}}}), ErrorCode::kInvalidArgument,
          "preparing gather.1 with dim 8", "dim");
  refused(gather({{"dim", 0.0}}), ErrorCode::kInvalidArgument,
          "preparing gather.1 with a dim that is a float", "dim");
  refused(gather({{"dim", std::string("0")}}), ErrorCode::kInvalidArgument,
          "preparing gather.1 with a dim that is a string", "dim");
  refused(gather({{"dim", std::int64_t{0}}, {"dim", std::int64_t{0}}}), ErrorCode::kInvalidArgument,
          "preparing gather.1 with two dims", "dim");
}

void arguments_are_checked(Context& context) {
  const Device device = context.device();
  const Addition addition(device, 100);
  const auto refused = [&](std::string_view what, const Arguments& arguments) {
    expect_error(ErrorCode::kInvalidArgument, what,
                 [&] { addition.kernel.launch(device.default_stream(), arguments); });
  };
  Arguments changed = addition.arguments();
  changed.pop_back();
  refused("a launch with an argument too few", changed);
  changed = addition.arguments();
  changed.push_back(addition.b);
  refused("a launch with an argument too many", changed);
  changed = addition.arguments();
  changed[1].dtype = DType::f32;
  refused("a launch with another dtype", changed);
  changed = addition.arguments();
  changed[2] = Argument::scalar(std::int32_t{4});
  refused("a launch with a scalar for a tensor", changed);
  changed = addition.arguments();
  changed[2] = Argument();
  changed[2].dtype = DType::i32;
  changed[2].shape = {100};
  changed[2].strides = {1};
  refused("a launch with a null buffer", changed);
  device.synchronize();
  expect_row(addition.out, -1, "the result after refused launches");
}

void arguments_stay_within_their_buffer(Context& context) {
  const Device device = context.device();
  const Addition addition(device, 100);
  const auto refused = [&](std::string_view what, const std::function<void(Argument&)>& change) {
    for (std::size_t i = 0; i < 3; ++i) {
      Arguments arguments = addition.arguments();
      change(arguments[i]);
      expect_error(ErrorCode::kInvalidArgument, what,
                   [&] { addition.kernel.launch(device.default_stream(), arguments); });
    }
  };
  refused("a tensor larger than its buffer", [](Argument& argument) { argument.shape = {200}; });
  refused("strides beyond the buffer", [](Argument& argument) { argument.strides = {2}; });
  refused("an offset beyond the buffer", [](Argument& argument) { argument.offset_bytes = 500; });
  refused("a negative stride", [](Argument& argument) { argument.strides = {-1}; });
  Arguments huge = addition.arguments();
  huge[1].shape = {std::int64_t{1} << 62};
  huge[1].strides = {4};
  expect_error(ErrorCode::kOverflow, "an extent whose bytes wrap around",
               [&] { addition.kernel.launch(device.default_stream(), huge); });
  device.synchronize();
  expect_row(addition.out, -1, "the result after refused launches");
}

/// The core does not know the operators, so the plugin must check the shapes.
void shapes_that_do_not_fit_are_refused(Context& context) {
  const Device device = context.device();
  const auto refused = [&](const std::string& op, const std::vector<Shape>& shapes,
                           const Arguments& scalars) {
    Arguments arguments;
    std::string what = op;
    for (const Shape& shape : shapes) {
      const Access access = arguments.empty() ? Access::kWrite : Access::kRead;
      arguments.push_back(Array<float>(contiguous(shape)).to_device(device, access));
      what += " " + to_string(shape);
    }
    arguments.insert(arguments.end(), scalars.begin(), scalars.end());
    const Kernel kernel = prepare(device, spec_of(op, arguments));
    expect_error(ErrorCode::kInvalidArgument, what, [&] {
      const Stream stream(device);
      kernel.launch(stream, arguments);
      stream.synchronize();
    });
  };
  refused("add.1", {{100}, {100}, {99}}, {});
  refused("add.1", {{7, 9}, {9, 7}, {7, 9}}, {});
  refused("neg.1", {{100}, {99}}, {});
  refused("copy.1", {{3, 5}, {5, 3}}, {});
  refused("sum.1", {{3, 1}, {5, 7}}, {});
  refused("max.1", {{5, 1}, {5}}, {});
  refused("gemm.1", {{4, 6}, {4, 5}, {4, 6}}, {Argument::scalar(1.0f), Argument::scalar(0.0f)});
}

void other_devices_are_refused(Context& context) {
  const std::vector<Device> devices = context.devices();
  if (devices.size() < 2) throw Waiver("the backend has one device");
  const Addition addition(devices[0], 10);
  Arguments arguments = addition.arguments();
  arguments[1] = row(devices[1], 10, 3, Access::kRead);
  expect_error(ErrorCode::kDeviceMismatch, "an operand on another device",
               [&] { addition.kernel.launch(devices[0].default_stream(), arguments); });
  expect_error(ErrorCode::kDeviceMismatch, "a stream of another device",
               [&] { addition.kernel.launch(devices[1].default_stream(), addition.arguments()); });
}

void fixed_shapes(Context& context) {
  const Device device = context.device();
  const Addition addition(device, 100);
  KernelSpec spec = spec_of("add.1", addition.arguments());
  for (ArgumentSpec& argument : spec.arguments) {
    argument.any_shape = false;
    argument.shape = {100};
    argument.strides = {1};
  }
  const Kernel kernel = prepare(device, spec);
  const Stream stream = device.default_stream();
  kernel.launch(stream, addition.arguments());
  stream.synchronize();
  expect_row(addition.out, 7, "add.1 prepared for 100 elements");
  Arguments shorter = addition.arguments();
  for (Argument& argument : shorter) argument.shape = {50};
  expect_error(ErrorCode::kInvalidArgument, "a launch with a shape it is not prepared for",
               [&] { kernel.launch(stream, shorter); });
}

/// The result may also be an operand.
void in_place(Context& context) {
  const Device device = context.device();
  const Argument a = row(device, 70001, 5, Access::kRead);
  Argument out = a;
  out.access = Access::kWrite;
  run_kernel(device, "mul.1", {out, a, a});
  expect_row(out, 25, "mul.1 in place");
}

void buffers_live_until_the_launch_is_done(Context& context) {
  const Device device = context.device();
  const Argument out = row(device, 300000, 0, Access::kWrite);
  {
    const Arguments arguments = {out, row(device, 300000, 8, Access::kRead),
                                 row(device, 300000, 9, Access::kRead)};
    prepare(device, spec_of("add.1", arguments)).launch(device.default_stream(), arguments);
  }
  const Argument successor = row(device, 300000, 0, Access::kRead);
  expect_row(out, 17, "add.1 whose operands were dropped");
  expect_row(successor, 0, "what took the place of the operands");
}

void one_kernel_on_four_streams_at_once(Context& context) {
  const Device device = context.device();
  const Addition prototype(device, 4);
  run_threads(4, [&](int thread) {
    const Stream stream(device);
    for (std::int32_t i = 0; i < 20; ++i) {
      const Argument out = row(device, 2000 + i, 0, Access::kWrite);
      prototype.kernel.launch(stream, Arguments{out, row(device, 2000 + i, i, Access::kRead),
                                                row(device, 2000 + i, thread, Access::kRead)});
      stream.synchronize();
      expect_row(out, i + thread, fmt::format("thread {}, launch {}", thread, i));
    }
  });
}

void threads_prepare_at_once(Context& context) {
  const Device device = context.device();
  run_threads(4, [&](int) {
    for (int i = 0; i < 10; ++i) {
      const Addition addition(device, 64);
      addition.kernel.launch(device.default_stream(), addition.arguments());
      device.synchronize();
      expect_row(addition.out, 7, "add.1 on the default stream");
    }
  });
}

void every_device_computes(Context& context) {
  for (const Device& device : context.devices()) {
    const Addition addition(device, 1000);
    addition.kernel.launch(device.default_stream(), addition.arguments());
    device.synchronize();
    expect_row(addition.out, 7, "add.1 on " + device.name());
  }
}

}  // namespace

std::vector<Check> launching_checks() {
  return {
      {"kernels", "unknown_operator_is_unsupported", unknown_operator_is_unsupported},
      {"kernels", "known_operator_is_supported", known_operator_is_supported},
      {"kernels", "mixed_dtypes_are_unsupported", mixed_dtypes_are_unsupported},
      {"kernels", "accesses_are_checked", accesses_are_checked},
      {"kernels", "arguments_are_checked", arguments_are_checked},
      {"kernels", "attributes_are_checked", attributes_are_checked},
      {"kernels", "arguments_stay_within_their_buffer", arguments_stay_within_their_buffer},
      {"kernels", "shapes_that_do_not_fit_are_refused", shapes_that_do_not_fit_are_refused},
      {"kernels", "other_devices_are_refused", other_devices_are_refused},
      {"kernels", "fixed_shapes", fixed_shapes},
      {"kernels", "in_place", in_place},
      {"kernels", "buffers_live_until_the_launch_is_done", buffers_live_until_the_launch_is_done},
      {"kernels", "one_kernel_on_four_streams_at_once", one_kernel_on_four_streams_at_once},
      {"kernels", "threads_prepare_at_once", threads_prepare_at_once},
      {"kernels", "every_device_computes", every_device_computes},
  };
}

}  // namespace patchbay::conformance

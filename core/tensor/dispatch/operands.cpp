// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/operands.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/runtime/copy/copy.h"
#include "core/runtime/stream/recorder.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay::tensor {

void raise_device_mismatch(const char* operation, const NamedOperand& expected,
                           const NamedOperand& got) {
  if (&expected.tensor.device().runtime != &got.tensor.device().runtime) {
    raise(ErrorCode::kDeviceMismatch,
          "[{}] operands are on devices of two runtimes, which do not mix ({}; {}). Take the "
          "values through the host with to_vector and from_host.",
          operation, describe(expected), describe(got));
  }
  raise(ErrorCode::kDeviceMismatch,
        "[{}] operands are on different devices ({}; {}). Copy {} first: {}.to({}.device()).",
        operation, describe(expected), describe(got), got.name, got.name, expected.name);
}

void raise_place_mismatch(const char* operation, const NamedOperand& place,
                          const NamedOperand& got) {
  const runtime::DeviceState& device = got.tensor.device();
  const bool would_do = got.tensor.shape.rank() == 0 && is_watched(got.tensor) &&
                        &device.runtime == &place.tensor.device().runtime &&
                        device.info.properties.kind == DeviceKind::kCpu;
  if (!would_do) raise_device_mismatch(operation, place, got);
  raise(ErrorCode::kDeviceMismatch,
        "[{0}] operands are on different devices ({1}; {2}). {3} requires gradients, and so is not "
        "taken as a number. Copy it first, and gradients flow back: {3}.to({4}.device()).",
        operation, describe(place), describe(got), got.name, place.name);
}

void raise_dtype_mismatch(const char* operation, const NamedOperand& expected,
                          const NamedOperand& got) {
  const auto dtype = patchbay::to_string(expected.tensor.dtype);
  // Of a mask and numbers, suggest converting the mask, even if it comes first.
  const std::string_view op = operation;
  const bool is_mask =
      expected.tensor.dtype == DType::boolean && got.name == "b" && !op.starts_with("logical");
  // A cast drops no imaginary part, so of real and complex numbers the real ones are converted.
  const bool is_real = !is_complex(expected.tensor.dtype) && is_complex(got.tensor.dtype);
  const NamedOperand& converted = is_mask || is_real ? expected : got;
  const NamedOperand& kept = is_mask || is_real ? got : expected;
  raise(ErrorCode::kDtypeMismatch,
        "[{}] operands have different dtypes: expected {} of {} like {}, got {} ({}; {}). Convert "
        "{} first: {}.cast(DType::{}).",
        operation, got.name, dtype, expected.name, patchbay::to_string(got.tensor.dtype),
        describe(expected), describe(got),
        is_mask   ? "the mask"
        : is_real ? converted.name
                  : "it",
        converted.name,
        kept.tensor.dtype == DType::boolean ? "boolean" : patchbay::to_string(kept.tensor.dtype));
}

void raise_no_such_dtype(const char* operation, DTypes dtypes, const NamedOperand& operand) {
  if (is_complex(operand.tensor.dtype)) {
    raise(ErrorCode::kDtypeMismatch,
          "[{}] is not defined for complex numbers ({}). Take real, imag or abs first.", operation,
          describe(operand));
  }
  raise(ErrorCode::kDtypeMismatch,
        "[{}] is not defined for {}: expected one of {}, got {} ({}). Convert it first with cast.",
        operation, patchbay::to_string(operand.tensor.dtype), to_string(dtypes),
        patchbay::to_string(operand.tensor.dtype), describe(operand));
}

bool has_dtype(const runtime::DeviceState& device, DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::c128: return device.info.properties.f64;
    case DType::c64: return true;
    case DType::f16: return device.info.properties.f16;
    case DType::bf16: return device.info.properties.bf16;
    default: return is_everywhere(dtype);
  }
}

void check_device_has(const char* operation, const runtime::DeviceState& device, DType dtype) {
  if (has_dtype(device, dtype)) [[likely]]
    return;
  if (!contains(kAll | kComplex, dtype)) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] not a dtype: expected one of {}, got the number {}. Use a value of DType.",
          operation, to_string(kAll | kComplex), static_cast<int>(dtype));
  }
  DTypes known = 0;
  for (const DType candidate : kDTypes) {
    if (has_dtype(device, candidate)) known |= dtypes_of(candidate);
  }
  raise(ErrorCode::kUnsupported,
        "[{0}] device {1} has no dtype {2}: expected one of {3}, got {2}. Use one of these, or "
        "another device.",
        operation, device.info.name_text, patchbay::to_string(dtype), to_string(known));
}

bool is_host_scalar(const TensorImpl& tensor, const TensorImpl& place) {
  return tensor.shape.rank() == 0 && !is_watched(tensor) &&
         &tensor.device().runtime == &place.device().runtime &&
         tensor.device().info.properties.kind == DeviceKind::kCpu &&
         tensor.buffer().host_addressable;
}

bool are_rival_scalars(const TensorImpl& a, const TensorImpl& b) {
  return &a.device() != &b.device() && is_host_scalar(a, b) && is_host_scalar(b, a);
}

void check_host_scalar(const char* operation, const TensorImpl& tensor, const TensorImpl& place) {
  runtime::check_scalar_allowed(place.device(), tensor.buffer(), size_bytes(tensor.dtype),
                                operation);
}

base::ElementBits read_host_scalar(const char* operation, const TensorImpl& tensor,
                                   const TensorImpl& place) {
  runtime::BufferState& buffer = tensor.buffer();
  if (runtime::Recorder* recorder = runtime::current_recorder()) [[unlikely]] {
    if (recorder->makes(buffer)) runtime::check_not_recording("scalar");
  }
  check_host_scalar(operation, tensor, place);
  buffer.wait_on_host(false, operation);
  buffer.check_readable(operation);
  runtime::record_scalar(place.device(), buffer, size_bytes(tensor.dtype), operation);
  base::ElementBits bits;
  std::memcpy(&bits,
              static_cast<const char*>(buffer.memory.base) + buffer.memory.offset_bytes +
                  tensor.offset_bytes,
              size_bytes(tensor.dtype));
  return bits;
}

Shape broadcast_shapes(const char* operation, const NamedOperand& a, const NamedOperand& b) {
  const Shape& x = a.tensor.shape;
  const Shape& y = b.tensor.shape;
  if (x == y) return x;
  for (int i = 1; i <= std::min(x.rank(), y.rank()); ++i) {  // from the last
    const std::int64_t mine = x[x.rank() - i], other = y[y.rank() - i];
    if (mine == other || mine == 1 || other == 1) continue;
    raise(ErrorCode::kShapeMismatch,
          "[{}] shapes {} and {} do not broadcast: expected equal extents, or 1, in dimension -{}, "
          "got {} and {} ({}; {}). Reshape one of them.",
          operation, to_string(x), to_string(y), i, mine, other, describe(a), describe(b));
  }
  return joined(x, y);
}

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  for (int i = 1; i <= shorter.rank(); ++i) {  // from the last
    std::int64_t& mine = shape[shape.rank() - i];
    if (mine == 1) mine = shorter[shorter.rank() - i];
  }
  return shape;
}

void check_out(const char* operation, const TensorImpl& out, const Shape& shape, DType dtype,
               std::string_view name) {
  const auto raise_unfit = [&](ErrorCode code, const char* what, std::string_view expected,
                               std::string_view got) {
    const std::string way_out =
        name == "out" ? fmt::format("Give an out of {}{}.",
                                    code == ErrorCode::kShapeMismatch ? "shape " : "", expected)
                      : std::string(
                            "The result does not fit in place: use the form that returns "
                            "a new tensor.");
    raise(code, "[{}] {} has the wrong {}: expected {}, got {} ({}). {}", operation, name, what,
          expected, got, describe({name, out}), way_out);
  };
  if (out.dtype != dtype) [[unlikely]] {
    raise_unfit(ErrorCode::kDtypeMismatch, "dtype", patchbay::to_string(dtype),
                patchbay::to_string(out.dtype));
  }
  if (out.shape != shape) [[unlikely]] {
    raise_unfit(ErrorCode::kShapeMismatch, "shape", to_string(shape), to_string(out.shape));
  }
  check_destination(operation, out, name);
}

void refuse_gradient(const char* operation, const NamedOperand& operand) {
  if (!is_watched(operand.tensor)) [[likely]]
    return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} requires gradients, which do not flow into a destination: expected an operand "
        "without, got {}. Use the form that returns a new tensor, or write inside a NoGrad scope.",
        operation, operand.name, describe(operand));
}

void check_destination(const char* operation, const TensorImpl& out, std::string_view name) {
  out.buffer().check_writable(operation, name);
  if (repeats_elements(out)) [[unlikely]] {
    raise(ErrorCode::kInvalidArgument,
          "[{0}] {1} repeats elements: expected a place of its own for each, got strides {2} ({1}: "
          "{3}). Write into {1}.clone(), and use that one from then on.",
          operation, name, to_string(out.strides), describe(out));
  }
  if (is_watched(out)) [[unlikely]] {
    raise(ErrorCode::kInvalidArgument,
          "[{}] {} requires gradients, so a recorded graph may need it ({}). Use the form that "
          "returns a new tensor, or write inside a NoGrad scope.",
          operation, name, describe({name, out}));
  }
}

namespace {

/// `how`: " in part" where the very same elements are allowed.
[[noreturn, gnu::cold]] void raise_overlap(const char* operation, const char* how,
                                           const NamedOperand& out, const NamedOperand& input) {
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} and {} overlap{} ({}; {}). Clone the {} first: {}.clone().", operation, out.name,
        input.name, how, describe(out), describe(input),
        input.name == "source" ? "source" : "input", input.name);
}

}  // namespace

void check_no_partial_overlap(const char* operation, const NamedOperand& out,
                              const NamedOperand& input) {
  if (overlap(out.tensor, input.tensor) == Overlap::kPartial) [[unlikely]]
    raise_overlap(operation, " in part", out, input);
}

void check_no_overlap(const char* operation, const TensorImpl& out, const NamedOperand& input) {
  if (overlap(out, input.tensor) != Overlap::kNone) [[unlikely]]
    raise_overlap(operation, "", {"out", out}, input);
}

void check_outputs_apart(const char* operation, const TensorImpl& out, const TensorImpl& other) {
  if (overlap(out, other) == Overlap::kNone) [[likely]]
    return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] out and another out overlap ({}; {}). Give each of them memory of its own.",
        operation, describe({"out", out}), describe({"another out", other}));
}

}  // namespace patchbay::tensor

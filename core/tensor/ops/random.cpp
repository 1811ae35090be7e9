// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random tensors. A kernel's draws start at the generator's seed and offset.
#include "patchbay/random.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

#include "patchbay/complex.h"
#include "patchbay/ops.h"

#include "core/base/small_float.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/generator_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/stream/recorder.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/draw_scope.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/dispatch/split_draws.h"

namespace patchbay {

Generator::Generator(std::uint64_t seed) : Generator(State{seed, 0}) {}

Generator::Generator(State state) : state_(std::make_shared<runtime::GeneratorState>()) {
  runtime::check_not_recording("Generator");  // each run would continue where the last ended
  set_state(state);
}

Generator::State Generator::state() const { return advance(0); }

void Generator::set_state(State state) const { tensor::set_state(state_, state); }

void Generator::manual_seed(std::uint64_t seed) const { set_state({seed, 0}); }

Generator::State Generator::advance(std::uint64_t num_calls) const {
  return tensor::advance(state_, num_calls);
}

Generator default_generator(const Runtime& runtime) { return Generator(runtime.state().generator); }

Generator default_generator() {
  return Generator(default_device().shared_state()->runtime.generator);
}

void manual_seed(std::uint64_t seed) {
  runtime::check_not_recording("manual_seed");  // each replay starts at its generator's position
  if (tensor::is_recomputing()) return;         // the draws have the positions of the forward's
  runtime::seed_default_generators(seed);
}

namespace tensor {
namespace {

using ChosenGenerator = std::optional<Generator>;

/// The bits of a distribution's parameters, as many as its operator has.
using Parameters = std::array<std::uint64_t, 3>;
constexpr std::size_t kFirstParameter = 4;  // after out, seed, offset, base

Generator::State take_offset(const Operator& op, const TensorImpl& out,
                             const ChosenGenerator& generator) {
  if (draw_scope != nullptr) [[unlikely]]
    draw_scope->next_kind = {&op, out.num_elements};
  return (generator ? *generator : Generator(out.device().runtime.generator)).advance();
}

void add_position(Launch& launch, const Generator::State& state) {
  launch.scalar(state.seed, DType::i64, runtime::kSeedSlot);
  launch.scalar(state.offset, DType::i64, runtime::kOffsetSlot);
}

/// Adds `out` in row-major order, in which the draws are counted.
void add_out(Launch& launch, const TensorImpl& out) {
  if (out.is_contiguous) return launch.flat(out, PATCHBAY_WRITE);
  Iteration walk(out.shape);
  walk.add(out);
  walk.collapse();
  launch.tensor(out, walk.extents(), walk.strides(0), PATCHBAY_WRITE);
}

/// Called before an offset is taken: a call that is refused takes none.
runtime::KernelState& kernel_of(const Operator& op, const TensorImpl& out) {
  return prepared(*out.device().kernels, op, out.dtype, out.dtype);
}

/// `overwrites`: whether `out` was there before the call.
void draw(const char* operation, const Operator& op, const TensorImpl& out,
          const ChosenGenerator& generator, const Parameters& parameters, bool overwrites) {
  runtime::KernelState& kernel = kernel_of(op, out);
  const std::int64_t base = current_part != nullptr ? current_part->base_of(out) : 0;
  if (overwrites) out.buffer().count_version();
  const Generator::State state = take_offset(op, out, generator);
  if (out.is_empty()) return;
  Launch launch;
  add_out(launch, out);
  add_position(launch, state);
  launch.scalar(static_cast<std::uint64_t>(base), DType::i64);  // the index of the first element
  for (std::size_t k = kFirstParameter; op.arguments[k] != 0; ++k) {
    launch.scalar(parameters[k - kFirstParameter], op.arguments[k] == 'i' ? DType::i64 : out.dtype);
  }
  launch.run(operation, kernel);
}

void check_drawn_dtype(const char* operation, const Operator& op, DType dtype) {
  if (contains(op.dtypes, dtype)) return;
  raise(ErrorCode::kDtypeMismatch,
        "[{0}] is not defined for {1}: expected one of {2}, got {1}. Choose one of these.",
        operation, patchbay::to_string(dtype), to_string(op.dtypes));
}

[[noreturn, gnu::cold]] void raise_bad_bounds(const char* operation, const char* what,
                                              const char* expected, double low, double high) {
  raise(ErrorCode::kInvalidArgument,
        "[{}] {}: expected {}, got low {}, high {}. Choose other bounds.", operation, what,
        expected, low, high);
}

/// low, width, and the greatest value: the last one below high.
template <class T, class Bits>
Parameters uniform_parameters(const char* operation, double low, double high) {
  const T first = static_cast<T>(low), last = static_cast<T>(high), width = last - first;
  if (!std::isfinite(width)) {
    raise_bad_bounds(operation, "bounds too far apart", "a width that the dtype has", low, high);
  }
  const T most = first < last ? std::nextafter(last, first) : first;
  return {std::bit_cast<Bits>(first), std::bit_cast<Bits>(width), std::bit_cast<Bits>(most)};
}

/// The parameters for 16-bit floats, whose differences are exact in f64.
Parameters uniform_parameters(const char* operation, base::SmallFloat format, double low,
                              double high) {
  const double first = decode(format, encode(format, low));
  const std::uint16_t end = encode(format, high);
  const std::uint16_t width = encode(format, decode(format, end) - first);
  if ((width & 0x7fff) == format.infinity()) {
    raise_bad_bounds(operation, "bounds too far apart", "a width that the dtype has", low, high);
  }
  constexpr std::uint16_t kLargestBelowZero = 0x8001;
  const bool is_zero = (end & 0x7fff) == 0, is_negative = (end & 0x8000) != 0;
  const int below = is_zero ? kLargestBelowZero : is_negative ? end + 1 : end - 1;
  const bool is_range = first < decode(format, end);
  return {encode(format, first), width, static_cast<std::uint64_t>(is_range ? below : end)};
}

Parameters uniform_parameters(const char* operation, DType dtype, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    raise_bad_bounds(operation, "no range", "finite numbers, low at most high", low, high);
  }
  // Throws if the dtype can't hold the bounds.
  for (const double bound : {low, high}) static_cast<void>(Scalar(bound).bits(dtype, operation));
  switch (dtype) {
    case DType::f16: return uniform_parameters(operation, base::kHalf, low, high);
    case DType::bf16: return uniform_parameters(operation, base::kBrain, low, high);
    case DType::f32: return uniform_parameters<float, std::uint32_t>(operation, low, high);
    default: return uniform_parameters<double, std::uint64_t>(operation, low, high);
  }
}

Parameters normal_parameters(const char* operation, DType dtype, double mean, double deviation) {
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] no normal distribution: expected a finite mean and a finite deviation of at least "
          "0, got mean {}, deviation {}. Choose others.",
          operation, mean, deviation);
  }
  return {Scalar(mean).bits(dtype, operation), Scalar(deviation).bits(dtype, operation)};
}

template <class T>
bool holds(std::int64_t low, std::int64_t last) {
  return low >= std::int64_t{std::numeric_limits<T>::min()} &&
         last <= std::int64_t{std::numeric_limits<T>::max()};
}

/// low, and the number of integers from low on.
Parameters integer_parameters(const char* operation, DType dtype, std::int64_t low,
                              std::int64_t high) {
  if (low >= high) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] no integers to choose from: expected low < high, got low {}, high {}. Choose other "
          "bounds: high is not among the results.",
          operation, low, high);
  }
  const bool fits =
      dtype == DType::i64 || (dtype == DType::i32 ? holds<std::int32_t>(low, high - 1)
                                                  : holds<std::uint8_t>(low, high - 1));
  if (!fits) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] integers that {} does not have: expected low and high - 1 within the dtype, got "
          "low {}, high {}. Choose other bounds, or i64.",
          operation, patchbay::to_string(dtype), low, high);
  }
  const auto first = static_cast<std::uint64_t>(low);
  return {first, static_cast<std::uint64_t>(high) - first};
}

void check_probability(const char* operation, double p) {
  if (p >= 0 && p <= 1) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] no probability: expected a number from 0 to 1, got {}. Choose another p.", operation,
        p);
}

/// Draws below this value become true.
Parameters mask_parameters(double p) {
  return {static_cast<std::uint64_t>(std::llrint(p * 0x1p32))};
}

Tensor make_drawn(const char* operation, const Operator& op, const Shape& shape, DType dtype,
                  const std::optional<Device>& device, const ChosenGenerator& generator,
                  const Parameters& parameters) {
  const Device place = device ? *device : default_device();
  Tensor result = make_empty(operation, shape, dtype, place.shared_state());
  draw(operation, op, *result.impl(), generator, parameters, /*overwrites=*/false);
  return result;
}

/// The tensor that a fill writes to.
const TensorImpl& target_of(const char* operation, const Operator& op, const Tensor& out) {
  const TensorImpl& impl = impl_of(operation, out, "out");
  check_drawn_dtype(operation, op, impl.dtype);
  check_destination(operation, impl);
  return impl;
}

}  // namespace
}  // namespace tensor

namespace {

/// The shape and the options of the parts of complex numbers.
std::pair<Shape, TensorOptions> pairs_of(Shape shape, TensorOptions options, DType dtype) {
  shape.push_back(2);
  options.dtype = real_dtype(dtype);
  return {shape, options};
}

}  // namespace

Tensor rand(const Shape& shape, const TensorOptions& options,
            const std::optional<Generator>& generator) {
  const DType dtype = options.dtype.value_or(DType::f32);
  if (is_complex(dtype)) {
    const auto [pairs, parts] = pairs_of(shape, options, dtype);
    return view_as_complex(rand(pairs, parts, generator));
  }
  tensor::check_drawn_dtype("rand", tensor::op::uniform, dtype);
  return tensor::make_drawn("rand", tensor::op::uniform, shape, dtype, options.device, generator,
                            tensor::uniform_parameters("rand", dtype, 0, 1));
}

Tensor randn(const Shape& shape, const TensorOptions& options,
             const std::optional<Generator>& generator) {
  const DType dtype = options.dtype.value_or(DType::f32);
  if (is_complex(dtype)) {  // of variance 1: each part has 1/2
    const auto [pairs, parts] = pairs_of(shape, options, dtype);
    const Tensor drawn = randn(pairs, parts, generator);
    return view_as_complex(mul_out(drawn, drawn, 0.70710678118654752440));
  }
  tensor::check_drawn_dtype("randn", tensor::op::normal, dtype);
  return tensor::make_drawn("randn", tensor::op::normal, shape, dtype, options.device, generator,
                            tensor::normal_parameters("randn", dtype, 0, 1));
}

Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
               const TensorOptions& options, const std::optional<Generator>& generator) {
  const DType dtype = options.dtype.value_or(DType::i64);
  tensor::check_drawn_dtype("randint", tensor::op::integers, dtype);
  return tensor::make_drawn("randint", tensor::op::integers, shape, dtype, options.device,
                            generator, tensor::integer_parameters("randint", dtype, low, high));
}

Tensor randperm(std::int64_t n, const Device& device, const std::optional<Generator>& generator) {
  if (n < 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[randperm] a negative number of elements: expected at least 0, got {}. Choose "
                "another n.",
                n);
  }
  Tensor result = tensor::make_empty("randperm", Shape{n}, DType::i64, device.shared_state());
  const tensor::TensorImpl& out = *result.impl();
  const Tensor scratch =
      tensor::make_empty("randperm", Shape{2 * n + 64}, DType::i64, device.shared_state());
  runtime::KernelState& kernel = tensor::kernel_of(tensor::op::permutation, out);
  const Generator::State state = tensor::take_offset(tensor::op::permutation, out, generator);
  if (n == 0) return result;
  tensor::Launch launch;
  launch.flat(out, PATCHBAY_WRITE);
  launch.flat(*scratch.impl(), PATCHBAY_READ | PATCHBAY_WRITE);
  tensor::add_position(launch, state);
  launch.run("randperm", kernel);
  return result;
}

Tensor bernoulli(double p, const Shape& shape, const Device& device,
                 const std::optional<Generator>& generator) {
  tensor::check_probability("bernoulli", p);
  return tensor::make_drawn("bernoulli", tensor::op::mask, shape, DType::boolean, device, generator,
                            tensor::mask_parameters(p));
}

Tensor dropout_mask(double p, const Shape& shape, const Device& device,
                    const std::optional<Generator>& generator) {
  tensor::check_probability("dropout_mask", p);
  return tensor::make_drawn("dropout_mask", tensor::op::mask, shape, DType::boolean, device,
                            generator, tensor::mask_parameters(1 - p));
}

const Tensor& fill_uniform(const Tensor& out, double low, double high,
                           const std::optional<Generator>& generator) {
  const tensor::TensorImpl& impl = tensor::target_of("fill_uniform", tensor::op::uniform, out);
  tensor::draw("fill_uniform", tensor::op::uniform, impl, generator,
               tensor::uniform_parameters("fill_uniform", impl.dtype, low, high),
               /*overwrites=*/true);
  return out;
}

const Tensor& fill_normal(const Tensor& out, double mean, double deviation,
                          const std::optional<Generator>& generator) {
  const tensor::TensorImpl& impl = tensor::target_of("fill_normal", tensor::op::normal, out);
  tensor::draw("fill_normal", tensor::op::normal, impl, generator,
               tensor::normal_parameters("fill_normal", impl.dtype, mean, deviation),
               /*overwrites=*/true);
  return out;
}

const Tensor& fill_integers(const Tensor& out, std::int64_t low, std::int64_t high,
                            const std::optional<Generator>& generator) {
  const tensor::TensorImpl& impl = tensor::target_of("fill_integers", tensor::op::integers, out);
  tensor::draw("fill_integers", tensor::op::integers, impl, generator,
               tensor::integer_parameters("fill_integers", impl.dtype, low, high),
               /*overwrites=*/true);
  return out;
}

const Tensor& fill_bernoulli(const Tensor& out, double p,
                             const std::optional<Generator>& generator) {
  const tensor::TensorImpl& impl = tensor::target_of("fill_bernoulli", tensor::op::mask, out);
  tensor::check_probability("fill_bernoulli", p);
  tensor::draw("fill_bernoulli", tensor::op::mask, impl, generator, tensor::mask_parameters(p),
               /*overwrites=*/true);
  return out;
}

}  // namespace patchbay

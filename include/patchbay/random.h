// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random tensors: docs/random.md. An element depends only on the seed, the offset and its row-major
// index (Philox4x32-10: Salmon et al., 2011). So one seed gives the same numbers on every device,
// for any number of threads and any strides. Normal deviates are within 4 ulp of |mean| + |z
// deviation|. Calls queue on the device like other operations, and have no gradient. Floats are
// f32, f64, f16 and bf16.
#ifndef PATCHBAY_RANDOM_H_
#define PATCHBAY_RANDOM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/runtime.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace runtime {
struct GeneratorState;
}

/// A sequence of draws. Each call that uses the generator takes one offset, whatever the number of
/// elements; a call that is refused takes none. A shared handle: copies share one sequence.
/// Thread-safe; the order of the calls of several threads decides which offset each gets.
class PATCHBAY_API Generator {
 public:
  struct State {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;  // of the next call
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Generator(std::uint64_t seed = 0);
  explicit Generator(State state);

  /// The state, to save it and to set it in this or another generator.
  State state() const;
  void set_state(State state) const;
  /// Sets the seed, and the offset 0.
  void manual_seed(std::uint64_t seed) const;
  /// Returns the state and takes `num_calls` offsets at once, for draws that are made elsewhere.
  State advance(std::uint64_t num_calls = 1) const;

  friend bool operator==(const Generator& a, const Generator& b) { return a.state_ == b.state_; }

  explicit Generator(std::shared_ptr<runtime::GeneratorState> state) : state_(std::move(state)) {}

 private:
  runtime::ObjectHandle<runtime::GeneratorState, "Generator"> state_;
};

/// The generator of operations that are given none: one for all devices of a runtime, so that the
/// device of a tensor does not change its numbers. It starts with offset 0 and the seed of the last
/// manual_seed, else seed 0.
PATCHBAY_API Generator default_generator(const Runtime& runtime);
/// The default generator of the runtime of default_device().
PATCHBAY_API Generator default_generator();
/// Seeds the default generators of all runtimes of the process, including later ones. For one
/// runtime: default_generator(runtime).manual_seed(seed). Errors: kInvalidArgument during the
/// recording of a graph.
PATCHBAY_API void manual_seed(std::uint64_t seed);

// Creation. Without a generator, the default generator of the device's runtime is used. Errors of
// all: kDtypeMismatch; kInvalidArgument for a wrong range or probability; those of empty().
/// Uniform in [0, 1): multiples of 2^-24, in f64 of 2^-53. Dtypes: floats; f32 unless given.
[[nodiscard]] PATCHBAY_API Tensor rand(const Shape& shape, const TensorOptions& options = {},
                                       const std::optional<Generator>& generator = {});
/// Normal with mean 0 and deviation 1. Dtypes: floats; f32 unless given.
[[nodiscard]] PATCHBAY_API Tensor randn(const Shape& shape, const TensorOptions& options = {},
                                        const std::optional<Generator>& generator = {});
/// Integers in [low, high). Dtypes: i64 unless given, i32, u8.
[[nodiscard]] PATCHBAY_API Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
                                          const TensorOptions& options = {},
                                          const std::optional<Generator>& generator = {});
/// The integers 0 to n - 1 in random order (i64): the indices sorted by (64-bit draw, index).
[[nodiscard]] PATCHBAY_API Tensor randperm(std::int64_t n, const Device& device = default_device(),
                                           const std::optional<Generator>& generator = {});
/// A bool tensor: true with probability p, rounded to a multiple of 2^-32.
[[nodiscard]] PATCHBAY_API Tensor bernoulli(double p, const Shape& shape,
                                            const Device& device = default_device(),
                                            const std::optional<Generator>& generator = {});
/// A bool tensor: false (dropped) with probability p. The same as bernoulli(1 - p).
[[nodiscard]] PATCHBAY_API Tensor dropout_mask(double p, const Shape& shape,
                                               const Device& device = default_device(),
                                               const std::optional<Generator>& generator = {});

// In place, for any strides. Errors: as above, and those of Tensor::fill_.
/// Uniform in [low, high), or `low` if they are equal. Dtypes: floats.
PATCHBAY_API const Tensor& fill_uniform(const Tensor& out, double low = 0, double high = 1,
                                        const std::optional<Generator>& generator = {});
/// mean + deviation z, with z as in randn. Dtypes: floats.
PATCHBAY_API const Tensor& fill_normal(const Tensor& out, double mean = 0, double deviation = 1,
                                       const std::optional<Generator>& generator = {});
/// Integers in [low, high). Dtypes: i32, i64, u8.
PATCHBAY_API const Tensor& fill_integers(const Tensor& out, std::int64_t low, std::int64_t high,
                                         const std::optional<Generator>& generator = {});
/// True with probability p. Dtype: bool.
PATCHBAY_API const Tensor& fill_bernoulli(const Tensor& out, double p,
                                          const std::optional<Generator>& generator = {});

}  // namespace patchbay

#endif  // PATCHBAY_RANDOM_H_

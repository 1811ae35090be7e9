// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random tensors: docs/random.md. An element is a function of seed, offset and its row-major index
// alone (Philox4x32-10: Salmon et al., 2011), so one seed gives the same numbers on every device
// and for any number of threads and any strides; normal deviates agree within 4 ulp of |mean| + |z
// deviation|. Calls queue on the device like other operations.
#ifndef PATCHBAY_RANDOM_H_
#define PATCHBAY_RANDOM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/runtime.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace runtime {
struct GeneratorState;
}

/// A sequence of draws: each call that takes the generator takes one offset of it, whatever the
/// number of elements; a call that fails takes none. A handle: copies share one sequence.
/// Thread-safe; which of two threads comes first is theirs to settle.
class PATCHBAY_API Generator {
 public:
  struct State {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;  // of the next call
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Generator(std::uint64_t seed = 0);
  explicit Generator(State state);

  /// To be saved, and set again in this or another generator.
  State state() const;
  void set_state(State state) const;
  /// As a new generator of that seed: the offset is 0.
  void manual_seed(std::uint64_t seed) const;
  /// The state, and takes `num_calls` offsets at once, for draws that are made elsewhere.
  State advance(std::uint64_t num_calls = 1) const;

  friend bool operator==(const Generator& a, const Generator& b) { return a.state_ == b.state_; }

  explicit Generator(std::shared_ptr<runtime::GeneratorState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<runtime::GeneratorState> state_;
};

/// What operations take that are given none: one for all devices of a runtime, so that where a
/// tensor is made changes no number. It begins with offset 0, and the seed of manual_seed, else 0.
PATCHBAY_API Generator default_generator(const Runtime& runtime);
/// That of the runtime of default_device().
PATCHBAY_API Generator default_generator();
/// Seeds the default generators of all runtimes of the process, also of those that are made later.
/// For one alone: default_generator(runtime).manual_seed(seed). Errors: kInvalidArgument while a
/// graph is being recorded.
PATCHBAY_API void manual_seed(std::uint64_t seed);

// Creation. Without a generator: that of the device's runtime. Errors of all: kDtypeMismatch;
// kInvalidArgument for a range or a probability; those of empty().
/// Uniform in [0, 1); f32 (multiples of 2^-24) and f64 (of 2^-53).
[[nodiscard]] PATCHBAY_API Tensor rand(const Shape& shape, const TensorOptions& options = {},
                                       const std::optional<Generator>& generator = {});
/// Normal of mean 0 and deviation 1; f32 and f64.
[[nodiscard]] PATCHBAY_API Tensor randn(const Shape& shape, const TensorOptions& options = {},
                                        const std::optional<Generator>& generator = {});
/// Integers in [low, high); i64 unless given, i32 and u8.
[[nodiscard]] PATCHBAY_API Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape,
                                          const TensorOptions& options = {},
                                          const std::optional<Generator>& generator = {});
/// The integers 0 to n - 1 in random order, i64: sorted by (64-bit draw, index) on the device.
[[nodiscard]] PATCHBAY_API Tensor randperm(std::int64_t n, const Device& device = default_device(),
                                           const std::optional<Generator>& generator = {});
/// bool: true with probability p, where a draw of 32 bits is less than p 2^32, rounded to nearest.
[[nodiscard]] PATCHBAY_API Tensor bernoulli(double p, const Shape& shape,
                                            const Device& device = default_device(),
                                            const std::optional<Generator>& generator = {});
/// bool: false, dropped, with probability p: bernoulli(1 - p).
[[nodiscard]] PATCHBAY_API Tensor dropout_mask(double p, const Shape& shape,
                                               const Device& device = default_device(),
                                               const std::optional<Generator>& generator = {});

// In place, of any strides. Errors as above, and those of Tensor::fill_.
/// Uniform in [low, high), or `low` if they are equal; f32 and f64.
PATCHBAY_API const Tensor& fill_uniform(const Tensor& out, double low = 0, double high = 1,
                                        const std::optional<Generator>& generator = {});
/// mean + deviation z, z as in randn; f32 and f64.
PATCHBAY_API const Tensor& fill_normal(const Tensor& out, double mean = 0, double deviation = 1,
                                       const std::optional<Generator>& generator = {});
/// Integers in [low, high); i32, i64 and u8.
PATCHBAY_API const Tensor& fill_integers(const Tensor& out, std::int64_t low, std::int64_t high,
                                         const std::optional<Generator>& generator = {});
/// True with probability p; bool.
PATCHBAY_API const Tensor& fill_bernoulli(const Tensor& out, double p,
                                          const std::optional<Generator>& generator = {});

}  // namespace patchbay

#endif  // PATCHBAY_RANDOM_H_

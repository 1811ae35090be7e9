// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// First values of parameters: docs/modules.md. They write the tensor in place and return it;
// nothing is recorded, so parameters may require gradients. Without a generator, the default
// generator of the device's runtime is used. Dtypes: floats. Errors: kShapeMismatch for too few
// dimensions; kInvalidArgument for a range that is empty.
#ifndef PATCHBAY_NN_INIT_H_
#define PATCHBAY_NN_INIT_H_

#include <cstdint>
#include <optional>

#include "patchbay/export.h"
#include "patchbay/random.h"
#include "patchbay/tensor.h"

namespace patchbay::nn::init {

/// The number of inputs of an output element, and of output elements of an input.
struct Fan {
  std::int64_t in, out;
};
/// The fan of a weight [out, in, ...]: `in` and `out` times the number of the other elements.
PATCHBAY_API Fan fan_of(const Tensor& weight);

enum class FanMode : std::uint8_t { kIn, kOut };
enum class Nonlinearity : std::uint8_t { kLinear, kSigmoid, kTanh, kRelu, kLeakyRelu, kSelu };
/// By how much to widen weights before the function, so that variances stay: 1, 1, 5/3, sqrt(2),
/// sqrt(2 / (1 + slope^2)), 3/4.
PATCHBAY_API double calculate_gain(Nonlinearity function, double slope = 0.01);

using OptionalGenerator = std::optional<Generator>;

/// `value` everywhere.
PATCHBAY_API const Tensor& constant(const Tensor& tensor, double value);
/// 0 everywhere.
PATCHBAY_API const Tensor& zeros(const Tensor& tensor);
/// 1 everywhere.
PATCHBAY_API const Tensor& ones(const Tensor& tensor);
/// 1 on the diagonal of a matrix, else 0.
PATCHBAY_API const Tensor& eye(const Tensor& tensor);
/// Of a convolution's weight [out, in, k ...], of rank 3 to 5: each group passes its first channels
/// on as they are; the rest is 0. Errors: kInvalidArgument unless `groups` divides `out`.
PATCHBAY_API const Tensor& dirac(const Tensor& tensor, std::int64_t groups = 1);
/// Uniform in [low, high).
PATCHBAY_API const Tensor& uniform(const Tensor& tensor, double low = 0, double high = 1,
                                   const OptionalGenerator& generator = {});
/// Normal with this mean and deviation.
PATCHBAY_API const Tensor& normal(const Tensor& tensor, double mean = 0, double deviation = 1,
                                  const OptionalGenerator& generator = {});
/// Uniform in +-gain sqrt(6 / (in + out)) (Glorot and Bengio, Understanding the Difficulty of
/// Training Deep Feedforward Neural Networks, 2010).
PATCHBAY_API const Tensor& xavier_uniform(const Tensor& tensor, double gain = 1,
                                          const OptionalGenerator& generator = {});
/// Normal with deviation gain sqrt(2 / (in + out)) (Glorot and Bengio, 2010).
PATCHBAY_API const Tensor& xavier_normal(const Tensor& tensor, double gain = 1,
                                         const OptionalGenerator& generator = {});

struct KaimingOptions {
  FanMode mode = FanMode::kIn;
  Nonlinearity nonlinearity = Nonlinearity::kLeakyRelu;
  double slope = 0;  // of the leaky relu
};
/// Uniform in +-gain sqrt(3 / fan) (He et al., Delving Deep into Rectifiers, 2015).
PATCHBAY_API const Tensor& kaiming_uniform(const Tensor& tensor, const KaimingOptions& options = {},
                                           const OptionalGenerator& generator = {});
/// Normal with deviation gain / sqrt(fan) (He et al., Delving Deep into Rectifiers, 2015).
PATCHBAY_API const Tensor& kaiming_normal(const Tensor& tensor, const KaimingOptions& options = {},
                                          const OptionalGenerator& generator = {});

// These compute on the host, in f64, and are copied to the tensor: each is one copy from its
// device, of the numbers that are drawn there, and one to it, both counted. They block.
/// Normal, but for numbers outside of [low, high], which are drawn again, as it were: the inverse
/// of the distribution of uniform numbers. Errors: kInvalidArgument unless low < high and deviation
/// > 0.
PATCHBAY_API const Tensor& trunc_normal(const Tensor& tensor, double mean = 0, double deviation = 1,
                                        double low = -2, double high = 2,
                                        const OptionalGenerator& generator = {});
/// Of a weight [out, ...] as a matrix of `out` rows: rows or columns, whichever are fewer, that are
/// orthogonal and as long as `gain`: Q of the QR decomposition of normal numbers, with the signs
/// that make the diagonal of R positive (Saxe et al., Exact Solutions to the Nonlinear Dynamics of
/// Learning in Deep Linear Neural Networks, 2013).
PATCHBAY_API const Tensor& orthogonal(const Tensor& tensor, double gain = 1,
                                      const OptionalGenerator& generator = {});
/// Of a matrix: normal around 0, with sparsity times the rows, rounded up, of each column 0
/// (Martens, Deep Learning via Hessian-Free Optimization, 2010). Errors: kInvalidArgument unless
/// 0 <= sparsity <= 1.
PATCHBAY_API const Tensor& sparse(const Tensor& tensor, double sparsity, double deviation = 0.01,
                                  const OptionalGenerator& generator = {});

}  // namespace patchbay::nn::init

#endif  // PATCHBAY_NN_INIT_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of vectors and matrices, and views of matrices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/tensor/linalg/matrices.h"

namespace patchbay {
namespace {

using tensor::NamedOperand;

/// The order of products that multiplies least (Godbole, On Efficient Computation of Matrix Chain
/// Products, 1973).
class Chain {
 public:
  explicit Chain(const std::vector<Tensor>& matrices) : matrices_(matrices) {
    const std::size_t n = matrices.size();
    best_.assign(n, std::vector<Split>(n));
    for (std::size_t length = 2; length <= n; ++length) {
      for (std::size_t first = 0; first + length <= n; ++first) {
        const std::size_t last = first + length - 1;
        Split& split = best_[first][last];
        split.cost = std::numeric_limits<double>::infinity();
        for (std::size_t at = first; at < last; ++at) {
          const double cost = best_[first][at].cost + best_[at + 1][last].cost +
                              extent(first) * extent(at + 1) * extent(last + 1);
          if (cost < split.cost) split = {cost, at};
        }
      }
    }
  }

  Tensor product(std::size_t first, std::size_t last) const {
    if (first == last) return matrices_[first];
    const std::size_t at = best_[first][last].at;
    return matmul(product(first, at), product(at + 1, last));
  }

 private:
  struct Split {
    double cost = 0;
    std::size_t at = 0;
  };

  /// The rows of matrix i, and the columns of the last.
  double extent(std::size_t i) const {
    return static_cast<double>(i < matrices_.size() ? matrices_[i].size(-2)
                                                    : matrices_.back().size(-1));
  }

  const std::vector<Tensor>& matrices_;
  std::vector<std::vector<Split>> best_;
};

const tensor::TensorImpl& check_vector(const char* operation, const Tensor& x,
                                       std::string_view name) {
  const tensor::TensorImpl& impl = tensor::operand_of(operation, x, name);
  if (impl.shape.rank() == 1) return impl;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] {} is no vector: expected rank 1, got {} ({}). Reshape it.", operation, name,
              impl.shape.rank(), tensor::describe({name, impl}));
}

/// The dimensions of an operand of tensordot.
struct Summed {
  std::vector<int> kept, summed;
};
Summed summed(const NamedOperand& x, const Axes& axes) {
  Summed result;
  for (const int axis : axes.dims) {
    const int dim = tensor::resolve_axis("tensordot", x, axis);
    if (std::find(result.summed.begin(), result.summed.end(), dim) != result.summed.end()) {
      base::raise(ErrorCode::kInvalidArgument,
                  "[tensordot] dimension {} is named twice ({}). Name it once.", dim,
                  tensor::describe(x));
    }
    result.summed.push_back(dim);
  }
  for (int dim = 0; dim < x.tensor.shape.rank(); ++dim) {
    const auto found = std::find(result.summed.begin(), result.summed.end(), dim);
    if (found == result.summed.end()) result.kept.push_back(dim);
  }
  return result;
}
std::vector<int> joined(std::vector<int> first, const std::vector<int>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

namespace linalg {

Tensor matrix_power(const Tensor& x, Index n) {
  tensor::check_square("matrix_power", x);
  if (n < 0) return matrix_power(tensor::inverse("matrix_power", x), -n);
  if (n == 0) {
    const Tensor one =
        tensor::identities(tensor::batch_shape(x.shape()), x.size(-1), x.size(-1), x);
    if (!tensor::needs_grad(x)) return one;
    tensor::record("matrix_power", one, x,
                   tensor::Backward([](const Tensor& grad, const tensor::Node&) {
                     return std::vector<Tensor>{zeros_like(grad)};
                   }));
    return one;
  }
  Tensor result, power = x;
  for (std::int64_t left = n; left != 0; left /= 2) {
    if (left % 2 != 0) result = result.defined() ? matmul(result, power) : power;
    if (left > 1) power = matmul(power, power);
  }
  return result.is_same(x) ? x.clone() : result;
}

Tensor multi_dot(const std::vector<Tensor>& matrices) {
  constexpr const char* kName = "multi_dot";
  if (matrices.size() < 2) {
    base::raise(ErrorCode::kInvalidArgument,
                "[multi_dot] too few matrices: expected 2 or more, got {}. Pass all factors.",
                matrices.size());
  }
  std::vector<Tensor> factors = matrices;
  const auto name_of = [](std::size_t i) { return "matrices[" + std::to_string(i) + "]"; };
  for (std::size_t i = 0; i < factors.size(); ++i) {
    static_cast<void>(tensor::operand_of(kName, factors[i], name_of(i)));
  }
  const bool is_row = factors.front().rank() == 1, is_column = factors.back().rank() == 1;
  if (is_row) factors.front() = factors.front().unsqueeze(0);
  if (is_column) factors.back() = factors.back().unsqueeze(1);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::string name = name_of(i);
    const NamedOperand each{name, *factors[i].impl()};
    tensor::check_same_device(kName, {"matrices[0]", *factors[0].impl()}, each);
    tensor::check_same_dtype(kName, {"matrices[0]", *factors[0].impl()}, each);
    if (factors[i].rank() != 2) {
      base::raise(ErrorCode::kShapeMismatch,
                  "[multi_dot] expected matrices of rank 2, got rank {} ({}). Only the first and "
                  "the last may be vectors.",
                  factors[i].rank(), tensor::describe(each));
    }
    if (i > 0 && factors[i - 1].size(1) != factors[i].size(0)) {
      base::raise(ErrorCode::kShapeMismatch,
                  "[multi_dot] matrices {} and {} do not fit: expected {} rows, got {} ({}). "
                  "Transpose or reshape one.",
                  i - 1, i, factors[i - 1].size(1), factors[i].size(0), tensor::describe(each));
    }
  }
  Tensor result = Chain(factors).product(0, factors.size() - 1);
  if (is_column) result = result.squeeze(-1);
  return is_row ? result.squeeze(0) : result;
}

Tensor cross(const Tensor& a, const Tensor& b, Dim dim) {
  constexpr const char* kName = "cross";
  const NamedOperand left{"a", tensor::operand_of(kName, a, "a")};
  const NamedOperand right{"b", tensor::operand_of(kName, b, "b")};
  tensor::check_same_device(kName, left, right);
  tensor::check_same_dtype(kName, left, right);
  for (const NamedOperand* const each : {&left, &right}) {
    const int axis = tensor::resolve_axis(kName, *each, dim);
    const std::int64_t extent = each->tensor.shape.rank() == 0 ? 1 : each->tensor.shape[axis];
    if (extent == 3) continue;
    base::raise(ErrorCode::kShapeMismatch,
                "[cross] no vectors of 3 elements: expected extent 3 along dimension {}, got {} "
                "({}). Choose another dimension.",
                axis, extent, tensor::describe(*each));
  }
  const auto part = [&](const Tensor& x, int i) { return x.select(dim, i); };
  std::vector<Tensor> parts;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(sub(mul(part(a, j), part(b, k)), mul(part(a, k), part(b, j))));
  }
  return stack(parts, dim);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  constexpr const char* kName = "outer";
  const NamedOperand left{"a", check_vector(kName, a, "a")};
  const NamedOperand right{"b", check_vector(kName, b, "b")};
  tensor::check_same_device(kName, left, right);
  tensor::check_same_dtype(kName, left, right);
  return mul(a.unsqueeze(1), b.unsqueeze(0));
}

Tensor vecdot(const Tensor& a, const Tensor& b, Dim dim) {
  constexpr const char* kName = "vecdot";
  const NamedOperand left{"a", tensor::operand_of(kName, a, "a")};
  const NamedOperand right{"b", tensor::operand_of(kName, b, "b")};
  tensor::check_same_device(kName, left, right);
  tensor::check_same_dtype(kName, left, right);
  const int axis = tensor::resolve_axis(kName, left, dim);
  const int other = tensor::resolve_axis(kName, right, dim);
  const std::int64_t n = a.rank() == 0 ? 1 : a.size(axis), m = b.rank() == 0 ? 1 : b.size(other);
  if (n != m) {
    base::raise(ErrorCode::kShapeMismatch,
                "[vecdot] vectors differ in length: expected {} elements along dimension {}, got "
                "{} ({}; {}). Reshape one.",
                n, axis, m, tensor::describe(left), tensor::describe(right));
  }
  return sum(mul(conj(a), b), dim);
}

Tensor tensordot(const Tensor& a, const Tensor& b, Index num_axes) {
  const NamedOperand left{"a", tensor::operand_of("tensordot", a, "a")};
  const NamedOperand right{"b", tensor::operand_of("tensordot", b, "b")};
  if (num_axes < 0 || num_axes > a.rank() || num_axes > b.rank()) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[tensordot] bad num_axes: expected 0 to {}, got {} ({}; {}). Choose as many as both "
        "have.",
        std::min(a.rank(), b.rank()), std::int64_t{num_axes}, tensor::describe(left),
        tensor::describe(right));
  }
  Axes a_axes, b_axes;
  for (int i = 0; i < num_axes; ++i) {
    a_axes.dims.push_back(a.rank() - static_cast<int>(num_axes) + i);
    b_axes.dims.push_back(i);
  }
  return tensordot(a, b, a_axes, b_axes);
}

Tensor tensordot(const Tensor& a, const Tensor& b, const Axes& a_axes, const Axes& b_axes) {
  const NamedOperand left{"a", tensor::operand_of("tensordot", a, "a")};
  const NamedOperand right{"b", tensor::operand_of("tensordot", b, "b")};
  tensor::check_same_device("tensordot", left, right);
  tensor::check_same_dtype("tensordot", left, right);
  const Summed of_a = summed(left, a_axes), of_b = summed(right, b_axes);
  if (of_a.summed.size() != of_b.summed.size()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[tensordot] {} dimensions of a and {} of b ({}; {}). Name as many of both.",
                of_a.summed.size(), of_b.summed.size(), tensor::describe(left),
                tensor::describe(right));
  }
  for (std::size_t i = 0; i < of_a.summed.size(); ++i) {
    const int mine = of_a.summed[i], theirs = of_b.summed[i];
    if (a.size(mine) == b.size(theirs)) continue;
    base::raise(
        ErrorCode::kShapeMismatch,
        "[tensordot] dimension {} of a has {} elements, dimension {} of b {} ({}; {}). Name "
        "dimensions of equal extents.",
        mine, a.size(mine), theirs, b.size(theirs), tensor::describe(left),
        tensor::describe(right));
  }
  Shape shape;
  std::int64_t rows = 1, columns = 1, inner = 1;
  for (const int dim : of_a.kept) {
    shape.push_back(a.size(dim));
    rows *= a.size(dim);
  }
  for (const int dim : of_a.summed) inner *= a.size(dim);
  for (const int dim : of_b.kept) {
    shape.push_back(b.size(dim));
    columns *= b.size(dim);
  }
  const Tensor x = a.permute(joined(of_a.kept, of_a.summed)).reshape({rows, inner});
  const Tensor y = b.permute(joined(of_b.summed, of_b.kept)).reshape({inner, columns});
  return matmul(x, y).reshape(shape);
}

Tensor trace(const Tensor& x, Index offset) {
  tensor::check_matrices("trace", x, "x", tensor::kAll | tensor::kComplex);
  return sum(x.diagonal(offset), -1);
}

Tensor diagonal(const Tensor& x, Index offset) {
  tensor::check_matrices("diagonal", x, "x", tensor::kAll | tensor::kComplex);
  return x.diagonal(offset);
}

Tensor matrix_transpose(const Tensor& x) {
  tensor::check_matrices("matrix_transpose", x, "x", tensor::kAll | tensor::kComplex);
  return x.transpose(-2, -1);
}

}  // namespace linalg
}  // namespace patchbay

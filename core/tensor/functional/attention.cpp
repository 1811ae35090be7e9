// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Attention by blocks of queries: Rabe and Staats, Self-Attention Does Not Need O(n^2) Memory,
// 2021, and Dao et al., FlashAttention, 2022. Backward computes the probabilities of a block again.
// Forward is the device's own kernel, if it has one for these operands.
#include "patchbay/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/functional.h"
#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/runtime/stream/stream_scope.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/draw_scope.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/products/gemm.h"
#include "core/tensor/views/sum.h"

namespace patchbay {
namespace {

using tensor::computed;
using tensor::NamedOperand;
using tensor::Saved;

constexpr const char* kName = "scaled_dot_product_attention";
/// Queries that a CPU computes at once, because its caches hold their scores. Dropout always draws
/// for this many.
constexpr std::int64_t kBlock = 64;
/// Accelerators compute more at once: about four queries for each feature, so that the scores take
/// a few times the memory of the operands.
constexpr std::int64_t kMostBlocks = 8, kBlocksOfFeatures = 4;

/// The operands in the dtype that is computed in. The first three have the same leading dimensions;
/// the mask is undefined or has rank 2 or more.
struct Operands {
  Tensor query, key, value, mask;
  double scale;
  bool is_causal;
  double dropout;
  Generator generator;  // of the dropout

  std::int64_t num_queries() const { return query.size(-2); }
  std::int64_t num_keys() const { return key.size(-2); }
};

/// A block of queries, and the keys that they may attend to: the first ones.
struct Block {
  std::int64_t begin, end, num_keys;

  Tensor of_queries(const Tensor& a) const { return a.slice(-2, begin, end); }
  Tensor of_keys(const Tensor& a) const { return a.slice(-2, 0, num_keys); }
  /// Of what broadcasts to [..., queries, keys].
  Tensor of_mask(const Tensor& a) const {
    const Tensor rows = a.size(-2) == 1 ? a : of_queries(a);
    return a.size(-1) == 1 ? rows : rows.slice(-1, 0, num_keys);
  }
};

std::int64_t block_size(const Operands& in) {
  if (in.dropout != 0 || in.query.device().kind() == DeviceKind::kCpu) return kBlock;
  return std::clamp<std::int64_t>(kBlocksOfFeatures * in.query.size(-1) / kBlock, 1, kMostBlocks) *
         kBlock;
}

template <class Each>
void for_blocks(const Operands& in, const Each& each) {
  if (in.num_keys() == 0) return;
  const std::int64_t size = block_size(in);
  for (std::int64_t begin = 0; begin < in.num_queries(); begin += size) {
    const std::int64_t end = std::min(begin + size, in.num_queries());
    each(Block{begin, end, in.is_causal ? std::min(end, in.num_keys()) : in.num_keys()});
  }
}

/// a^T b or a b^T times `scale`, added to `out` if `adds`.
void multiply_to(const Tensor& out, const Tensor& a, const Tensor& b, double scale = 1,
                 bool adds = false) {
  matmul_out(out, a, b, scale, adds ? 1 : 0);
}

/// The scores of a block, -infinity where a query may not attend to a key.
Tensor scores_of(const Operands& in, const Block& block) {
  const Tensor queries = block.of_queries(in.query);
  Shape shape = queries.shape();
  shape[shape.rank() - 1] = block.num_keys;
  Tensor scores = queries.new_empty(shape);
  multiply_to(scores, queries, tensor::transposed(block.of_keys(in.key)), in.scale);
  if (in.mask.defined()) {
    const Tensor part = block.of_mask(in.mask);
    if (part.dtype() == DType::boolean) {
      where_out(scores, part, scores, -INFINITY);
    } else {
      add_out(scores, scores, part);
    }
  }
  if (in.is_causal && block.begin < block.num_keys) {
    const TensorOptions options{DType::i64, scores.device()};
    const Tensor columns = arange(block.begin, block.num_keys, 1, options);
    const Tensor rows = arange(block.begin, block.end, 1, options).unsqueeze(1);
    const Tensor last = scores.slice(-1, block.begin, block.num_keys);
    where_out(last, le(columns, rows), last, -INFINITY);
  }
  return scores;
}

/// Which probabilities of a block are kept; undefined without dropout. Called for the blocks in
/// their order, in backward as in forward.
Tensor draw_kept(const Operands& in, const Tensor& weights) {
  if (in.dropout == 0) return {};
  return dropout_mask(in.dropout, weights.shape(), weights.device(), in.generator);
}

Tensor dropped(const Operands& in, const Tensor& weights, const Tensor& kept) {
  if (!kept.defined()) return weights;
  static const auto& drop =
      *new auto(fuse([](const Expression& weight, const Expression& keeps,
                        const Expression& factor) { return where(keeps, weight * factor, 0); },
                     kName));
  return drop(weights, kept, in.dropout < 1 ? 1 / (1 - in.dropout) : 0);
}

/// Whether a query may be without a key: then its row of scores has no softmax.
bool may_lack_keys(const Operands& in) { return in.mask.defined(); }

/// Writes the block's rows of the result. If a query may lack keys, also the logarithms of the
/// rows' sums: infinity for a query without a key, so that all its probabilities are 0.
void attend(const Operands& in, const Block& block, const Tensor& result, const Tensor& logsums) {
  static const auto& offset = *new auto(
      fuse([](const Expression& most) { return where(eq(abs(most), INFINITY), 0, most); }, kName));
  static const auto& weigh = *new auto(fuse(
      [](const Expression& score, const Expression& most) { return exp(score - most); }, kName));
  static const auto& divide = *new auto(
      fuse([](const Expression& a, const Expression& sum) { return where(eq(sum, 0), 0, a / sum); },
           kName));
  static const auto& logarithm = *new auto(
      fuse([](const Expression& most,
              const Expression& sum) { return where(eq(sum, 0), INFINITY, most + log(sum)); },
           kName));
  const Tensor scores = scores_of(in, block);
  if (!may_lack_keys(in)) {
    const Tensor weights = softmax(scores, -1);
    multiply_to(block.of_queries(result), dropped(in, weights, draw_kept(in, weights)),
                block.of_keys(in.value));
    return;
  }
  const Tensor most = offset(max(scores, -1, /*keep=*/true));
  weigh.out(scores, scores, most);
  const Tensor total = sum(scores, -1, /*keep=*/true);
  const Tensor rows = block.of_queries(result);
  multiply_to(rows, dropped(in, scores, draw_kept(in, scores)), block.of_keys(in.value));
  divide.out(rows, rows, total);
  logarithm.out(block.of_queries(logsums), most, total);
}

/// Gradients are undefined where none is wanted.
struct Gradients {
  Tensor query, key, value, mask;
};

/// With P = softmax(S), M = 0 or 1 / (1 - dropout), D = rowsum(dO * O): dV = (P * M)^T dO, dS = P *
/// (M * dO V^T - D).
void attend_back(const Operands& in, const Block& block, const Tensor& grad, const Tensor& logsums,
                 const Tensor& inner, const Gradients& grads) {
  static const auto& probability = *new auto(
      fuse([](const Expression& score, const Expression& logsum) { return exp(score - logsum); },
           kName));
  static const auto& slope = *new auto(fuse(
      [](const Expression& p, const Expression& a, const Expression& d) { return p * (a - d); },
      kName));
  const Tensor scores = scores_of(in, block), rows = block.of_queries(grad);
  const Tensor weights =
      may_lack_keys(in) ? probability(scores, block.of_queries(logsums)) : softmax(scores, -1);
  const Tensor kept = draw_kept(in, weights);
  if (grads.value.defined()) {
    multiply_to(block.of_keys(grads.value), tensor::transposed(dropped(in, weights, kept)), rows, 1,
                /*adds=*/true);
  }
  if (!grads.query.defined() && !grads.key.defined() && !grads.mask.defined()) return;
  const Tensor slopes = weights.new_empty(weights.shape());
  multiply_to(slopes, rows, tensor::transposed(block.of_keys(in.value)));
  slope.out(slopes, weights, dropped(in, slopes, kept), block.of_queries(inner));
  if (grads.mask.defined()) {
    const Tensor part = block.of_mask(grads.mask);
    add_out(part, part, tensor::sum_to(slopes, part.shape()));
  }
  if (grads.query.defined()) {
    multiply_to(block.of_queries(grads.query), slopes, block.of_keys(in.key), in.scale);
  }
  if (grads.key.defined()) {
    multiply_to(block.of_keys(grads.key), tensor::transposed(slopes), block.of_queries(in.query),
                in.scale, /*adds=*/true);
  }
}

struct Backward {
  Saved query, key, value, mask, result;
  Tensor logsums;
  double scale;
  bool has_mask, is_causal;
  double dropout;
  Generator generator;
  std::shared_ptr<const tensor::DrawLog> draws;  // null without dropout

  std::vector<Tensor> operator()(const Tensor& grad, const tensor::Node& node) const {
    if (is_grad_enabled()) {
      base::raise(ErrorCode::kUnsupported,
                  "[{}] gradients of attention can't be recorded (create_graph). Use matmul and "
                  "softmax where second derivatives are wanted.",
                  kName);
    }
    const Operands in{
        query.get(node), key.get(node), value.get(node), has_mask ? mask.get(node) : Tensor(),
        scale,           is_causal,     dropout,         generator};
    const auto zeros_for = [&](int i, const Tensor& like) {
      return node.inputs[static_cast<std::size_t>(i)] ? grad.new_zeros(like.shape()) : Tensor();
    };
    const Gradients grads{zeros_for(0, in.query), zeros_for(1, in.key), zeros_for(2, in.value),
                          has_mask ? zeros_for(3, in.mask) : Tensor()};
    const Tensor inner = sum(grad * result.get(node).detach(), -1, /*keep=*/true);
    std::optional<tensor::RepeatedDraws> repeated;
    if (draws != nullptr) repeated.emplace(kName, draws);
    for_blocks(in,
               [&](const Block& block) { attend_back(in, block, grad, logsums, inner, grads); });
    return {grads.query, grads.key, grads.value, grads.mask};
  }
};

/// If the result is `known`, in any float dtype, only records its gradients.
Tensor attention(const Operands& in, const Tensor& known) {
  Shape shape = in.query.shape();
  Tensor result, logsums;
  std::shared_ptr<const tensor::DrawLog> draws;
  {
    const tensor::Recording recording(false);
    std::optional<tensor::LoggedDraws> logged;
    if (in.dropout != 0) draws = logged.emplace().log();
    shape[shape.rank() - 1] = in.value.size(-1);
    if (known.defined()) {
      result = known.cast(in.query.dtype());
    } else {
      result = in.num_keys() == 0 ? in.query.new_zeros(shape) : in.query.new_empty(shape);
      shape[shape.rank() - 1] = 1;
      if (may_lack_keys(in)) logsums = in.query.new_empty(shape);
      for_blocks(in, [&](const Block& block) { attend(in, block, result, logsums); });
    }
  }
  const bool mask_needs = in.mask.defined() && tensor::needs_grad(in.mask);
  if (tensor::needs_grad(in.query) || tensor::needs_grad(in.key) || tensor::needs_grad(in.value) ||
      mask_needs) {
    tensor::record(
        kName, result, {&in.query, &in.key, &in.value, &in.mask},
        Backward{Saved("query", in.query), Saved("key", in.key), Saved("value", in.value),
                 in.mask.defined() ? Saved("mask", in.mask) : Saved(), Saved::result(result),
                 logsums, in.scale, in.mask.defined(), in.is_causal, in.dropout, in.generator,
                 draws});
  }
  return result;
}

// -------------------------------------------------------------------- the device's kernel ---

/// [b, h, rows, columns] with the strides that the operator `attention` takes; copied if need be.
Tensor as_four(const Tensor& a) {
  Tensor all = a;
  while (all.rank() < 4) all = all.unsqueeze(0);
  bool fits = all.rank() == 4 && (all.size(3) == 1 || all.strides()[3] == 1);
  for (int d = 0; fits && d < 3; ++d) fits = all.size(d) == 1 || all.strides()[d] > 0;
  if (fits) return all;
  all = all.contiguous();
  return all.rank() == 4 ? all : all.reshape({1, -1, all.size(-2), all.size(-1)});
}

/// Whether elements stand in several places of the tensor.
bool repeats(const Tensor& a) {
  for (int d = 0; d < a.rank(); ++d) {
    if (a.size(d) > 1 && a.strides()[d] == 0) return true;
  }
  return false;
}

/// The result by the device's own kernel, for operands of one shape of leading dimensions. Records
/// no gradients. Undefined if there is no such kernel, or if it refuses these sizes.
Tensor attend_by_kernel(const Tensor& query, const Tensor& key, const Tensor& value, double scale) {
  if (runtime::current_recorder() != nullptr)
    return {};  // a plugin can refuse only what is launched now
  if (query.device().kind() == DeviceKind::kCpu &&
      (repeats(query) || repeats(key) || repeats(value)))
    return {};  // products read what is repeated in place
  const auto word = std::bit_cast<std::uint64_t>(scale);
  runtime::KernelState* const kernel = tensor::prepared_if_any(
      *query.impl()->device().kernels, tensor::op::attention, query.dtype(), {&word, 1});
  if (kernel == nullptr) return {};
  Shape shape = query.shape();
  shape[shape.rank() - 1] = value.size(-1);
  Tensor result = query.new_empty(shape);
  const Tensor operands[] = {as_four(query), as_four(key), as_four(value)};
  tensor::Launch launch;
  const Tensor out = as_four(result);
  launch.tensor(*out.impl(), out.shape(), out.strides(), PATCHBAY_WRITE);
  for (const Tensor& operand : operands) {
    launch.tensor(*operand.impl(), operand.shape(), operand.strides(), PATCHBAY_READ);
  }
  try {
    launch.run(kName, *kernel);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    return {};
  }
  return result;
}

/// Whether the operator `attention` computes it.
bool is_plain(const Tensor& query, const Tensor& key, const Tensor& value,
              const AttentionOptions& options) {
  if (options.mask.defined() || options.is_causal || options.dropout != 0) return false;
  return query.num_elements() != 0 && key.num_elements() != 0 && value.num_elements() != 0;
}

// -------------------------------------------------------------------------------- checks ---

void check_matrices(const NamedOperand& operand, const char* expected) {
  tensor::check_dtype_allowed(kName, tensor::kFloats, operand);
  if (operand.tensor.shape.rank() >= 2) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] {} has the wrong shape: expected {}, got {} ({}). Reshape it.", kName,
              operand.name, expected, to_string(operand.tensor.shape), tensor::describe(operand));
}

std::int64_t extent(const NamedOperand& operand, int from_end) {
  return operand.tensor.shape[operand.tensor.shape.rank() - from_end];
}

void check_fits(const NamedOperand& first, const NamedOperand& second, std::int64_t got,
                std::int64_t expected, const char* what) {
  if (got == expected) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] {} does not fit {}: expected {} {}, got {} ({}; {}). Pass another one.", kName,
              second.name, first.name, expected, what, got, tensor::describe(first),
              tensor::describe(second));
}

/// The dimensions before the last ones; a matrix has two.
Shape leading(const Shape& shape, int num_last = 2) {
  return Shape(std::span(shape.begin(), static_cast<std::size_t>(shape.rank() - num_last)));
}

bool broadcasts(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const std::int64_t x = a[a.rank() - i], y = b[b.rank() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

Shape joined_leading(const Shape& so_far, const Shape& more, const NamedOperand& query,
                     const NamedOperand& other) {
  if (broadcasts(so_far, more)) return tensor::joined(so_far, more);
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] leading dimensions do not broadcast: expected {}, or 1 in some of them, got "
              "{} of {} ({}; {}). Reshape one of them.",
              kName, to_string(so_far), to_string(more), other.name, tensor::describe(query),
              tensor::describe(other));
}

Shape with_matrix(Shape shape, std::int64_t rows, std::int64_t columns) {
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

/// The leading dimensions of key or value, with the query's number of heads in place of theirs.
Shape leading_of_groups(const NamedOperand& query, const NamedOperand& operand) {
  Shape shape = leading(operand.tensor.shape);
  shape[shape.rank() - 1] = extent(query, 3);
  return shape;
}

void check_heads(const NamedOperand& query, const NamedOperand& key, const NamedOperand& value) {
  for (const NamedOperand* operand : {&query, &key, &value}) {
    if (operand->tensor.shape.rank() >= 3) continue;
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] {} has no heads: grouped_heads takes operands of rank 3 or more ({}). "
                "Reshape it.",
                kName, operand->name, tensor::describe(*operand));
  }
  check_fits(key, value, extent(value, 3), extent(key, 3), "heads");
  const std::int64_t heads = extent(query, 3), groups = extent(key, 3);
  if (groups != 0 ? heads % groups == 0 : heads == 0) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] the {} heads of query are no multiple of the {} heads of key ({}; {}). Pass "
              "others.",
              kName, heads, groups, tensor::describe(query), tensor::describe(key));
}

void check_mask(const NamedOperand& query, const AttentionOptions& options, const Shape& scores) {
  const NamedOperand mask{"mask", *options.mask.impl()};
  tensor::check_same_device(kName, query, mask);
  if (mask.tensor.dtype != DType::boolean && mask.tensor.dtype != query.tensor.dtype) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[{}] mask has the wrong dtype: expected bool or {}, got {} ({}; {}). Convert "
                "it first.",
                kName, to_string(query.tensor.dtype), to_string(mask.tensor.dtype),
                tensor::describe(query), tensor::describe(mask));
  }
  const Shape& shape = mask.tensor.shape;
  if (!broadcasts(shape, scores) || tensor::joined(shape, scores) != scores) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] mask has the wrong shape: expected one that broadcasts to {}, got {} ({}; "
                "{}). Reshape it.",
                kName, to_string(scores), to_string(shape), tensor::describe(query),
                tensor::describe(mask));
  }
}

/// Splits the query's heads into groups: each head of key and value is a batch of its own, and
/// broadcasts to the heads of its group.
Tensor attend_in_groups(const Tensor& query, const Tensor& key, const Tensor& value,
                        const AttentionOptions& options) {
  const std::int64_t heads = query.size(-3), groups = key.size(-3);
  const std::int64_t heads_of_group = groups != 0 ? heads / groups : 0;
  const auto split = [&](const Tensor& a) {
    const Shape batch = with_matrix(leading(a.shape(), 3), groups, heads_of_group);
    return a.reshape(with_matrix(batch, a.size(-2), a.size(-1)));
  };
  AttentionOptions inner = options;
  inner.grouped_heads = false;
  if (options.mask.defined() && options.mask.rank() >= 3) {
    inner.mask = options.mask.size(-3) == 1 ? options.mask.unsqueeze(-3) : split(options.mask);
  }
  const Tensor result =
      scaled_dot_product_attention(split(query), key.unsqueeze(-3), value.unsqueeze(-3), inner);
  Shape shape = leading(result.shape(), 4);
  shape.push_back(heads);
  return result.reshape(with_matrix(shape, result.size(-2), result.size(-1)));
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  const NamedOperand q{"query", tensor::operand_of(kName, query, "query")};
  const NamedOperand k{"key", tensor::operand_of(kName, key, "key")};
  const NamedOperand v{"value", tensor::operand_of(kName, value, "value")};
  for (const NamedOperand* other : {&k, &v}) {
    tensor::check_same_device(kName, q, *other);
    tensor::check_same_dtype(kName, q, *other);
  }
  check_matrices(q, "[..., queries, features]");
  check_matrices(k, "[..., keys, features]");
  check_matrices(v, "[..., keys, n]");
  check_fits(q, k, extent(k, 1), extent(q, 1), "features");
  check_fits(k, v, extent(v, 2), extent(k, 2), "keys");
  if (options.grouped_heads) check_heads(q, k, v);
  Shape batch = leading(query.shape());
  for (const NamedOperand* other : {&k, &v}) {
    batch = joined_leading(
        batch, options.grouped_heads ? leading_of_groups(q, *other) : leading(other->tensor.shape),
        q, *other);
  }
  const std::int64_t queries = query.size(-2), keys = key.size(-2), features = query.size(-1);
  if (options.mask.defined()) check_mask(q, options, with_matrix(batch, queries, keys));
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad dropout: expected 0 to 1, got {} ({}). Choose one in this range.", kName,
                options.dropout, tensor::describe(q));
  }
  if (options.scale && !std::isfinite(*options.scale)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad scale: expected a finite number, got {} ({}). Choose another, or leave "
                "it out for 1 / sqrt(features).",
                kName, *options.scale, tensor::describe(q));
  }
  if (options.grouped_heads) return attend_in_groups(query, key, value, options);
  const double scale = options.scale.value_or(
      1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(features, 1))));
  const Shape of_query = with_matrix(batch, queries, features);
  const Shape of_key = with_matrix(batch, keys, features);
  const Shape of_value = with_matrix(batch, keys, value.size(-1));
  Tensor known;
  if (is_plain(query, key, value, options)) {
    const tensor::Recording recording(false);
    known =
        attend_by_kernel(query.expand(of_query), key.expand(of_key), value.expand(of_value), scale);
  }
  const bool records =
      tensor::needs_grad(query) || tensor::needs_grad(key) || tensor::needs_grad(value);
  if (known.defined() && !records) return known;
  Tensor mask = options.mask;
  if (mask.defined() && mask.dtype() != DType::boolean) mask = computed(mask);
  while (mask.defined() && mask.rank() < 2) mask = mask.unsqueeze(0);
  return attention(
             {computed(query).expand(of_query), computed(key).expand(of_key),
              computed(value).expand(of_value), mask, scale, options.is_causal, options.dropout,
              options.generator.value_or(default_generator(query.device().runtime()))},
             known)
      .cast(query.dtype());
}

}  // namespace patchbay

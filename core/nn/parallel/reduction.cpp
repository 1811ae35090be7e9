// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/reduction.h"

#include "patchbay/autograd.h"
#include "patchbay/ops.h"

namespace patchbay::nn::parallel {

BucketPlan::BucketPlan(const Replica& replica, std::size_t num_parameters,
                       std::size_t bucket_bytes) {
  std::size_t filled = 0;
  DType dtype = DType::f32;
  for (std::size_t i = num_parameters; i-- > 0;) {
    const Tensor& value = replica.value(i);
    if (!value.requires_grad()) continue;
    if (buckets.empty() || filled >= bucket_bytes || value.dtype() != dtype) {
      buckets.emplace_back();
      filled = 0;
      dtype = value.dtype();
    }
    buckets.back().push_back(i);
    filled += value.size_bytes();
  }
  bucket_of.assign(num_parameters, buckets.size());
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    for (const std::size_t i : buckets[b]) bucket_of[i] = b;
  }
}

Reduction::Reduction(const Replica& replica, const ProcessGroup& member, const BucketPlan& plan,
                     std::vector<std::atomic<bool>>& used)
    : replica_(replica),
      member_(member),
      plan_(plan),
      used_(used),
      is_ready_(plan.bucket_of.size(), false),
      sums_(plan.bucket_of.size()) {
  for (const auto& bucket : plan.buckets) num_missing_.push_back(bucket.size());
}

void Reduction::note_ready(std::size_t parameter) {
  const std::size_t bucket = plan_.bucket_of[parameter];
  if (bucket == num_missing_.size() || is_ready_[parameter]) return;  // late, if it was sent
  is_ready_[parameter] = true;
  --num_missing_[bucket];
  while (sent_.size() < num_missing_.size() && num_missing_[sent_.size()] == 0) send_next();
}

/// Empties the parameter's gradient; undefined if none came.
Tensor Reduction::take_gradient(std::size_t parameter) {
  const Tensor& value = replica_.value(parameter);
  Tensor gradient = value.grad();
  if (!gradient.defined()) return gradient;
  value.set_grad(Tensor());
  used_[parameter].store(true, std::memory_order_relaxed);
  return gradient;
}

/// The gradients of a bucket one after the other.
Tensor Reduction::packed(const std::vector<std::size_t>& bucket) {
  if (bucket.size() == 1) {
    const Tensor gradient = take_gradient(bucket[0]);
    return gradient.defined() ? gradient.contiguous() : zeros_like(replica_.value(bucket[0]));
  }
  std::int64_t count = 0;
  for (const std::size_t i : bucket) count += replica_.value(i).num_elements();
  Tensor all = replica_.value(bucket[0]).new_empty({count});
  std::int64_t begin = 0;
  for (const std::size_t i : bucket) {
    const Shape& shape = replica_.value(i).shape();
    const Tensor part = all.slice(0, begin, begin + num_elements(shape)).view(shape);
    const Tensor gradient = take_gradient(i);
    gradient.defined() ? part.copy_from(gradient) : part.zero_();
    begin += part.num_elements();
  }
  return all;
}

void Reduction::send_next() {
  const NoGrad no_grad;
  const Tensor elements = packed(plan_.buckets[sent_.size()]);
  sent_.push_back({elements, member_.reduce(elements)});
}

void Reduction::finish() {
  while (sent_.size() < plan_.buckets.size()) send_next();
  for (const Sent& each : sent_) each.work.wait();
  if (replica_.number() != 0) return;
  for (std::size_t b = 0; b < sent_.size(); ++b) {
    const auto& bucket = plan_.buckets[b];
    std::int64_t begin = 0;
    for (const std::size_t i : bucket) {
      const Shape& shape = replica_.value(i).shape();
      const std::int64_t end = begin + num_elements(shape);
      sums_[i] = bucket.size() == 1 ? sent_[b].elements
                                    : sent_[b].elements.slice(0, begin, end).view(shape);
      begin = end;
    }
  }
  sent_.clear();  // so that a sum of its own storage is not copied
}

void Reduction::add_late(const std::vector<std::size_t>& parameters) {
  const NoGrad no_grad;
  for (const std::size_t i : parameters) {
    Tensor late = take_gradient(i);
    if (!late.defined()) late = zeros_like(replica_.value(i));
    member_.reduce(late).wait();
    if (replica_.number() != 0) continue;
    // None was made for a parameter that has been frozen since the forward.
    sums_[i].defined() ? add_out(sums_[i], sums_[i], late) : sums_[i] = late;
  }
}

}  // namespace patchbay::nn::parallel

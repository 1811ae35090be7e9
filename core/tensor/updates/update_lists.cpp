// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/updates/update_lists.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/functional/operands.h"

namespace patchbay {

void check_writable(const char* operation, const Tensor& tensor, std::string_view name) {
  const tensor::TensorImpl& impl = tensor::impl_of(operation, tensor, name);
  impl.buffer().check_writable(operation, name);
  if (!tensor::repeats_elements(impl)) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] {} repeats elements: expected a place of its own for each, got strides {} "
              "({}). Use a clone of it.",
              operation, name, to_string(impl.strides), tensor::describe(impl));
}

namespace tensor {

using base::raise;

std::string name_in(std::string_view list, std::size_t i) { return fmt::format("{}[{}]", list, i); }

/// Like the other checks, makes names only for messages: updates are called for each batch.
void check_float(const char* operation, const UpdateList& list, std::size_t i, DTypes dtypes) {
  const Tensor& tensor = list.tensors[i];
  if (tensor.defined() && contains(dtypes, tensor.dtype())) [[likely]]
    return;
  const std::string name = name_in(list.name, i);
  check_dtype_allowed(operation, dtypes, {name, impl_of(operation, tensor, name)});
}

void check_writable(const char* operation, const UpdateList& list, std::size_t i) {
  const TensorImpl& tensor = *list.tensors[i].impl();
  if (!tensor.buffer().is_read_only && !repeats_elements(tensor)) [[likely]]
    return;
  patchbay::check_writable(operation, list.tensors[i], name_in(list.name, i));
}

namespace {

void check_length(const char* operation, std::span<const UpdateList> lists, std::size_t which) {
  const UpdateList& list = lists[which];
  const std::size_t expected = lists[kParameters].tensors.size();
  if (list.tensors.size() == expected) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] wrong number of tensors: expected {} {}, one for each parameter, got {}. {}",
        operation, expected, list.name, list.tensors.size(),
        which == kGradients ? "Pass an undefined gradient for a parameter without one."
                            : "Give each parameter one: zeros_like(parameter).");
}

void check_like(const char* operation, const UpdateList& parameters, const UpdateList& list,
                std::size_t i) {
  const Tensor &parameter = parameters.tensors[i], &tensor = list.tensors[i];
  const bool is_like = tensor.defined() && tensor.shape() == parameter.shape() &&
                       tensor.dtype() == parameter.dtype() &&
                       &tensor.impl()->device() == &parameter.impl()->device();
  if (is_like) [[likely]]
    return;
  const std::string like = name_in(parameters.name, i), name = name_in(list.name, i);
  const NamedOperand expected{like, *parameter.impl()}, got{name, impl_of(operation, tensor, name)};
  check_same_device(operation, expected, got);
  check_same_dtype(operation, expected, got);
  raise(ErrorCode::kShapeMismatch,
        "[{}] {} has the wrong shape: expected {} like its parameter, got {} ({}; {}). {}",
        operation, name, to_string(parameter.shape()), to_string(tensor.shape()),
        describe(expected), describe(got), help_for(tensor.shape(), parameter.shape()));
}

/// Checks that what is written shares no elements, except that a gradient may be overwritten.
void check_apart(const char* operation, std::span<const UpdateList> lists, std::size_t i) {
  for (std::size_t a = 0; a < lists.size(); ++a) {
    for (std::size_t b = a + 1; b < lists.size(); ++b) {
      const TensorImpl &x = *lists[a].tensors[i].impl(), &y = *lists[b].tensors[i].impl();
      const bool reads_one = a == kGradients || b == kGradients;
      const Overlap shared = tensor::overlap(x, y);
      if (shared == Overlap::kNone) continue;
      if (shared == Overlap::kExact && reads_one) continue;
      const std::string first = name_in(lists[a].name, i), second = name_in(lists[b].name, i);
      raise(ErrorCode::kInvalidArgument,
            "[{}] {} and {} overlap{} ({}; {}). Clone one of them first: {}.clone().", operation,
            first, second, reads_one ? " in part" : "", describe(NamedOperand{first, x}),
            describe(NamedOperand{second, y}), second);
    }
  }
}

/// Whether b begins where a ends, in one storage.
bool follows(const Tensor& a, const Tensor& b) {
  return a.rank() == 1 && b.rank() == 1 && a.is_contiguous() && b.is_contiguous() &&
         a.dtype() == b.dtype() && &a.impl()->buffer() == &b.impl()->buffer() &&
         b.offset_bytes() == a.offset_bytes() + a.size_bytes();
}

bool follows(const UpdateGroup& a, const UpdateGroup& b) {
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    if (!follows(a.tensors[i], b.tensors[i])) return false;
  }
  return true;
}

/// The numbers of a complex tensor, as a vector if it is one.
Tensor pairs_of(const Tensor& tensor) {
  const Tensor pairs = make_pairs(*tensor.impl());
  return tensor.rank() == 1 && tensor.is_contiguous() ? pairs.view({-1}) : pairs;
}

/// a and what follows it.
Tensor extended(const Tensor& a, const Tensor& next) {
  return make_view(*a.impl(), a.offset_bytes(), Shape{a.num_elements() + next.num_elements()},
                   Shape{1});
}

}  // namespace

std::vector<UpdateGroup> groups_of(const char* operation, std::span<const UpdateList> lists,
                                   bool joins) {
  const TensorList& parameters = lists[kParameters].tensors;
  for (std::size_t i = 0; i < lists.size(); ++i) check_length(operation, lists, i);
  std::vector<UpdateGroup> groups;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!lists[kGradients].tensors[i].defined()) continue;
    check_float(operation, lists[kParameters], i, kFloats | kComplex);
    bool is_flat = parameters[i].is_contiguous();
    for (const UpdateList& list : lists.subspan(1)) {
      check_like(operation, lists[kParameters], list, i);
      is_flat = is_flat && list.tensors[i].is_contiguous();
    }
    check_apart(operation, lists, i);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      if (k != kGradients) check_writable(operation, lists[k], i);
    }
    UpdateGroup group{{}, i};
    group.tensors.reserve(lists.size());
    for (const UpdateList& list : lists) {
      const Tensor& given = list.tensors[i];
      const Tensor tensor = is_flat && given.rank() != 1 ? given.view({-1}) : given;
      group.tensors.push_back(is_complex(tensor.dtype()) ? pairs_of(tensor) : tensor);
    }
    if (joins && !groups.empty() && follows(groups.back(), group)) {
      for (std::size_t k = 0; k < lists.size(); ++k) {
        Tensor& joined = groups.back().tensors[k];
        joined = extended(joined, group.tensors[k]);
      }
    } else {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace tensor

}  // namespace patchbay

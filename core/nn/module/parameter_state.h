// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the handles of a parameter share.
#ifndef PATCHBAY_CORE_NN_MODULE_PARAMETER_STATE_H_
#define PATCHBAY_CORE_NN_MODULE_PARAMETER_STATE_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/nn/parameter.h"

namespace patchbay::nn::module {

/// What optimisers keep of a parameter, of its shape. It moves with it, and an optimiser that is
/// gone leaves nothing behind. Thread-safe: making an optimiser does not change the parameter.
class Companions {
 public:
  /// A new one, which the optimiser owns.
  std::shared_ptr<Tensor> add() {
    auto added = std::make_shared<Tensor>();
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [](const auto& each) { return each.expired(); });
    all_.push_back(added);
    return added;
  }
  /// Those whose optimisers are there.
  std::vector<std::shared_ptr<Tensor>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Tensor>> found;
    for (const std::weak_ptr<Tensor>& each : all_) {
      if (std::shared_ptr<Tensor> kept = each.lock()) found.push_back(std::move(kept));
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Tensor>> all_;
};

struct ParameterState {
  Tensor value;
  TensorOptions options;  // of the tensor to come
  bool is_trained = true;
  Companions companions;
};

/// Errors: kInvalidArgument for a parameter of a lazy layer that has not learnt its sizes.
void check_has_shape(std::string_view operation, std::string_view name, const Parameter& parameter);

}  // namespace patchbay::nn::module

#endif  // PATCHBAY_CORE_NN_MODULE_PARAMETER_STATE_H_

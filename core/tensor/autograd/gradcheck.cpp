// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/gradcheck.h"

#include <cmath>
#include <utility>

#include "patchbay/autograd.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {
namespace {

constexpr const char* kName = "gradcheck";

using Doubles = std::vector<double>;

bool requires_grad(const Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); }

void check_f64(const Tensor& tensor, const std::string& name) {
  if (tensor.dtype() == DType::f64) return;
  raise(ErrorCode::kDtypeMismatch,
        "[gradcheck] {} is not precise enough for differences: expected f64, got {} ({}). Check "
        "the function in f64.",
        name, patchbay::to_string(tensor.dtype()), describe(*tensor.impl()));
}

/// The tensor's elements as every second one of a larger tensor.
Tensor spread(const Tensor& tensor) {
  Shape shape = tensor.shape();
  shape.push_back(2);
  const Tensor places = tensor.new_full(shape, NAN);
  Tensor result = places.select(-1, 0);
  result.copy_from(tensor);
  return result;
}

/// One element of one input, and how far to move it.
struct Move {
  std::size_t input;
  std::int64_t element;
  double by;
};

class Gradcheck {
 public:
  Gradcheck(const TensorsFunction& function, const std::vector<Tensor>& inputs,
            const GradcheckOptions& options, bool non_contiguous)
      : function_(function),
        inputs_(inputs),
        options_(options),
        non_contiguous_(non_contiguous),
        values_(inputs.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (requires_grad(inputs[i])) values_[i] = inputs[i].detach().to_vector<double>();
    }
  }

  GradcheckResult run() {
    compute_gradients();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (std::size_t element = 0; element < values_[i].size(); ++element) {
        if (GradcheckResult found = compare(i, element); !found.passed) return found;
      }
    }
    return {};
  }

 private:
  std::vector<Tensor> call(const std::vector<Tensor>& inputs) const {
    std::vector<Tensor> outputs = function_(inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      impl_of(kName, outputs[i], fmt::format("result {}", i));
    }
    return outputs;
  }

  /// Copies that ask for gradients.
  std::vector<Tensor> leaves(const Move* move = nullptr) const {
    std::vector<Tensor> result = inputs_;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!requires_grad(inputs_[i])) continue;
      Tensor copy = inputs_[i].detach().clone();
      if (move != nullptr && move->input == i) {
        const double value = values_[i][static_cast<std::size_t>(move->element)] + move->by;
        copy.view({-1})[move->element].fill_(value);
      }
      if (non_contiguous_) copy = spread(copy);
      copy.requires_grad_();
      result[i] = std::move(copy);
    }
    return result;
  }

  /// gradients_[output][output element][input]: a value for each element of the input.
  void compute_gradients() {
    const std::vector<Tensor> inputs = leaves();
    std::vector<Tensor> wanted;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (requires_grad(inputs_[i])) wanted.push_back(inputs[i]);
    }
    const std::vector<Tensor> outputs = call(inputs);
    for (const Tensor& output : outputs) {
      shapes_.push_back(output.shape());
      is_checked_.push_back(output.requires_grad());
      auto& rows = gradients_.emplace_back();
      if (!output.requires_grad()) continue;
      check_f64(output, fmt::format("result {}", shapes_.size() - 1));
      for (std::int64_t e = 0; e < output.num_elements(); ++e) {
        rows.push_back(gradients_of(output, e, wanted));
      }
    }
    for (const bool checked : is_checked_) {
      if (checked) return;
    }
    raise(ErrorCode::kInvalidArgument,
          "[gradcheck] no result depends on the inputs by recorded operations. Call "
          "it outside of NoGrad, with a function whose operations are recorded.");
  }

  std::vector<Doubles> gradients_of(const Tensor& output, std::int64_t element,
                                    const std::vector<Tensor>& wanted) const {
    Tensor one;
    {
      const Recording recording(false);
      one = output.detach().new_zeros(output.shape());
      one.view({-1})[element].fill_(1);
      if (non_contiguous_) one = spread(one);
    }
    const std::vector<Tensor> got = gradients({output}, wanted, {one}, {.retain_graph = true});
    std::vector<Doubles> rows(inputs_.size());
    for (std::size_t i = 0, k = 0; i < inputs_.size(); ++i) {
      if (!requires_grad(inputs_[i])) continue;
      const Tensor& grad = got[k++];
      rows[i] = grad.defined() ? grad.detach().to_vector<double>() : Doubles(values_[i].size(), 0);
    }
    return rows;
  }

  std::vector<Doubles> values_at(const Move& move) const {
    const std::vector<Tensor> outputs = call(leaves(&move));
    check_alike(outputs);
    std::vector<Doubles> values;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      values.push_back(is_checked_[o] ? outputs[o].detach().to_vector<double>() : Doubles());
    }
    return values;
  }

  void check_alike(const std::vector<Tensor>& outputs) const {
    if (outputs.size() != shapes_.size()) {
      raise(ErrorCode::kInvalidArgument,
            "[gradcheck] the function changes its number of results: expected {} as at first, got "
            "{}. Pass one that always does the same.",
            shapes_.size(), outputs.size());
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o].shape() == shapes_[o]) continue;
      raise(ErrorCode::kShapeMismatch,
            "[gradcheck] result {} changes its shape: expected {} as at first, got {}. Pass a "
            "function that always does the same.",
            o, to_string(shapes_[o]), to_string(outputs[o].shape()));
    }
  }

  GradcheckResult compare(std::size_t input, std::size_t element) const {
    const auto place = static_cast<std::int64_t>(element);
    const std::vector<Doubles> above = values_at({input, place, options_.eps}),
                               below = values_at({input, place, -options_.eps});
    for (std::size_t o = 0; o < above.size(); ++o) {
      for (std::size_t e = 0; e < above[o].size(); ++e) {
        const double difference = (above[o][e] - below[o][e]) / (2 * options_.eps);
        const double gradient = gradients_[o][e][input][element];
        const double bound = options_.atol + options_.rtol * std::fabs(difference);
        // An infinite difference would allow anything.
        if (std::isfinite(difference) && std::fabs(gradient - difference) <= bound) continue;
        return failure({.passed = false,
                        .input = input,
                        .output = o,
                        .input_element = place,
                        .output_element = static_cast<std::int64_t>(e),
                        .gradient = gradient,
                        .difference = difference,
                        .non_contiguous = non_contiguous_});
      }
    }
    return {};
  }

  static GradcheckResult failure(GradcheckResult found) {
    found.message = fmt::format(
        "[gradcheck] the gradient of result {}, element {}, with respect to input {}, element {}, "
        "differs{}: expected {} from differences, got {}.",
        found.output, found.output_element, found.input, found.input_element,
        found.non_contiguous ? " for inputs that are not contiguous" : "", found.difference,
        found.gradient);
    return found;
  }

  const TensorsFunction& function_;
  const std::vector<Tensor>& inputs_;
  const GradcheckOptions& options_;
  const bool non_contiguous_;
  std::vector<Doubles> values_;  // empty for an input that requires no gradients
  std::vector<Shape> shapes_;    // of the results
  std::vector<bool> is_checked_;
  std::vector<std::vector<std::vector<Doubles>>> gradients_;
};

void check_call(bool has_function, const std::vector<Tensor>& inputs,
                const GradcheckOptions& options) {
  if (!has_function) {
    raise(ErrorCode::kInvalidArgument,
          "[gradcheck] the function is empty. Pass the function that computes the results.");
  }
  if (!(options.eps > 0)) {
    raise(ErrorCode::kInvalidArgument,
          "[gradcheck] bad eps: expected more than 0, got {}. Choose another.", options.eps);
  }
  bool has_one = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!requires_grad(inputs[i])) continue;
    has_one = true;
    check_f64(inputs[i], fmt::format("input {}", i));
  }
  if (has_one) return;
  raise(ErrorCode::kInvalidArgument,
        "[gradcheck] no input requires gradients. Call requires_grad_() on those to "
        "check.");
}

}  // namespace
}  // namespace tensor

GradcheckResult gradcheck(const TensorsFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  tensor::check_call(bool(function), inputs, options);
  GradcheckResult result = tensor::Gradcheck(function, inputs, options, false).run();
  if (!result.passed || !options.non_contiguous) return result;
  return tensor::Gradcheck(function, inputs, options, true).run();
}

GradcheckResult gradcheck(const TensorFunction& function, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  TensorsFunction several;
  if (function) {
    several = [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{function(in)}; };
  }
  return gradcheck(several, inputs, options);
}

}  // namespace patchbay

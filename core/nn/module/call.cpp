// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/module/call.h"

#include <string_view>

#include "core/base/error.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn::module {
namespace {

thread_local const Call* innermost = nullptr;

}  // namespace

std::string sentence(std::string_view text) {
  const bool has_end = !text.empty() && std::string_view(".!?").find(text.back()) != text.npos;
  return fmt::format("{}{}", text, has_end ? "" : ".");
}

Call::Call(Module& module) : module_(module), outer_(innermost) { innermost = this; }

Call::~Call() { innermost = outer_; }

std::string Call::path() const {
  if (outer_ == nullptr) return {};
  std::string name;
  walk(outer_->module_, {[&](const std::string& each, Module& module) {
                           if (name.empty() && &module == &module_) name = each;
                         },
                         {}});
  if (name.empty()) return {};
  const std::string above = outer_->path();
  return above.empty() ? name : above + '.' + name;
}

std::string Call::layer() const {
  const std::string name = path(), type = module_.type_name();
  return name.empty() ? type : name + " (" + type + ')';
}

namespace {

/// "input: f32 [2, 3] on cpu:0", as operations describe their operands.
std::string describe(std::string_view name, const Tensor& tensor) {
  return fmt::format("{}: {} {} on {}", name, patchbay::to_string(tensor.dtype()),
                     patchbay::to_string(tensor.shape()), tensor.device().name());
}

}  // namespace

void Call::check_device(const Tensor& input) const {
  if (!input.defined()) return;
  const Device device = input.device();
  walk_own(module_, [&](std::string_view name, Parameter& parameter, bool) {
    if (!parameter.defined() || parameter.device() == device) return;
    const std::string there = parameter.device().name();
    const std::string& here = device.name();
    if (here == there) return;  // of two runtimes, which the error says
    throw LayerError(
        ErrorCode::kDeviceMismatch,
        fmt::format("[{0}] input and parameter are on different devices ({3}; {4}). Move one of "
                    "them: input.to(\"{1}\") or model.move_to(\"{2}\").",
                    layer(), there, here, describe("input", input), describe(name, *parameter)));
  });
}

void Call::check_dtype(const Tensor& input, std::string_view message) const {
  if (!input.defined()) return;
  const auto names = [&](const std::string& text) { return message.find(text) != message.npos; };
  if (!names(describe("", input))) return;
  walk_own(module_, [&](std::string_view name, Parameter& parameter, bool is_buffer) {
    if (is_buffer || !parameter.defined() || !is_floating(parameter.dtype())) return;
    if (parameter.dtype() == input.dtype() || !names(describe("", *parameter))) return;
    const std::string_view wanted = patchbay::to_string(parameter.dtype()),
                           got = patchbay::to_string(input.dtype());
    const bool may_be_cast = is_floating(input.dtype());
    throw LayerError(
        ErrorCode::kDtypeMismatch,
        fmt::format("[{0}] input and parameter have different dtypes: expected the input as {1} "
                    "like {2}, got {3} ({4}; {5}). Convert {6}: input.cast(DType::{1}){7}.",
                    layer(), wanted, name, got, describe("input", input),
                    describe(name, *parameter), may_be_cast ? "one of them" : "it",
                    may_be_cast ? fmt::format(" or model.cast(DType::{})", got) : ""));
  });
}

void Call::rethrow(const Error& error, const Tensor& input) const {
  if (dynamic_cast<const LayerError*>(&error) != nullptr) throw;
  // Only now: a module may well have parts on several devices, and bring its input to them.
  if (error.code() == ErrorCode::kDeviceMismatch) check_device(input);
  if (error.code() == ErrorCode::kDtypeMismatch) check_dtype(input, error.what());
  throw LayerError(error.code(), fmt::format("{} Layer: {}.", sentence(error.what()), layer()),
                   error.native_code(), error.is_retryable());
}

}  // namespace patchbay::nn::module

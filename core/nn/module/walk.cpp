// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/module/walk.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace patchbay::nn {

Members::~Members() = default;

namespace module {
namespace {

using base::raise;

class Walk final : public Members {
 public:
  Walk(Module& root, const Visitor& visitor) : visitor_(visitor) { enter(root); }

 private:
  void enter(Module& module) {
    if (std::ranges::find(inside_, &module) != inside_.end()) {
      raise(ErrorCode::kInvalidArgument,
            "[members] module '{}' contains itself: expected members that do not lead back to it. "
            "Leave it out of members().",
            path_);
    }
    inside_.push_back(&module);
    if (visitor_.module) visitor_.module(path_, module);
    const std::string type = std::exchange(type_, module.type_name());
    const std::vector<std::string> names = std::exchange(names_, {});
    module.members(*this);
    names_ = names;
    type_ = type;
    inside_.pop_back();
  }

  void visit(std::string_view name, Module& module) override {
    const std::size_t length = extend(name);
    enter(module);
    path_.resize(length);
  }
  void visit(std::string_view name, Parameter& parameter, bool is_buffer) override {
    const std::size_t length = extend(name);
    if (visitor_.parameter) visitor_.parameter(path_, parameter, is_buffer);
    path_.resize(length);
  }

  /// Returns the length of the path before.
  std::size_t extend(std::string_view name) {
    if (name.empty() || name.find('.') != std::string_view::npos) {
      raise(ErrorCode::kInvalidArgument,
            "[members] a wrong name in {}: expected some text without dots, got {}", type_,
            base::quote(name));
    }
    if (std::ranges::find(names_, name) != names_.end()) {
      raise(ErrorCode::kInvalidArgument, "[members] two members of {} have one name: {}", type_,
            base::quote(name));
    }
    names_.emplace_back(name);
    const std::size_t length = path_.size();
    if (length != 0) path_ += '.';
    path_ += name;
    return length;
  }

  const Visitor& visitor_;
  std::string path_, type_;
  std::vector<std::string> names_;     // of the module that is visited
  std::vector<const Module*> inside_;  // the module that is visited, and those around it
};

using OnParameter = std::function<void(std::string_view, Parameter&, bool)>;

class WalkOwn final : public Members {
 public:
  explicit WalkOwn(const OnParameter& parameter) : parameter_(parameter) {}

 private:
  void visit(std::string_view, Module&) override {}
  void visit(std::string_view name, Parameter& parameter, bool is_buffer) override {
    parameter_(name, parameter, is_buffer);
  }

  const OnParameter& parameter_;
};

}  // namespace

void walk(Module& root, const Visitor& visitor) { Walk(root, visitor); }

void walk_own(Module& of, const OnParameter& parameter) {
  WalkOwn visitor(parameter);
  of.members(visitor);
}

std::vector<bool> modes_of(Module& root) {
  std::vector<bool> modes;
  for (const NamedModule& each : root.named_modules()) modes.push_back(each.module->is_training());
  return modes;
}

void set_modes(Module& root, const std::vector<bool>& modes) {
  const std::vector<NamedModule> modules = root.named_modules();
  for (std::size_t i = 0; i < modules.size() && i < modes.size(); ++i) {
    // Sets all below too, which come later.
    if (modules[i].module->is_training() != modes[i]) modules[i].module->train(modes[i]);
  }
}

}  // namespace module
}  // namespace patchbay::nn

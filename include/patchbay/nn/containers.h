// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Modules that hold other modules.
#ifndef PATCHBAY_NN_CONTAINERS_H_
#define PATCHBAY_NN_CONTAINERS_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/nn/module.h"

namespace patchbay::nn {

/// A function without parameters, as a module.
class PATCHBAY_API Function : public Module {
 public:
  /// Errors: kInvalidArgument for an empty function.
  explicit Function(std::function<Tensor(const Tensor&)> function, std::string name = "Function");
  Tensor forward(const Tensor& input) override { return function_(input); }
  std::string type_name() const override { return name_; }

 private:
  std::function<Tensor(const Tensor&)> function_;
  std::string name_;
};

/// A module of any type, by value: a copy copies the module as what it is.
class PATCHBAY_API AnyModule {
 public:
  template <std::derived_from<Module> M>
  AnyModule(M module)  // NOLINT(google-explicit-constructor)
      : module_(std::make_unique<M>(std::move(module))), copy_([](const Module& original) {
          return std::unique_ptr<Module>(std::make_unique<M>(static_cast<const M&>(original)));
        }) {}
  /// A function of a tensor becomes a Function.
  template <class F>
  requires(!std::derived_from<std::remove_cvref_t<F>, Module> &&
           !std::same_as<std::remove_cvref_t<F>, AnyModule> &&
           std::is_invocable_r_v<Tensor, F&, const Tensor&>)
      AnyModule(F&& function)  // NOLINT(google-explicit-constructor)
      : AnyModule(Function(std::forward<F>(function))) {}
  AnyModule(const AnyModule& other) : module_(other.copy_(*other)), copy_(other.copy_) {}
  AnyModule(AnyModule&&) noexcept = default;
  AnyModule& operator=(AnyModule other) noexcept {
    std::swap(module_, other.module_);
    std::swap(copy_, other.copy_);
    return *this;
  }
  ~AnyModule() = default;

  /// Errors: kInvalidArgument if the object was moved from.
  Module& operator*() const {
    if (module_ == nullptr) [[unlikely]]
      runtime::raise_moved_from("AnyModule");
    return *module_;
  }
  Module* operator->() const { return &**this; }

 private:
  std::unique_ptr<Module> module_;
  std::unique_ptr<Module> (*copy_)(const Module&);
};

/// Modules whose names are "0", "1", ... or given. It computes nothing itself.
class PATCHBAY_API ModuleList : public Module {
 public:
  ModuleList() = default;

  ModuleList& add(AnyModule module) {
    return add(std::to_string(modules_.size()), std::move(module));
  }
  /// Errors: kInvalidArgument, when members are visited, for a name that is there already.
  ModuleList& add(std::string name, AnyModule module);
  std::size_t size() const { return modules_.size(); }
  /// Errors: kInvalidArgument for an index out of range, and for a module of another type.
  Module& operator[](std::size_t index) const;
  template <std::derived_from<Module> M>
  M& as(std::size_t index) const {
    M* const found = dynamic_cast<M*>(&(*this)[index]);
    if (found == nullptr) raise_type(index);
    return *found;
  }
  void members(Members& each) override;

 private:
  [[noreturn]] void raise_type(std::size_t index) const;

  struct NamedModule {
    std::string name;
    AnyModule module;
  };
  std::vector<NamedModule> modules_;
};

/// Runs modules one after the other: `nn::Sequential net(nn::Linear(784, 256), nn::ReLU(),
/// nn::Linear(256, 10))`. Without modules it returns its input.
class PATCHBAY_API Sequential : public ModuleList {
 public:
  Sequential() = default;
  template <class First, class... Rest>
  requires((sizeof...(Rest) > 0 ||
            !std::same_as<std::remove_cvref_t<First>,
                          Sequential>)&&std::constructible_from<AnyModule, First> &&
           (std::constructible_from<AnyModule, Rest> && ...)) explicit Sequential(First&& first,
                                                                                  Rest&&... rest) {
    add(std::forward<First>(first));
    (add(std::forward<Rest>(rest)), ...);
  }
  Tensor forward(const Tensor& input) override;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_CONTAINERS_H_

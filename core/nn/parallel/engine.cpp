// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/copy.h"
#include "patchbay/custom_function.h"
#include "patchbay/split_draws.h"

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/nn/data/foreign_errors.h"
#include "core/nn/module/call.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn::parallel {
namespace {

using base::raise;

/// An exception of a replica, with its number and device.
[[noreturn]] void rethrow(const std::exception_ptr& failure, std::size_t replica,
                          const Device& device) {
  const auto text = [&](std::string_view what) {
    return fmt::format("{} Replica: {} ({}).", module::sentence(what), replica, device.name());
  };
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    throw module::LayerError(error.code(), text(error.what()), error.native_code(),
                             error.is_retryable());
  } catch (...) {
    throw module::LayerError(ErrorCode::kInvalidArgument,
                             "[DataParallel] " + text(data::text_of_foreign()));
  }
}

/// The first of the replicas' failures: the others follow from it.
class FirstFailure {
 public:
  void note(std::size_t replica) noexcept {
    const std::scoped_lock lock(mutex_);
    if (failure_ != nullptr) return;
    failure_ = std::current_exception();
    replica_ = replica;
  }
  void rethrow_if_any(const std::vector<Device>& devices) const {
    if (failure_ != nullptr) rethrow(failure_, replica_, devices[replica_]);
  }
  bool exists() const { return failure_ != nullptr; }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t replica_ = 0;
};

/// Lets the others stop at their next operation.
void leave(const ProcessGroup& member) noexcept {
  try {
    member.leave("the replica failed");
  } catch (...) {
    // Their deadlines remain.
  }
}

/// Draws of a part of a batch; none if it is all of the batch.
class PartOfDraws {
 public:
  PartOfDraws(SplitDraws& draws, const Pass& pass, std::size_t replica) {
    const Pass::Part& part = pass.parts[replica];
    if (pass.parts.size() > 1) scope_.emplace(draws, part.first_row, part.num_rows);
  }

 private:
  std::optional<SplitDraws::Scope> scope_;
};

/// A replica creates tensors on its device if the caller would on the first one.
class OwnDefaultDevice {
 public:
  OwnDefaultDevice(const Device& first, const Device& own) {
    if (default_device() == first) scope_.emplace(own);
  }

 private:
  std::optional<DefaultDeviceScope> scope_;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Engine::Engine(const AnyModule& original, const std::vector<Device>& devices,
               const DataParallelOptions& options)
    : devices_(devices), options_(options), speeds_(2, Speeds(devices.size())) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    replicas_.push_back(std::make_unique<Replica>(original, i, devices[i]));
    workers_.push_back(std::make_unique<Worker>());
  }
}

bool Engine::fits(Module& original) const {
  const Replica& first = *replicas_[0];
  return State(original).all.size() == first.state().size() &&
         original.named_modules().size() == first.module().named_modules().size();
}

// -------------------------------------------------------------------------------- threads ---

std::vector<ProcessGroup>& Engine::group_of(std::size_t num_replicas) {
  std::vector<ProcessGroup>& group = groups_[num_replicas];
  if (group.empty()) {
    const auto end = devices_.begin() + static_cast<std::ptrdiff_t>(num_replicas);
    group = ProcessGroup::in_process({devices_.begin(), end}, {options_.timeout});
  }
  return group;
}

void Engine::run(std::size_t num_replicas, const Job& job) {
  if (!workers_[0]->is_here()) {
    raise(ErrorCode::kDeviceLost,
          "[DataParallel] it is used in a forked process: expected the process that ran it first, "
          "which has its threads. Make another one here.");
  }
  const base::CancellationOff not_cancelled;  // the jobs use what is on the stack
  const std::vector<ProcessGroup>& group = group_of(num_replicas);
  FirstFailure failure;
  std::vector<std::function<void()>> jobs;  // all made before the first one starts
  for (std::size_t i = 0; i < num_replicas; ++i) {
    jobs.emplace_back([&, i] {
      try {
        job(i, group[i]);
      } catch (...) {
        failure.note(i);
        leave(group[i]);
      }
    });
  }
  for (std::size_t i = 0; i < num_replicas; ++i) workers_[i]->start(std::move(jobs[i]));
  for (std::size_t i = 0; i < num_replicas; ++i) workers_[i]->finish();
  if (!failure.exists()) return;
  groups_.erase(num_replicas);  // it has lost a member
  failure.rethrow_if_any(devices_);
}

// -------------------------------------------------------------------------------- forward ---

/// What has changed since the last forward of one of the replicas.
std::vector<Engine::Change> Engine::changes_of(const State& original,
                                               std::size_t num_replicas) const {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < original.all.size(); ++i) {
    const Tensor& value = original.all[i].parameter.value();
    bool is_stale = false;
    for (std::size_t k = 1; k < num_replicas; ++k) {
      is_stale = is_stale || replicas_[k]->is_stale(i, value);
    }
    if (is_stale) changes.push_back({i, value.detach(), num_overwrites(value)});
  }
  return changes;
}

void Engine::send(const std::vector<Change>& changes, std::size_t replica,
                  const ProcessGroup& member) {
  const NoGrad no_grad;
  std::vector<Work> works;
  for (const Change& each : changes) {
    works.push_back(member.broadcast(replicas_[replica]->value(each.index)));
  }
  // Before a recorded operation reads them, whose record counts what is written later.
  for (const Work& each : works) each.wait();
  for (const Change& each : changes) replicas_[replica]->note_received(each.index);
}

void Engine::run_forward(std::size_t replica, Pass::Part& part, const Tensor& input) {
  const Clock::time_point begin = Clock::now();
  {
    const NoGrad no_grad;
    part.input = input.detach().slice(0, part.first_row, part.first_row + part.num_rows);
    part.input = part.input.to(devices_[replica], {.non_blocking = true});
  }
  if (is_grad_enabled() && input.requires_grad()) part.input.requires_grad_();
  part.output = replicas_[replica]->module()(part.input);
  if (!part.output.defined()) {
    raise(ErrorCode::kInvalidArgument,
          "[DataParallel] forward returned an undefined tensor. Return a tensor with one row for "
          "each row of the batch.");
  }
  if (part.output.rank() == 0) part.output = part.output.reshape({1});
  if (options_.shares != Shares::kMeasured) return;
  devices_[replica].synchronize();
  part.seconds = seconds_since(begin);
  if (!part.output.requires_grad()) part.speeds->note(replica, part.num_rows, part.seconds);
}

std::shared_ptr<Pass> Engine::plan(const Tensor& input) {
  auto pass = std::make_shared<Pass>();
  pass->input_device = input.device();
  Speeds& speeds = speeds_[is_grad_enabled() ? 1 : 0];
  last_shares_ = divide(input.size(0), options_.shares == Shares::kMeasured
                                           ? speeds.wanted(input.size(0))
                                           : std::vector<double>(devices_.size(), 1));
  std::int64_t first_row = 0;
  for (const std::int64_t num_rows : last_shares_) {
    Pass::Part& part = pass->parts.emplace_back();
    part.first_row = first_row;
    part.num_rows = num_rows;
    part.speeds = &speeds;
    first_row += num_rows;
  }
  return pass;
}

Engine::Lock Engine::lock() {
  if (std::ranges::any_of(workers_, [](const auto& each) { return each->is_this_thread(); })) {
    raise(ErrorCode::kInvalidArgument,
          "[DataParallel] it was called by its own module: expected calls of the module alone. "
          "Call the layers themselves there.");
  }
  return Lock(mutex_);
}

Tensor Engine::forward(Module& original, const Tensor& input) {
  const Lock lock = this->lock();
  const std::shared_ptr<Pass> pass = plan(input);
  const State state(original);
  pass->num_parameters = state.num_parameters;
  const std::vector<bool> modes = module::modes_of(original);
  const std::vector<Change> changes = changes_of(state, pass->parts.size());
  const ThreadContext context = ThreadContext::current();
  SplitDraws draws;
  run(pass->parts.size(), [&](std::size_t replica, const ProcessGroup& member) {
    replicas_[replica]->follow(state, modes);
    const ThreadContext::Scope scope(context);
    send(changes, replica, member);
    const OwnDefaultDevice own_default(devices_[0], devices_[replica]);
    const PartOfDraws part_of_draws(draws, *pass, replica);
    run_forward(replica, pass->parts[replica], input);
  });
  draws.finish();
  for (std::size_t i = 1; i < pass->parts.size(); ++i) {
    for (const Change& each : changes) {
      replicas_[i]->note_equal(each.index, each.value, each.num_overwrites);
    }
  }
  return recorded(pass, state, input);
}

/// The joined output, as the result of one operation on the input and the original's parameters.
Tensor Engine::recorded(const std::shared_ptr<Pass>& pass, const State& original,
                        const Tensor& input) {
  Tensor output = joined(*pass);
  const bool is_recorded = std::ranges::any_of(
      pass->parts, [](const Pass::Part& part) { return part.output.requires_grad(); });
  if (!is_recorded) return output;
  std::vector<Tensor> inputs{input};
  for (std::size_t i = 0; i < original.num_parameters; ++i) {
    inputs.push_back(original.all[i].parameter.value());
  }
  const CustomFunction function(
      "DataParallel",
      [&](FunctionContext&, const std::vector<Tensor>&) { return std::vector{output}; },
      [engine = shared_from_this(), pass](const FunctionContext& context,
                                          const std::vector<Tensor>& gradients) {
        const BackwardOptions options = context.backward_options();
        if (options.create_graph) {
          raise(ErrorCode::kUnsupported,
                "[DataParallel] gradients of gradients are not supported (create_graph). Use the "
                "module itself, on one device.");
        }
        return engine->backward(*pass, gradients[0], options.retain_graph);
      });
  return function(inputs)[0];
}

/// The outputs of the replicas, one after the other, on the first device.
Tensor Engine::joined(Pass& pass) const {
  const NoGrad no_grad;
  const Tensor& first = pass.parts[0].output;
  Shape shape = first.shape();
  shape[0] = 0;
  for (std::size_t i = 0; i < pass.parts.size(); ++i) {
    Pass::Part& part = pass.parts[i];
    Shape expected = first.shape(), got = part.output.shape();
    part.first_output = shape[0];
    shape[0] += got[0];
    expected[0] = got[0] = 0;
    if (expected == got && part.output.dtype() == first.dtype()) continue;
    raise(ErrorCode::kShapeMismatch,
          "[DataParallel] outputs can't be joined: expected {} {} but for the number of rows, as "
          "of replica 0, got {} {} of replica {} ({}). Return one dtype, and equal extents after "
          "the first.",
          patchbay::to_string(first.dtype()), patchbay::to_string(first.shape()),
          patchbay::to_string(part.output.dtype()), patchbay::to_string(part.output.shape()), i,
          devices_[i].name());
  }
  Tensor output = empty(shape, {first.dtype(), devices_[0]});
  for (const Pass::Part& part : pass.parts) {
    const std::int64_t end = part.first_output + part.output.size(0);
    output.slice(0, part.first_output, end).copy_from(part.output.detach(), /*non_blocking=*/true);
  }
  return output;
}

// ------------------------------------------------------------------------------- backward ---

namespace {

/// Calls note_ready of a reduction while a backward runs.
class Listening {
 public:
  Listening(Replica& replica, Reduction& reduction) : replica_(replica) {
    replica.set_on_ready([&reduction](std::size_t i) { reduction.note_ready(i); });
  }
  ~Listening() { replica_.set_on_ready(nullptr); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  Replica& replica_;
};

}  // namespace

void Engine::run_backward(std::size_t replica, Pass::Part& part, const Tensor& gradient,
                          bool retains_graph, Reduction& reduction) {
  Replica& mine = *replicas_[replica];
  const Listening listening(mine, reduction);
  const Clock::time_point begin = Clock::now();
  if (part.output.requires_grad()) {
    const std::int64_t end = part.first_output + part.output.size(0);
    const Tensor own = gradient.detach()
                           .slice(0, part.first_output, end)
                           .to(devices_[replica], {.non_blocking = true});
    part.output.backward(own, {.retain_graph = retains_graph});
  }
  if (options_.shares == Shares::kMeasured) {
    devices_[replica].synchronize();
    part.speeds->note(replica, part.num_rows, part.seconds + seconds_since(begin));
  }
  reduction.finish();
}

std::vector<Tensor> Engine::backward(Pass& pass, const Tensor& gradient, bool retains_graph) {
  const Lock lock = this->lock();
  const std::size_t num_replicas = pass.parts.size();
  const BucketPlan plan(*replicas_[0], pass.num_parameters, options_.bucket_bytes);
  std::vector<std::atomic<bool>> used(pass.num_parameters);
  std::vector<std::unique_ptr<Reduction>> reductions(num_replicas);
  const ThreadContext context = ThreadContext::current();
  SplitDraws draws;
  run(num_replicas, [&](std::size_t replica, const ProcessGroup& member) {
    const ThreadContext::Scope scope(context);
    const OwnDefaultDevice own_default(devices_[0], devices_[replica]);
    const PartOfDraws part_of_draws(draws, pass, replica);
    Pass::Part& part = pass.parts[replica];
    replicas_[replica]->drop_gradients(pass.num_parameters);
    if (part.input.requires_grad()) part.input.set_grad(Tensor());
    reductions[replica] = std::make_unique<Reduction>(*replicas_[replica], member, plan, used);
    run_backward(replica, part, gradient, retains_graph, *reductions[replica]);
  });
  draws.finish();
  add_late(reductions, pass.num_parameters);
  std::vector<Tensor> gradients{input_gradient(pass)};
  for (std::size_t i = 0; i < pass.num_parameters; ++i) {
    gradients.push_back(used[i] ? reductions[0]->take_sum(i) : Tensor());
  }
  return gradients;
}

/// Adds what some replica got after its bucket was sent.
void Engine::add_late(const std::vector<std::unique_ptr<Reduction>>& reductions,
                      std::size_t num_parameters) {
  std::vector<std::size_t> late;
  for (std::size_t i = 0; i < num_parameters; ++i) {
    for (std::size_t k = 0; k < reductions.size(); ++k) {
      if (!replicas_[k]->value(i).grad().defined()) continue;
      late.push_back(i);
      break;
    }
  }
  if (late.empty()) return;
  const ThreadContext context = ThreadContext::current();
  run(reductions.size(), [&](std::size_t replica, const ProcessGroup&) {
    const ThreadContext::Scope scope(context);
    reductions[replica]->add_late(late);
  });
}

/// The gradient of the whole input, where the input is.
Tensor Engine::input_gradient(const Pass& pass) const {
  const NoGrad no_grad;
  std::int64_t num_rows = 0;
  Shape shape = pass.parts[0].input.shape();
  bool is_used = false;
  for (const Pass::Part& part : pass.parts) {
    num_rows += part.num_rows;
    is_used = is_used || part.input.grad().defined();
  }
  if (!is_used) return {};
  shape[0] = num_rows;
  Tensor result = zeros(shape, {pass.parts[0].input.dtype(), pass.input_device});
  for (const Pass::Part& part : pass.parts) {
    const Tensor gradient = part.input.grad();
    if (!gradient.defined()) continue;
    result.slice(0, part.first_row, part.first_row + part.num_rows)
        .copy_from(gradient, /*non_blocking=*/true);
  }
  return result;
}

}  // namespace patchbay::nn::parallel

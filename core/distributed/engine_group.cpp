// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/engine_group.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/plugin/loader.h"

namespace patchbay::distributed {
namespace {

patchbay_string abi_string(std::string_view text) { return {text.data(), text.size()}; }

/// Throws the status as a StatusFailure.
void check(patchbay_status* status) {
  const base::StatusHolder held(status);
  if (held) throw StatusFailure{held->code, held->message, held->native_code - 1};
}

}  // namespace

class EngineGroup::Call {
 public:
  Call(const patchbay_collective_table& table, std::vector<Tensor> tensors)
      : table_(table), tensors_(std::move(tensors)) {}
  ~Call() {
    if (work != nullptr) table_.release(work);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool is_unused() const noexcept {
    std::uint32_t done = 0;
    base::release_status(table_.test(work, &done));
    return done != 0;
  }

  patchbay_work* work = nullptr;

 private:
  const patchbay_collective_table& table_;
  const std::vector<Tensor> tensors_;
};

EngineGroup::EngineGroup(std::shared_ptr<runtime::RuntimeState> runtime, runtime::EngineUse engine,
                         std::uint64_t deadline_ns)
    : runtime_(std::move(runtime)),
      engine_(std::move(engine)),
      rank_(engine_->launched_rank),
      size_(std::max<std::uint32_t>(engine_->launched_size, 1)) {
  patchbay_join join{};
  join.size = sizeof(join);
  join.rank = engine_->launched_rank;
  join.num_members = static_cast<std::uint32_t>(size_);
  join.deadline_ns = deadline_ns;
  base::check(engine_->table.join(engine_->driver, &join, &group_), "join", engine_->library_name);
  if (group_ == nullptr) {
    base::raise(ErrorCode::kInternal, "[join] {} gave neither a group nor a status.",
                engine_->library_name);
  }
}

EngineGroup::~EngineGroup() {
  if (runtime::process_is_ending()) return;
  leave("its handle was dropped");
  std::erase_if(failed_, [](const auto& each) { return each->is_unused(); });
  // The engine may write to that memory at any time: it is never freed.
  for (auto& each : failed_) static_cast<void>(new std::shared_ptr<Call>(std::move(each)));
}

std::shared_ptr<EngineGroup::Call> EngineGroup::start(
    const std::vector<patchbay_transfer>& transfers, std::string_view text,
    std::uint64_t deadline_ns, std::vector<Tensor> tensors) {
  auto call = std::make_shared<Call>(engine_->table, std::move(tensors));
  patchbay_call asked{};
  asked.size = sizeof(asked);
  asked.transfers = transfers.data();
  asked.num_transfers = static_cast<std::uint32_t>(transfers.size());
  asked.text = abi_string(text.substr(0, 120));
  asked.deadline_ns = deadline_ns;
  std::erase_if(failed_, [](const auto& each) { return each->is_unused(); });
  try {
    check(engine_->table.start(handle(), &asked, &call->work));
    if (call->work == nullptr) throw StatusFailure{PATCHBAY_INTERNAL, "start gave no call", -1};
  } catch (...) {
    has_failed_.store(true);
    throw;
  }
  return call;
}

void EngineGroup::finish(const std::shared_ptr<Call>& call) {
  try {
    check(engine_->table.wait(call->work, PATCHBAY_NO_DEADLINE));
  } catch (...) {
    has_failed_.store(true);
    failed_.push_back(call);
    throw;
  }
}

patchbay_group* EngineGroup::handle() const {
  const std::scoped_lock lock(mutex_);
  if (group_ == nullptr)
    throw StatusFailure{PATCHBAY_LAUNCH_FAILED, "this process has left it", -1};
  return group_;
}

void EngineGroup::abort(std::string_view reason) noexcept {
  const std::scoped_lock lock(mutex_);
  has_failed_.store(true);
  if (group_ != nullptr) engine_->table.abort(group_, abi_string(reason));
}

void EngineGroup::leave(std::string_view reason) noexcept {
  const std::scoped_lock lock(mutex_);
  if (group_ == nullptr) return;
  engine_->table.leave(group_, abi_string(reason));
  group_ = nullptr;
}

std::vector<ProcessHealth> EngineGroup::health() const {
  const std::scoped_lock lock(mutex_);
  std::vector<ProcessHealth> found(size_);
  if (group_ == nullptr) return found;
  const auto note = [](void* user, const patchbay_member_info* info) {
    auto& all = *static_cast<std::vector<ProcessHealth>*>(user);
    if (info == nullptr || info->rank >= all.size()) return;
    ProcessHealth& one = all[info->rank];
    one.state = info->state;
    one.reason = base::without_line_breaks(std::string(info->reason.data, info->reason.size));
  };
  base::release_status(engine_->table.health(group_, note, &found));
  return found;
}

}  // namespace patchbay::distributed

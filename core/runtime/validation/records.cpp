// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/validation/records.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "core/runtime/search/own_file.h"
#include "core/runtime/validation/guard.h"

namespace patchbay::runtime::validation {
namespace {

/// The object and function of the call that returns to `address`.
Dl_info place_of(const void* address) {
  Dl_info info{};
  const auto* call = static_cast<const char*>(address) - 1;
  if (address == nullptr || dladdr(call, &info) == 0) info = {};
  return info;
}

const void* own_module() {
  Dl_info info{};
  return dladdr(reinterpret_cast<const void*>(&own_module), &info) != 0 ? info.dli_fbase : nullptr;
}

bool is_part_of_program() {
  static const bool is_part = own_file().is_program;
  return is_part;
}

std::string demangle(const char* symbol) {
  int failure = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &failure), &std::free);
  return failure == 0 ? text.get() : symbol;
}

/// "patchbay::Buffer::allocate(patchbay::Device const&, ...)" is "allocate".
std::string short_name(const std::string& function) {
  const std::string name = function.substr(0, function.find('('));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::uint64_t distance(const void* from, const void* to) {
  return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
}

/// The frames still to be filled.
struct Frames {
  void** next;
  void** end;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
  auto& frames = *static_cast<Frames*>(to);
  if (frames.next == frames.end) return _URC_END_OF_STACK;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the unwinder has addresses as integers
  *frames.next++ = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

}  // namespace

/// Not backtrace(): sanitizers replace it by a function that would count as the caller.
CallSite CallSite::here() noexcept {
  CallSite site;
  Frames frames{site.frames_.data(), site.frames_.data() + site.frames_.size()};
  _Unwind_Backtrace(add_frame, &frames);
  site.num_frames_ = static_cast<int>(frames.next - site.frames_.data());
  return site;
}

/// The innermost frame outside the library. num_frames_ if there is none, or if the library is part
/// of the program: its functions can't be told apart then.
int CallSite::first_outside() const {
  if (is_part_of_program()) return num_frames_;
  const void* own = own_module();
  int i = 0;
  while (i < num_frames_ && place_of(frames_[static_cast<std::size_t>(i)]).dli_fbase == own) ++i;
  return i;
}

std::string CallSite::operation(const char* fallback) const {
  const int outside = first_outside();
  if (outside == 0 || is_part_of_program()) return fallback;
  const Dl_info entry = place_of(frames_[static_cast<std::size_t>(outside - 1)]);
  return entry.dli_sname != nullptr ? short_name(demangle(entry.dli_sname)) : fallback;
}

std::string CallSite::caller() const {
  const int outside = first_outside();
  if (outside == num_frames_) return {};
  const void* address = frames_[static_cast<std::size_t>(outside)];
  const Dl_info info = place_of(address);
  if (info.dli_fname == nullptr) return {};
  const std::string_view path = info.dli_fname;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  // An address within the call: the return address may belong to the next line.
  std::string where = fmt::format("{}+{:#x}", file, distance(info.dli_fbase, address) - 1);
  if (info.dli_sname == nullptr) return where;
  return fmt::format("{}+{:#x} ({})", demangle(info.dli_sname), distance(info.dli_saddr, address),
                     where);
}

namespace {

std::uintptr_t number(const void* base) { return reinterpret_cast<std::uintptr_t>(base); }

}  // namespace

BlockMap::Key BlockMap::key_of(const Block& block) {
  if (is_addressable(*block.device, block.kind)) {
    return {0, number(block.whole.base) + block.whole.offset_bytes};
  }
  return {number(block.whole.base), block.whole.offset_bytes};
}

void BlockMap::add(std::shared_ptr<Block> block) {
  const Key key = key_of(*block);
  // The application may have freed memory that it had lent.
  const Key end{key.first, key.second + block->whole_bytes};
  for (auto next = blocks_.lower_bound(key); next != blocks_.end() && next->first < end;) {
    next = next->second->is_wrapped ? blocks_.erase(next) : std::next(next);
  }
  blocks_.insert_or_assign(key, std::move(block));
}

void BlockMap::remove(const Block& block) { blocks_.erase(key_of(block)); }

std::shared_ptr<Block> BlockMap::at(const Key& key) const {
  auto next = blocks_.upper_bound(key);
  if (next == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(next);
  const bool holds = begin.first == key.first && key.second - begin.second < block->whole_bytes;
  return holds ? block : nullptr;
}

std::shared_ptr<Block> BlockMap::find(patchbay_memory memory) const {
  if (auto block = at({number(memory.base), memory.offset_bytes})) return block;
  return at({0, number(memory.base) + memory.offset_bytes});
}

std::shared_ptr<Block> BlockMap::find_address(const void* address) const {
  return at({0, number(address)});
}

std::vector<std::shared_ptr<Block>> BlockMap::all() const {
  std::vector<std::shared_ptr<Block>> result;
  for (const auto& [key, block] : blocks_) result.push_back(block);
  return result;
}

std::vector<std::shared_ptr<Block>> BlockMap::of(const DeviceRecord& device) const {
  std::vector<std::shared_ptr<Block>> result;
  for (const auto& [key, block] : blocks_) {
    if (block->device.get() == &device) result.push_back(block);
  }
  return result;
}

}  // namespace patchbay::runtime::validation

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "buffer_lock.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "futex.hpp"

namespace patchbay::cpu {
namespace {

using Allocate = void* (*)(int);
using Release = void (*)(void*);

// Process-wide like the library itself. Constant initialisation, no destructor.
std::atomic<std::uint32_t> buffer_lock{0};
std::atomic<Allocate> allocate_buffer{nullptr};
std::atomic<Release> release_buffer{nullptr};
int num_users = 0;  // under buffer_lock

/// Held for some tens of nanoseconds, except at a buffer's first use.
class BufferGuard {
 public:
  BufferGuard() noexcept {
    std::uint32_t state = 0;
    if (buffer_lock.compare_exchange_strong(state, 1, std::memory_order_acquire)) return;
    while (buffer_lock.exchange(2, std::memory_order_acquire) != 0) futex_wait(buffer_lock, 2);
  }
  ~BufferGuard() {
    if (buffer_lock.exchange(0, std::memory_order_release) == 2) futex_wake(buffer_lock, 1);
  }
  BufferGuard(const BufferGuard&) = delete;
  BufferGuard& operator=(const BufferGuard&) = delete;
};

void* allocate_locked(int procedure) {
  const BufferGuard guard;
  return allocate_buffer.load(std::memory_order_relaxed)(procedure);
}

void release_locked(void* buffer) {
  const BufferGuard guard;
  release_buffer.load(std::memory_order_relaxed)(buffer);
}

#if defined(__x86_64__)
constexpr std::uint64_t kJumpSlot = R_X86_64_JUMP_SLOT;
#elif defined(__aarch64__)
constexpr std::uint64_t kJumpSlot = R_AARCH64_JUMP_SLOT;
#else
constexpr std::uint64_t kJumpSlot = ~std::uint64_t{0};
#endif

/// The slots through which a library calls a function by name.
class LinkageTable {
 public:
  explicit LinkageTable(const link_map& library) noexcept : base_(library.l_addr) {
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
      const auto address = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) names_ = address;
      if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_JMPREL) slots_ = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_PLTRELSZ) num_slots_ = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }

  /// The place that holds the address called, or null.
  std::atomic<void*>* find(const char* name) const noexcept {
    if (names_ == nullptr || symbols_ == nullptr || slots_ == nullptr) return nullptr;
    for (std::size_t i = 0; i < num_slots_; ++i) {
      const ElfW(Rela)& slot = slots_[i];
      if (ELF64_R_TYPE(slot.r_info) != kJumpSlot) continue;
      const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(slot.r_info)];
      if (std::strcmp(names_ + symbol.st_name, name) != 0) continue;
      return reinterpret_cast<std::atomic<void*>*>(base_ + slot.r_offset);
    }
    return nullptr;
  }

 private:
  ElfW(Addr) base_;
  const char* names_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const ElfW(Rela) * slots_ = nullptr;
  std::size_t num_slots_ = 0;
};

/// Tables bound at load time are read-only; those bound late are writable already.
bool make_writable(const void* place) noexcept {
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(place) & ~(page_size - 1);
  return mprotect(reinterpret_cast<void*>(page), page_size, PROT_READ | PROT_WRITE) == 0;
}

struct Slots {
  std::atomic<void*>* allocate;
  std::atomic<void*>* release;
};

bool find_slots(void* library, Slots& slots) noexcept {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
  const LinkageTable table(*map);
  slots = {table.find("blas_memory_alloc"), table.find("blas_memory_free")};
  return slots.allocate != nullptr && slots.release != nullptr;
}

}  // namespace

bool install_buffer_lock(void* library) noexcept {
  Slots slots;
  const auto allocate = reinterpret_cast<Allocate>(dlsym(library, "blas_memory_alloc"));
  const auto release = reinterpret_cast<Release>(dlsym(library, "blas_memory_free"));
  if (allocate == nullptr || release == nullptr || !find_slots(library, slots)) return false;
  const BufferGuard guard;
  if (num_users > 0) {
    if (allocate_buffer.load() != allocate)
      return false;  // a second library: one lock, one library
    ++num_users;
    return true;
  }
  if (!make_writable(slots.allocate) || !make_writable(slots.release)) return false;
  allocate_buffer.store(allocate);
  release_buffer.store(release);
  slots.allocate->store(reinterpret_cast<void*>(&allocate_locked));
  slots.release->store(reinterpret_cast<void*>(&release_locked));
  num_users = 1;
  return true;
}

void remove_buffer_lock(void* library) noexcept {
  Slots slots;
  const BufferGuard guard;
  if (--num_users > 0 || !find_slots(library, slots)) return;
  slots.allocate->store(reinterpret_cast<void*>(allocate_buffer.load()));
  slots.release->store(reinterpret_cast<void*>(release_buffer.load()));
}

}  // namespace patchbay::cpu

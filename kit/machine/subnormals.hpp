// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How the processor treats subnormal numbers. The only place that touches a thread's register of
// floating-point arithmetic.
#ifndef PATCHBAY_KIT_MACHINE_SUBNORMALS_HPP_
#define PATCHBAY_KIT_MACHINE_SUBNORMALS_HPP_

#include <cstdint>
#include <string>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay {

/// A treatment of subnormal operands and results by a thread's arithmetic in f32 and f64: as the
/// values that they are, or as zeros. A new thread has that of the thread that starts it.
class Subnormals {
 public:
  /// Treats them as values, whatever the thread did before.
  constexpr Subnormals() = default;
  constexpr explicit Subnormals(bool flushes) : flushes_(flushes) {}
  /// What the program wants for its runtime: the setting flush_subnormals.
  static Subnormals wanted(plugin::Host host) {
    const std::string wish = host.option("flush_subnormals").value_or("0");
    if (wish != "0" && wish != "1") plugin::refuse_setting("flush_subnormals", "0 or 1", wish);
    return Subnormals(wish == "1");
  }

  constexpr bool flushes() const { return flushes_; }
  /// For this thread, from now on. On other processors than x86-64 and arm64 without effect.
  void apply() const noexcept {
    const Register now = read();
    if (const Register wanted = of(now); wanted != now) write(wanted);
  }

  /// Applies a treatment to this thread while it lives, then puts the whole register back.
  class Scope {
   public:
    explicit Scope(Subnormals wanted) noexcept
        : before_(read()), is_other_(wanted.differs(before_)) {
      if (is_other_) write(wanted.of(before_));
    }
    ~Scope() {
      if (is_other_) write(before_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const std::uint64_t before_;
    const bool is_other_;
  };

 private:
  using Register = std::uint64_t;

#if defined(__x86_64__)
  static constexpr Register kFlush = 0x8040;  // MXCSR: flush to zero, denormals are zeros
  static Register read() noexcept { return __builtin_ia32_stmxcsr(); }
  static void write(Register value) noexcept {
    asm volatile("" ::: "memory");
    __builtin_ia32_ldmxcsr(static_cast<unsigned>(value));
    asm volatile("" ::: "memory");
  }
#elif defined(__aarch64__)
  static constexpr Register kFlush = Register{1} << 24;  // FPCR.FZ: operands and results
  static Register read() noexcept {
    Register value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void write(Register value) noexcept {
    asm volatile("msr fpcr, %0" ::"r"(value) : "memory");
  }
#else
  static constexpr Register kFlush = 0;
  static Register read() noexcept { return 0; }
  static void write(Register) noexcept {}
#endif

  Register of(Register now) const noexcept { return flushes_ ? now | kFlush : now & ~kFlush; }
  bool differs(Register now) const noexcept { return of(now) != now; }

  bool flushes_ = false;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_MACHINE_SUBNORMALS_HPP_

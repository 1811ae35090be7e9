// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From an operation on one element to a Row: the loops for each way its inputs are laid out.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_ROWS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_ROWS_HPP_

#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <class T>
struct Contiguous {
  const T* data;
  T operator[](std::int64_t i) const { return data[i]; }
  Contiguous from(std::int64_t i) const { return {data + i}; }
};

template <class T>
struct Repeated {
  T value;
  T operator[](std::int64_t) const { return value; }
  Repeated from(std::int64_t) const { return *this; }
};

template <class Op, class Out, class A, class B>
inline void plain_loop(std::int64_t n, Out* out, A a, B b) {
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::apply(a[i], b[i]);
}

/// As many lines at once as keep the vector units busy; they are put together in registers or the
/// first-level cache.
template <class Op, class Out, class A, class B>
inline void stream_loop(std::int64_t n, Out* out, A a, B b) {
  constexpr std::int64_t kLines = 2;
  constexpr std::int64_t kStep = kLines * kLineBytes / static_cast<std::int64_t>(sizeof(Out));
  const auto misaligned =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % kLineBytes);
  const std::int64_t wanted =
      misaligned == 0 ? 0 : (kLineBytes - misaligned) / std::int64_t{sizeof(Out)};
  const std::int64_t head = wanted < n ? wanted : n;
  plain_loop<Op>(head, out, a, b);
  std::int64_t i = head;
  for (; i + kStep <= n; i += kStep) {
    alignas(kLineBytes) Out lines[kStep];
    plain_loop<Op>(kStep, lines, a.from(i), b.from(i));
    char* to = reinterpret_cast<char*>(out + i);
    const char* from = reinterpret_cast<const char*>(lines);
    for (std::int64_t line = 0; line < kLines; ++line) {
      stream_line(to + line * kLineBytes, from + line * kLineBytes);
    }
  }
  plain_loop<Op>(n - i, out + i, a.from(i), b.from(i));
  stream_fence();
}

template <class Op, class Out, class A, class B>
inline void loop(std::int64_t n, Out* out, A a, B b, bool stream) {
  if (stream) {
    stream_loop<Op>(n, out, a, b);
  } else {
    plain_loop<Op>(n, out, a, b);
  }
}

template <class Op, class Out, class A, class B>
void binary_row(std::int64_t n, void* out, const void* a, const void* b, const Steps& steps) {
  Out* o = static_cast<Out*>(out);
  const A* x = static_cast<const A*>(a);
  const B* y = static_cast<const B*>(b);
  if (steps.out == 1 && steps.a == 1 && steps.b == 1) {
    loop<Op>(n, o, Contiguous<A>{x}, Contiguous<B>{y}, steps.stream);
  } else if (steps.out == 1 && steps.a == 1 && steps.b == 0) {
    loop<Op>(n, o, Contiguous<A>{x}, Repeated<B>{*y}, steps.stream);
  } else if (steps.out == 1 && steps.a == 0 && steps.b == 1) {
    loop<Op>(n, o, Repeated<A>{*x}, Contiguous<B>{y}, steps.stream);
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      o[i * steps.out] = Op::apply(x[i * steps.a], y[i * steps.b]);
    }
  }
}

/// Lets an operation of one input run in the loops for two.
template <class Op>
struct FirstOnly {
  template <class A>
  static auto apply(A a, char) {
    return Op::apply(a);
  }
};

template <class Op, class Out, class A>
void unary_row(std::int64_t n, void* out, const void* a, const void*, const Steps& steps) {
  Out* o = static_cast<Out*>(out);
  const A* x = static_cast<const A*>(a);
  if (steps.out == 1 && steps.a == 1) {
    loop<FirstOnly<Op>>(n, o, Contiguous<A>{x}, Repeated<char>{0}, steps.stream);
  } else if (steps.out == 1 && steps.a == 0) {
    loop<FirstOnly<Op>>(n, o, Repeated<A>{*x}, Repeated<char>{0}, steps.stream);
  } else {
    for (std::int64_t i = 0; i < n; ++i) o[i * steps.out] = Op::apply(x[i * steps.a]);
  }
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_ROWS_HPP_

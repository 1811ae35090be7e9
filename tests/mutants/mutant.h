// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Included before every source of a mutated tree (mutants.py): each change stands beside the
// original code, and the environment of the process chooses one of them, or none.
#ifndef PATCHBAY_TESTS_MUTANTS_MUTANT_H_
#define PATCHBAY_TESTS_MUTANTS_MUTANT_H_

#if __cplusplus >= 202002L  // CMake tries the compiler without a standard

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <type_traits>

namespace patchbay_mutants {

/// The number in PATCHBAY_MUTANT; 0 chooses the original code.
inline const int chosen = [] {
  const char* const text = ::getenv("PATCHBAY_MUTANT");
  return text != nullptr ? ::atoi(text) : 0;
}();

/// The file in PATCHBAY_MUTANT_REACHED. Each process appends the numbers of the changes that it
/// reaches, and keeps errno as it was.
inline const char* const reached = ::getenv("PATCHBAY_MUTANT_REACHED");

[[gnu::noinline, gnu::cold]] inline void note_reached(int number) {
  static bool noted[10000] = {};
  if (__atomic_exchange_n(&noted[number], true, __ATOMIC_RELAXED)) return;
  const int kept = errno;
  char digits[8] = "00000\n";
  for (int i = 4, rest = number; i >= 0; --i, rest /= 10) digits[i] = char('0' + rest % 10);
  struct rlimit limit = {};  // a test may have set a small one
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const struct rlimit most = {limit.rlim_max, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &most);
  const int file = ::open(reached, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0) {
    if (::write(file, digits, 6) < 0) errno = 0;
    ::close(file);
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  errno = kept;
}

/// Whether change `number` is chosen. Constant expressions have the original code.
constexpr bool is(int number) {
  if (std::is_constant_evaluated()) return false;
  if (reached != nullptr) [[unlikely]]
    note_reached(number);
  return chosen == number;
}

/// `a < Swap<17, Less, LessEqual>() < b` is `a < b`, or `a <= b` for change 17: the precedence and
/// the types of the operands stay.
template <int kNumber, class Original, class Changed>
struct Swap {};
template <class A, int kNumber, class Original, class Changed>
struct Left {
  const A& a;
};

#define PATCHBAY_MUTANT_OPERATOR(Name, symbol)                                              \
  struct Name {                                                                             \
    template <class A, class B>                                                             \
    static constexpr decltype(auto) apply(const A& a, const B& b) {                         \
      return a symbol b;                                                                    \
    }                                                                                       \
  };                                                                                        \
  template <class A, int kNumber, class Changed>                                            \
  constexpr Left<A, kNumber, Name, Changed> operator symbol(const A& a,                     \
                                                            Swap<kNumber, Name, Changed>) { \
    return {a};                                                                             \
  }                                                                                         \
  template <class A, int kNumber, class Changed, class B>                                   \
  constexpr auto operator symbol(const Left<A, kNumber, Name, Changed>& left, const B& b) { \
    return is(kNumber) ? static_cast<decltype(left.a symbol b)>(Changed::apply(left.a, b))  \
                       : Name::apply(left.a, b);                                            \
  }

PATCHBAY_MUTANT_OPERATOR(Less, <)
PATCHBAY_MUTANT_OPERATOR(LessEqual, <=)
PATCHBAY_MUTANT_OPERATOR(Greater, >)
PATCHBAY_MUTANT_OPERATOR(GreaterEqual, >=)
PATCHBAY_MUTANT_OPERATOR(Equal, ==)
PATCHBAY_MUTANT_OPERATOR(NotEqual, !=)
PATCHBAY_MUTANT_OPERATOR(Plus, +)
PATCHBAY_MUTANT_OPERATOR(Minus, -)
PATCHBAY_MUTANT_OPERATOR(Times, *)
#undef PATCHBAY_MUTANT_OPERATOR

struct Over {
  template <class A, class B>
  static constexpr auto apply(const A& a, const B& b) {
    return b == B{} ? A{} : A(a / b);
  }
};

/// `Sign<17>() - x` is `-x`, or `x` for change 17.
template <int kNumber>
struct Sign {};
template <int kNumber, class B>
constexpr auto operator-(Sign<kNumber>, const B& b) {
  return is(kNumber) ? static_cast<decltype(-b)>(b) : -b;
}

}  // namespace patchbay_mutants

#endif  // C++20

#endif  // PATCHBAY_TESTS_MUTANTS_MUTANT_H_

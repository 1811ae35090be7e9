// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Rows of benchmarks: each has subjects that do the same work, "patchbay" and its peers.
#ifndef PATCHBAY_BENCH_HARNESS_H_
#define PATCHBAY_BENCH_HARNESS_H_

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/bench/timing.h"

namespace bench {

using patchbay::tools::measure;
using patchbay::tools::repeat;
using patchbay::tools::Repeat;
using patchbay::tools::Subject;

/// Prepares the operands, outside the time, and returns the calls that are timed.
using Make = std::function<Repeat()>;

/// `name` is GROUP/SIZE. Rows are measured in the order in which they were added.
void add_subject(const std::string& name, const std::string& subject, Make make);

/// `make()` returns the work: either a function of no arguments, or a Repeat.
template <class MakeWork>
void add(const std::string& name, const std::string& subject, MakeWork make) {
  add_subject(name, subject, [make = std::move(make)]() -> Repeat {
    if constexpr (std::is_same_v<decltype(make()), Repeat>) {
      return make();
    } else {
      return repeat(make());
    }
  });
}

/// Adds Patchbay as a subject, which is the first of its row.
template <class MakeWork>
void add(const std::string& name, MakeWork make) {
  add(name, "patchbay", std::move(make));
}

/// Answers to one who takes turns with other programs: reads names of rows from standard input, and
/// prints the nanoseconds of each as a line of JSON, or an error.
void answer(const std::function<Subject(const std::string& row)>& make);
/// Writes the object and a line's end, at once, for the process may be about to die.
void print(const nlohmann::json& object);

/// The command line of a program with rows; returns its exit status. Each family adds its rows when
/// those of the families before it have been measured.
int run_rows(int argc, char** argv, const std::vector<void (*)()>& families);

}  // namespace bench

#endif  // PATCHBAY_BENCH_HARNESS_H_

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Parts of a backend that computes nothing.
#ifndef PATCHBAY_TESTS_KIT_NOTING_BACKEND_H_
#define PATCHBAY_TESTS_KIT_NOTING_BACKEND_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kit/portable/base/backend.hpp"

namespace patchbay::test {

/// Notes what is built and launched, and computes nothing.
struct Notes {
  std::vector<std::string> texts;
  std::vector<portable::Grid> grids;
  std::uint64_t max_group_size = 1024;
};

class NotingFunction : public portable::Function {
 public:
  explicit NotingFunction(Notes& notes) : notes_(notes) {}
  std::uint64_t max_group_size() const override { return notes_.max_group_size; }
  void launch(plugin::Stream&, std::string_view, const portable::Grid& grid,
              const portable::Arguments&) override {
    notes_.grids.push_back(grid);
  }

 private:
  Notes& notes_;
};

class IdleStream : public plugin::Stream {
  void copy_to_device(plugin::Memory, const void*, std::uint64_t) override {}
  void copy_to_host(void*, plugin::Memory, std::uint64_t) override {}
  void copy_on_device(plugin::Memory, plugin::Memory, std::uint64_t) override {}
  void record(plugin::Event&) override {}
  void wait_event(plugin::Event&) override {}
  void flush() override {}
  bool synchronize(std::uint64_t) override { return true; }
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_KIT_NOTING_BACKEND_H_

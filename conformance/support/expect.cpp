// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/support/expect.h"

#include <thread>

namespace patchbay::conformance {

void expect_error(ErrorCode code, std::string_view what, const std::function<void()>& call,
                  std::initializer_list<std::string> words) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    expect(error.code() == code, "{}: expected an error {}, got {}: {}", what, to_string(code),
           to_string(error.code()), message);
    for (const std::string& word : words) {
      expect(message.find(word) != std::string::npos, "{}: the message lacks '{}': {}", what, word,
             message);
    }
    return;
  }
  throw Failure(fmt::format("{}: expected an error {}, got none", what, to_string(code)));
}

bool is_unsupported(const std::function<void()>& call, std::string* reason) {
  try {
    call();
    return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    *reason = error.what();
    return true;
  }
}

void run_threads(int num_threads, const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(num_threads));
  std::vector<std::thread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([&work, &failures, i] {
      try {
        work(i);
      } catch (...) {
        failures[static_cast<std::size_t>(i)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

std::vector<Device> devices_of(const Runtime& runtime, std::string_view backend) {
  std::vector<Device> found;
  for (const Device& device : runtime.devices()) {
    if (device.backend() == backend) found.push_back(device);
  }
  return found;
}

}  // namespace patchbay::conformance

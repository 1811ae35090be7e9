// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Opens and closes a library that computes with Patchbay, which this program does not link.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <thread>

/// What LIBRARY returned for DEVICE the last time; 3 if it can't be opened.
int main(int count, char** arguments) {
  if (count != 3) return 4;
  int result = 0;
  for (int i = 0; i < 3 && result == 0; ++i) {
    void* const library = dlopen(arguments[1], RTLD_NOW);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 3;
    }
    result = reinterpret_cast<int (*)(const char*)>(dlsym(library, "compute"))(arguments[2]);
    dlclose(library);
    // Threads that would run code of the closed library do so now.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return result;
}

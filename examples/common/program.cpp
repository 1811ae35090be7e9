// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/program.h"

#include <cstdio>
#include <exception>
#include <stdexcept>

#include <CLI/CLI.hpp>

namespace examples {

struct Program::Parser {
  CLI::App app;
};

Program::Program(const std::string& name, const std::string& description)
    : parser_(new Parser{CLI::App(description, name)}) {}
Program::~Program() = default;

void Program::add_option(const std::string& name, std::string& value,
                         const std::string& description) {
  CLI::Option* const option = parser_->app.add_option(name, value, description);
  if (!value.empty()) option->capture_default_str();
}

void Program::add_option(const std::string& name, std::optional<std::string>& value,
                         const std::string& description) {
  parser_->app.add_option(name, value, description);
}

int Program::run(int argc, char** argv, const std::function<void()>& work) {
  CLI::App& app = parser_->app;
  try {
    app.parse(argc, argv);
    work();
    if (std::fflush(stdout) != 0) throw std::runtime_error("the output can't be written");
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    std::fprintf(stderr, "%s: %s (--help lists the options)\n", app.get_name().c_str(),
                 error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return 1;
  }
}

}  // namespace examples

// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An MPI library that is opened at run time, through whichever of three binary interfaces it has.
#ifndef PATCHBAY_PLUGINS_MPI_LIBRARY_MPI_HPP_
#define PATCHBAY_PLUGINS_MPI_LIBRARY_MPI_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::mpi {

/// How many threads may call the library, in the order of the standard's levels.
enum class ThreadLevel : std::uint8_t { kSingle, kFunneled, kSerialized, kMultiple };
const char* to_string(ThreadLevel level);

/// A message that has arrived, was sent, or has failed.
struct Completion {
  std::uint64_t message = 0;  // the number that the sender or receiver gave it
  int error = 0;              // of the library; 0 for success
};

/// The functions of MPI that the engine needs, without the types of an implementation. One thread
/// at a time, which is the engine's. Messages are bytes. Functions throw StatusError with the
/// library's text.
class Mpi {
 public:
  virtual ~Mpi() = default;
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  /// "Open MPI v4.1.4, libmpi.so.40"
  const std::string& name() const { return name_; }

  virtual bool is_initialized() const = 0;
  virtual bool is_finalized() const = 0;
  virtual ThreadLevel thread_level() const = 0;
  /// Asks for kMultiple.
  virtual void initialize() = 0;
  virtual void finalize() noexcept = 0;

  /// Begins to make the engine's communicator, of all processes: a call of all of them.
  virtual void begin_communicator() = 0;
  /// Whether it is made. Never blocks.
  virtual bool has_communicator() = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Starts a message; the caller keeps the bytes valid until its completion. At most 2^30 bytes.
  virtual void send(std::uint64_t message, const void* bytes, std::size_t size, int peer,
                    int tag) = 0;
  virtual void receive(std::uint64_t message, void* bytes, std::size_t size, int peer, int tag) = 0;
  /// Asks the library to receive a message no more. Its completion is reported as any other.
  virtual void cancel_receive(std::uint64_t message) = 0;
  /// Adds the messages that have completed. Never blocks.
  virtual void poll(std::vector<Completion>& completed) = 0;
  virtual std::size_t num_pending() const = 0;

  virtual std::string text_of(int error) const = 0;
  /// Whether a library with fault tolerance says that the other process is gone.
  virtual bool means_lost(int error) const = 0;

 protected:
  explicit Mpi(std::string name) : name_(std::move(name)) {}

 private:
  const std::string name_;
};

/// Opens the library that the process has already, else the one that fits the launcher, else the
/// first that is found. The setting mpi_library names one. Throws PATCHBAY_NO_DRIVER.
std::unique_ptr<Mpi> open_mpi(plugin::Host host);

/// The rank and size that a launcher of MPI has given to this process; empty if none started it.
struct Launched {
  std::uint32_t rank = 0, size = 0;
};
std::optional<Launched> launched();

}  // namespace patchbay::mpi

#endif  // PATCHBAY_PLUGINS_MPI_LIBRARY_MPI_HPP_

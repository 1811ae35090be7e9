// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "mpi/library/mpi.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"

#include "kit/library/library.hpp"
#include "kit/library/search.hpp"
#include "mpi/library/abis.hpp"

namespace patchbay::mpi {
namespace {

/// The functions of an interface.
template <class Abi>
struct Entries {
  using Comm = typename Abi::Comm;
  using Datatype = typename Abi::Datatype;
  using Request = typename Abi::Request;
  using Status = typename Abi::Status;
  using Errhandler = typename Abi::Errhandler;

  Symbol<int(int*)> initialized{"MPI_Initialized"}, finalized{"MPI_Finalized"};
  Symbol<int(int*, char***, int, int*)> init_thread{"MPI_Init_thread"};
  Symbol<int(int*)> query_thread{"MPI_Query_thread"};
  Symbol<int()> finalize{"MPI_Finalize"};
  Symbol<int(char*, int*)> get_library_version{"MPI_Get_library_version"};
  Symbol<int(int, char*, int*)> error_string{"MPI_Error_string"};
  Symbol<int(Comm, int*)> comm_rank{"MPI_Comm_rank"}, comm_size{"MPI_Comm_size"};
  Symbol<int(Comm, Comm*, Request*)> comm_idup{"MPI_Comm_idup"};
  Symbol<int(Comm, Errhandler)> comm_set_errhandler{"MPI_Comm_set_errhandler"};
  Symbol<int(const void*, int, Datatype, int, int, Comm, Request*)> isend{"MPI_Isend"};
  Symbol<int(void*, int, Datatype, int, int, Comm, Request*)> irecv{"MPI_Irecv"};
  Symbol<int(Request*, int*, Status*)> test{"MPI_Test"};
  Symbol<int(int, Request*, int*, int*, Status*)> testsome{"MPI_Testsome"};
  Symbol<int(Request*)> cancel{"MPI_Cancel"};

  void find(Library& library) {
    library.find(initialized);
    library.find(finalized);
    library.find(init_thread);
    library.find(query_thread);
    library.find(finalize);
    library.find(get_library_version);
    library.find(error_string);
    library.find(comm_rank);
    library.find(comm_size);
    library.find(comm_idup);
    library.find(comm_set_errhandler);
    library.find(isend);
    library.find(irecv);
    library.find(test);
    library.find(testsome);
    library.find(cancel);
  }
};

/// The first line of MPI_Get_library_version up to its first comma, with single blanks.
template <class Abi>
std::string version_text(const Entries<Abi>& entries) {
  std::vector<char> text(8193);  // the largest of all interfaces
  int size = 0;
  if (entries.get_library_version(text.data(), &size) != 0) return "MPI";
  std::string_view line(text.data());
  line = line.substr(0, std::min(line.find(','), line.find('\n')));
  std::string plain;
  for (const char each : line) {
    const bool is_blank = each == ' ' || each == '\t' || each == ':';
    if (!is_blank) {
      plain += each;
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  return plain;
}

template <class Abi>
class MpiLibrary final : public Mpi {
 public:
  using Request = typename Abi::Request;
  using Status = typename Abi::Status;

  MpiLibrary(Library library, const Abi& abi, const Entries<Abi>& entries)
      : Mpi(version_text(entries) + ", " + library.file()),
        library_(std::move(library)),
        abi_(abi),
        mpi_(entries) {}

  bool is_initialized() const override { return ask(mpi_.initialized); }
  bool is_finalized() const override { return ask(mpi_.finalized); }
  ThreadLevel thread_level() const override {
    int found = 0;
    check(mpi_.query_thread(&found), "MPI_Query_thread");
    return level_of(found);
  }
  void initialize() override {
    int found = 0;
    check(mpi_.init_thread(nullptr, nullptr, Abi::kLevels[3], &found), "MPI_Init_thread");
    // Ours, so that no error of the library ends the process.
    check(mpi_.comm_set_errhandler(abi_.world, abi_.errors_return), "MPI_Comm_set_errhandler");
  }
  void finalize() noexcept override { mpi_.finalize(); }

  void begin_communicator() override {
    check(mpi_.comm_idup(abi_.world, &communicator_, &making_), "MPI_Comm_idup");
  }
  bool has_communicator() override {
    if (is_made_) return true;
    int done = 0;
    Status status;
    check(mpi_.test(&making_, &done, &status), "MPI_Test");
    if (done == 0) return false;
    check(mpi_.comm_set_errhandler(communicator_, abi_.errors_return), "MPI_Comm_set_errhandler");
    check(mpi_.comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(mpi_.comm_size(communicator_, &size_), "MPI_Comm_size");
    return is_made_ = true;
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(std::uint64_t message, const void* bytes, std::size_t size, int peer,
            int tag) override {
    Request request = abi_.request_null;
    check(mpi_.isend(bytes, static_cast<int>(size), abi_.byte, peer, tag, communicator_, &request),
          "MPI_Isend");
    add(message, request);
  }
  void receive(std::uint64_t message, void* bytes, std::size_t size, int peer, int tag) override {
    Request request = abi_.request_null;
    check(mpi_.irecv(bytes, static_cast<int>(size), abi_.byte, peer, tag, communicator_, &request),
          "MPI_Irecv");
    add(message, request);
  }
  void cancel_receive(std::uint64_t message) override {
    const auto at = std::ranges::find(messages_, message);
    if (at == messages_.end()) return;
    // Without success the receive just stays pending.
    static_cast<void>(mpi_.cancel(&requests_[static_cast<std::size_t>(at - messages_.begin())]));
  }

  void poll(std::vector<Completion>& completed) override {
    if (requests_.empty()) return;
    int count = 0;
    indices_.resize(requests_.size());
    statuses_.resize(requests_.size());
    const int code = mpi_.testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                   indices_.data(), statuses_.data());
    if (code != 0 && code != Abi::kErrInStatus) check(code, "MPI_Testsome");
    if (count <= 0) return;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
      const int error =
          code == Abi::kErrInStatus ? statuses_[static_cast<std::size_t>(i)].error : 0;
      if (error == Abi::kErrPending) continue;
      completed.push_back({messages_[at], error});
      messages_[at] = kGone;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      if (messages_[i] == kGone) continue;
      messages_[kept] = messages_[i];
      requests_[kept++] = requests_[i];
    }
    messages_.resize(kept);
    requests_.resize(kept);
  }
  std::size_t num_pending() const override { return messages_.size(); }

  std::string text_of(int error) const override {
    std::vector<char> text(Abi::kMaxText + 1);
    int size = 0;
    if (mpi_.error_string(error, text.data(), &size) != 0) return "error " + std::to_string(error);
    std::string line(text.data());
    std::ranges::replace(line, '\n', ' ');
    return line;
  }
  bool means_lost(int error) const override {
    return error == Abi::kErrProcFailed || error == Abi::kErrProcFailedPending;
  }

 private:
  static constexpr std::uint64_t kGone = UINT64_MAX;

  static bool ask(const Symbol<int(int*)>& question) {
    int answer = 0;
    return question(&answer) == 0 && answer != 0;
  }
  static ThreadLevel level_of(int found) {
    auto level = ThreadLevel::kSingle;
    for (std::uint8_t i = 0; i < 4; ++i) {
      if (found >= Abi::kLevels[i]) level = static_cast<ThreadLevel>(i);
    }
    return level;
  }
  void check(int code, const char* function) const {
    if (code == 0) return;
    throw plugin::StatusError(PATCHBAY_DRIVER_ERROR, std::string(function) + ": " + text_of(code),
                              code);
  }
  void add(std::uint64_t message, Request request) {
    messages_.push_back(message);
    requests_.push_back(request);
  }

  const Library library_;
  const Abi abi_;
  const Entries<Abi> mpi_;
  typename Abi::Comm communicator_{};
  Request making_{};
  bool is_made_ = false;
  int rank_ = 0, size_ = 0;
  // The messages under way, and what Testsome fills.
  std::vector<std::uint64_t> messages_;
  std::vector<Request> requests_;
  std::vector<int> indices_;
  std::vector<Status> statuses_;
};

/// Throws PATCHBAY_NO_DRIVER if the library lacks something.
template <class Abi>
std::unique_ptr<Mpi> make(Library library) {
  Abi abi;
  Entries<Abi> entries;
  entries.find(library);
  if (const char* const name = Abi::missing(library, abi)) {
    throw plugin::StatusError(PATCHBAY_NO_DRIVER, library.file() + ": no symbol " + name);
  }
  if (!library.is_complete()) throw plugin::StatusError(PATCHBAY_NO_DRIVER, library.why());
  return std::make_unique<MpiLibrary<Abi>>(std::move(library), abi, entries);
}

/// A file's last part decides: the names carry the interfaces' versions.
std::unique_ptr<Mpi> make_by_name(Library library) {
  const std::string& file = library.file();
  const auto is_of = [&](const char* part) { return file.find(part) != std::string::npos; };
  if (is_of("libmpi_abi.so")) return make<StandardAbi>(std::move(library));
  if (is_of(".so.12")) return make<MpichAbi>(std::move(library));
  if (is_of(".so.40")) return make<OpenMpiAbi>(std::move(library));
  throw plugin::StatusError(PATCHBAY_NO_DRIVER,
                            file +
                                ": the name tells no interface: expected libmpi_abi.so.1, "
                                "libmpi.so.40, libmpi.so.12 or libmpich.so.12");
}

/// A number of an environment variable, if it is one.
std::optional<std::uint32_t> number_in(const char* variable) {
  const std::string text = environment(variable);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

const char* to_string(ThreadLevel level) {
  switch (level) {
    case ThreadLevel::kSingle: return "MPI_THREAD_SINGLE";
    case ThreadLevel::kFunneled: return "MPI_THREAD_FUNNELED";
    case ThreadLevel::kSerialized: return "MPI_THREAD_SERIALIZED";
    case ThreadLevel::kMultiple: return "MPI_THREAD_MULTIPLE";
  }
  return "unknown";
}

std::optional<Launched> launched() {
  // Open MPI's mpirun; MPICH's, and SLURM with PMI.
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   std::pair("PMI_RANK", "PMI_SIZE")}) {
    const auto own = number_in(rank), all = number_in(size);
    if (own && all && *own < *all) return Launched{*own, *all};
  }
  return {};
}

std::unique_ptr<Mpi> open_mpi(plugin::Host host) {
  if (const auto named = host.option("mpi_library")) {
    if (named->empty() || named->front() != '/') {
      plugin::refuse_setting("mpi_library", "an absolute path", *named);
    }
    Library library(*named, Library::Lifetime::kProcess);
    if (!library) throw plugin::StatusError(PATCHBAY_NO_DRIVER, library.why());
    return make_by_name(std::move(library));
  }
  std::vector<std::string> names = {"libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12",
                                    "libmpi.so.40"};
  // A library of another implementation than the launcher's would find itself alone.
  if (number_in("OMPI_COMM_WORLD_SIZE")) std::rotate(names.begin(), names.end() - 1, names.end());
  Library library = Library::loaded_or_first_of(names, Library::Lifetime::kProcess);
  if (!library) {
    throw plugin::StatusError(PATCHBAY_NO_DRIVER,
                              "no MPI library is installed (" + library.why() +
                                  "; also tried: libmpi.so.12, libmpich.so.12, libmpi.so.40)");
  }
  return make_by_name(std::move(library));
}

}  // namespace patchbay::mpi

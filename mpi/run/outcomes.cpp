#include "mpi/run/outcomes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mpi/comm/check.hpp"
#include "mpi/run/exposure_job.hpp"
#include "reference/core/log_file.hpp"
#include "reference/model/message.hpp"

namespace spex::mpi {
namespace {

constexpr int outcome_tag = 2;

}  // namespace

Outcomes::Outcomes(const Communicator& world, const ExposureJob& job)
    : job_(job),
      comm_(*world.split(0)),
      progress_(job.settings.program, "frames", static_cast<long>(job.frames.size()),
                world.is_root() && job.settings.show_progress && job.frames.size() > 1) {}

void Outcomes::report(FrameOutcome outcome) {
  if (outcome.failure && job_.reports_failures) {
    const FrameFiles& files = job_.files(outcome.frame);
    // An exposure whose frames are not known has no camera.
    const std::string frame =
        files.camera.empty() ? ""
                             : fmt::format("{}: frame {} failed: ", files.output, files.camera);
    say_line(fmt::format(
        "{}: {}{}{}", job_.settings.program, frame, outcome.failure->text,
        outcome.output == OutputState::earlier ? "; the file is of an earlier run" : ""));
  }
  if (comm_.is_root()) {
    accept(std::move(outcome));
    return;
  }
  Message& message = sent_.emplace_back();
  message.bytes = message::pack(outcome);
  SPEX_MPI_CHECK(MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE,
                           0, outcome_tag, comm_.get(), &message.request));
}

void Outcomes::poll() {
  for (int arrived = 1; comm_.is_root() && arrived != 0;) {
    MPI_Status status;
    SPEX_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, outcome_tag, comm_.get(), &arrived, &status));
    if (arrived != 0) receive(status);
  }
}

std::vector<FrameOutcome> Outcomes::finish() {
  for (Message& message : sent_) SPEX_MPI_CHECK(MPI_Wait(&message.request, MPI_STATUS_IGNORE));
  while (comm_.is_root() && arrived_.size() < job_.frames.size()) {
    MPI_Status status;
    SPEX_MPI_CHECK(MPI_Probe(MPI_ANY_SOURCE, outcome_tag, comm_.get(), &status));
    receive(status);
  }
  std::sort(arrived_.begin(), arrived_.end(),
            [](const FrameOutcome& a, const FrameOutcome& b) { return a.frame < b.frame; });
  return std::move(arrived_);
}

void Outcomes::receive(const MPI_Status& status) {
  int count = 0;
  SPEX_MPI_CHECK(MPI_Get_count(&status, MPI_BYTE, &count));
  std::string bytes(static_cast<std::size_t>(count), '\0');
  SPEX_MPI_CHECK(MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, outcome_tag,
                          comm_.get(), MPI_STATUS_IGNORE));
  accept(message::unpack<FrameOutcome>(bytes));
}

void Outcomes::accept(FrameOutcome outcome) {
  arrived_.push_back(std::move(outcome));
  progress_.advance();
}

}  // namespace spex::mpi

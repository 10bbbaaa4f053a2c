// spex-cpu as it is, where phases of frames fail on demand:
//
//   SPEX_FAULT=PHASE:CAMERA:RANK[:ACTION]   PHASE (read, extract, gather, write) of the frame of
//                                           CAMERA fails on RANK of the world
//   ACTION                                  throw, where none is named: the phase fails; kill,
//   stop:
//                                           SIGKILL, SIGSTOP to the process; hang: no return;
//                                           wait: 2 s

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "mpi/programs/cpu_program.hpp"

int main(int argc, char** argv) {
  return spex::cpu_program(argc, argv, [](int rank) -> spex::mpi::PhaseHook {
    const char* fault = std::getenv("SPEX_FAULT");
    if (fault == nullptr) return {};
    return [rank, fault = std::string(fault)](spex::mpi::Phase phase, const std::string& camera) {
      const std::string here = fmt::format("{}:{}:{}", to_string(phase), camera, rank);
      if (fault == here || fault == here + ":throw")
        throw std::runtime_error("fault injected by SPEX_FAULT");
      if (fault == here + ":kill") raise(SIGKILL);
      if (fault == here + ":stop") raise(SIGSTOP);
      while (fault == here + ":hang") pause();
      if (fault == here + ":wait") std::this_thread::sleep_for(std::chrono::seconds(2));
    };
  });
}

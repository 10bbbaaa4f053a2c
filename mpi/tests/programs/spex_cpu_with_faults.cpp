// spex-cpu as it is, where phases of frames fail on demand:
//
//   SPEX_FAULT=PHASE:CAMERA:RANK   PHASE (read, extract, gather, write) of the frame of CAMERA
//   fails on
//                                  RANK of the world

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "mpi/programs/cpu_program.hpp"

int main(int argc, char** argv) {
  return spex::cpu_program(argc, argv, [](int rank) -> spex::mpi::PhaseHook {
    const char* fault = std::getenv("SPEX_FAULT");
    if (fault == nullptr) return {};
    return [rank, fault = std::string(fault)](spex::mpi::Phase phase, const std::string& camera) {
      if (fault == fmt::format("{}:{}:{}", to_string(phase), camera, rank))
        throw std::runtime_error("fault injected by SPEX_FAULT");
    };
  });
}

// spex-cpu: extracts frames with the CPU reference, alone or under mpirun.

#include "mpi/programs/cpu_program.hpp"

int main(int argc, char** argv) {
  return spex::cpu_program(argc, argv);
}

# Perlmutter (NERSC): what the programs are built with, and SPEX_SETUP of the batch files; sourced, not
# run. docs/slurm.md has the commands.
#
#   source bench/slurm/perlmutter.sh
#
# Set before: SPEX_PREFIX, the folder of the libraries that the site does not have (docs/slurm.md).
# shellcheck shell=bash
module load PrgEnv-gnu cudatoolkit cmake craype-accel-nvidia80

# Cray's wrappers find Cray MPICH; nvcc takes the same compiler for the host, or else it is the g++ of
# the PATH, which may be an older one.
export CC=cc CXX=CC CUDAHOSTCXX=CC
# What the wrappers compile GPU code for: A100.
export CRAY_ACCEL_TARGET=nvidia80
# The module gpu sets it to 1, and MPI_Init then ends every program that is not linked with Cray's
# library for GPUs (GTL). Ours give MPI host memory alone, so they need neither.
export MPICH_GPU_SUPPORT_ENABLED=0

if [[ ${SPEX_PREFIX:-} ]]; then
  export CMAKE_PREFIX_PATH=$SPEX_PREFIX${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  export LD_LIBRARY_PATH=$SPEX_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export PATH=$SPEX_PREFIX/bin:$PATH
fi

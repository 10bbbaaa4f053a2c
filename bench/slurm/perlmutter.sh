# Perlmutter (NERSC): modules and variables to build the programs; also SPEX_SETUP of the batch files. Source it
# (docs/slurm.md).
#
#   source bench/slurm/perlmutter.sh
#
# Set before: SPEX_PREFIX, the folder of libraries that the site lacks (docs/slurm.md).
# shellcheck shell=bash
module load PrgEnv-gnu cudatoolkit cmake craype-accel-nvidia80

# Cray's wrappers find Cray MPICH. nvcc must use the same compiler for the host; by default it takes g++ of the PATH,
# which may be older.
export CC=cc CXX=CC CUDAHOSTCXX=CC
# The GPU for which the wrappers compile: A100.
export CRAY_ACCEL_TARGET=nvidia80
# The module gpu sets this to 1. Then MPI_Init ends every program that is not linked with Cray's GPU library (GTL). Our
# programs give MPI only host memory and do not need it.
export MPICH_GPU_SUPPORT_ENABLED=0

if [[ ${SPEX_PREFIX:-} ]]; then
  export CMAKE_PREFIX_PATH=$SPEX_PREFIX${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  export LD_LIBRARY_PATH=$SPEX_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export PATH=$SPEX_PREFIX/bin:$PATH
fi

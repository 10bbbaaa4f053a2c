// SPEX_HD marks functions that nvcc compiles for both host and device.
#pragma once

#ifdef __CUDACC__
#define SPEX_HD __host__ __device__
#else
#define SPEX_HD
#endif

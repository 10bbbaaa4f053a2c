// One source for host and device: functions marked SPEX_HD compile for both where nvcc reads them.
#pragma once

#ifdef __CUDACC__
#define SPEX_HD __host__ __device__
#else
#define SPEX_HD
#endif

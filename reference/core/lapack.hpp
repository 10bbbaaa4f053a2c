// Includes the CBLAS and LAPACKE headers of the library that the build found
// (ci/cmake/FindLAPACKE.cmake).
#pragma once

#if defined(SPEX_BLAS_MKL)
#include <mkl.h>
#else
#include <cblas.h>
#include <lapacke.h>
#endif

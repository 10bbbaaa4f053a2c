// CBLAS and LAPACKE, by the names that the headers have in the library that the build has found
// (ci/cmake/FindLAPACKE.cmake).
#pragma once

#if defined(SPEX_BLAS_MKL)
#include <mkl.h>
#else
#include <cblas.h>
#include <lapacke.h>
#endif

// cuBLAS and cuSOLVER, which are loaded when one of their functions is called first. To load them
// takes 0.1 s and 260 MB, and the fiber engine calls neither. Include this only where
// one of them is called: their headers are large.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "gpu/core/check.hpp"

namespace spex::gpu {

/// A function of cuBLAS. Throws Error(internal) if the library, or the function in it, is missing.
[[nodiscard]] void* cublas_function(const char* name);
/// The same of cuSOLVER.
[[nodiscard]] void* cusolver_function(const char* name);

/// Throws Error unless the status is success, as that of check.hpp. Used by SPEX_GPU_CHECK.
void check(cublasStatus_t status, const char* call, const char* file, int line);
/// @copydoc check
void check(cusolverStatus_t status, const char* call, const char* file, int line);

}  // namespace spex::gpu

// The names are the libraries', and `find` is a part of one.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)

/// The function, found once.
#define SPEX_LAZY(find, function)                                            \
  ([] {                                                                      \
    static auto* const found =                                               \
        reinterpret_cast<decltype(&function)>(::spex::gpu::find(#function)); \
    return found;                                                            \
  }())

// A macro does not expand its own name. A function that is not listed here is not linked.
#define cublasCreate_v2 SPEX_LAZY(cublas_function, cublasCreate_v2)
#define cublasDestroy_v2 SPEX_LAZY(cublas_function, cublasDestroy_v2)
#define cublasDgemmStridedBatched SPEX_LAZY(cublas_function, cublasDgemmStridedBatched)
#define cublasDtrsm_v2 SPEX_LAZY(cublas_function, cublasDtrsm_v2)
#define cublasGetStatusString SPEX_LAZY(cublas_function, cublasGetStatusString)
#define cublasSetStream_v2 SPEX_LAZY(cublas_function, cublasSetStream_v2)
#define cusolverDnCreate SPEX_LAZY(cusolver_function, cusolverDnCreate)
#define cusolverDnCreateParams SPEX_LAZY(cusolver_function, cusolverDnCreateParams)
#define cusolverDnCreateSyevjInfo SPEX_LAZY(cusolver_function, cusolverDnCreateSyevjInfo)
#define cusolverDnDestroy SPEX_LAZY(cusolver_function, cusolverDnDestroy)
#define cusolverDnDestroyParams SPEX_LAZY(cusolver_function, cusolverDnDestroyParams)
#define cusolverDnDestroySyevjInfo SPEX_LAZY(cusolver_function, cusolverDnDestroySyevjInfo)
#define cusolverDnDgeqrf SPEX_LAZY(cusolver_function, cusolverDnDgeqrf)
#define cusolverDnDgeqrf_bufferSize SPEX_LAZY(cusolver_function, cusolverDnDgeqrf_bufferSize)
#define cusolverDnDormqr SPEX_LAZY(cusolver_function, cusolverDnDormqr)
#define cusolverDnDormqr_bufferSize SPEX_LAZY(cusolver_function, cusolverDnDormqr_bufferSize)
#define cusolverDnDpotrf SPEX_LAZY(cusolver_function, cusolverDnDpotrf)
#define cusolverDnDpotrfBatched SPEX_LAZY(cusolver_function, cusolverDnDpotrfBatched)
#define cusolverDnDpotrf_bufferSize SPEX_LAZY(cusolver_function, cusolverDnDpotrf_bufferSize)
#define cusolverDnDpotrs SPEX_LAZY(cusolver_function, cusolverDnDpotrs)
#define cusolverDnDpotrsBatched SPEX_LAZY(cusolver_function, cusolverDnDpotrsBatched)
#define cusolverDnDsyevj SPEX_LAZY(cusolver_function, cusolverDnDsyevj)
#define cusolverDnDsyevjBatched SPEX_LAZY(cusolver_function, cusolverDnDsyevjBatched)
#define cusolverDnDsyevjBatched_bufferSize \
  SPEX_LAZY(cusolver_function, cusolverDnDsyevjBatched_bufferSize)
#define cusolverDnDsyevj_bufferSize SPEX_LAZY(cusolver_function, cusolverDnDsyevj_bufferSize)
#define cusolverDnSetStream SPEX_LAZY(cusolver_function, cusolverDnSetStream)
#define cusolverDnXsyevBatched SPEX_LAZY(cusolver_function, cusolverDnXsyevBatched)
#define cusolverDnXsyevBatched_bufferSize \
  SPEX_LAZY(cusolver_function, cusolverDnXsyevBatched_bufferSize)
#define cusolverDnXsyevd SPEX_LAZY(cusolver_function, cusolverDnXsyevd)
#define cusolverDnXsyevd_bufferSize SPEX_LAZY(cusolver_function, cusolverDnXsyevd_bufferSize)
#define cusolverDnXsyevjSetMaxSweeps SPEX_LAZY(cusolver_function, cusolverDnXsyevjSetMaxSweeps)
#define cusolverDnXsyevjSetSortEig SPEX_LAZY(cusolver_function, cusolverDnXsyevjSetSortEig)
#define cusolverDnXsyevjSetTolerance SPEX_LAZY(cusolver_function, cusolverDnXsyevjSetTolerance)

// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

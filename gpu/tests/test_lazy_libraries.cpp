// The functions of cuBLAS and cuSOLVER that are found when they are called.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/check.hpp"
#include "gpu/core/eigensolver.hpp"
#include "gpu/core/lazy_libraries.hpp"
#include "reference/core/error.hpp"

namespace spex::gpu {
namespace {

// Needs the libraries, but no GPU.
TEST(LazyLibraries, FunctionsAreFound) {
  for (const char* name : {
           "cublasCreate_v2",
           "cublasDestroy_v2",
           "cublasDgemmStridedBatched",
           "cublasDtrsm_v2",
           "cublasGetStatusString",
           "cublasSetStream_v2",
       })
    EXPECT_NE(cublas_function(name), nullptr);
  for (const std::string name : {
           "cusolverDnCreate",
           "cusolverDnCreateParams",
           "cusolverDnCreateSyevjInfo",
           "cusolverDnDestroy",
           "cusolverDnDestroyParams",
           "cusolverDnDestroySyevjInfo",
           "cusolverDnDgeqrf",
           "cusolverDnDgeqrf_bufferSize",
           "cusolverDnDormqr",
           "cusolverDnDormqr_bufferSize",
           "cusolverDnDpotrf",
           "cusolverDnDpotrfBatched",
           "cusolverDnDpotrf_bufferSize",
           "cusolverDnDpotrs",
           "cusolverDnDpotrsBatched",
           "cusolverDnDsyevj",
           "cusolverDnDsyevjBatched",
           "cusolverDnDsyevjBatched_bufferSize",
           "cusolverDnDsyevj_bufferSize",
           "cusolverDnSetStream",
           "cusolverDnXsyevBatched",
           "cusolverDnXsyevBatched_bufferSize",
           "cusolverDnXsyevd",
           "cusolverDnXsyevd_bufferSize",
           "cusolverDnXsyevjSetMaxSweeps",
           "cusolverDnXsyevjSetSortEig",
           "cusolverDnXsyevjSetTolerance",
       }) {
    if (!has_syev_batched && name.starts_with("cusolverDnXsyevBatched")) continue;
    EXPECT_NE(cusolver_function(name.c_str()), nullptr);
  }
}

TEST(LazyLibraries, AMissingFunctionIsNamed) {
  try {
    static_cast<void>(cublas_function("cublasNone"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_THAT(error.what(), testing::HasSubstr("cublasNone"));
  }
}

TEST(LazyLibraries, CallsAndTheirErrors) {
  try {
    SPEX_GPU_CHECK(cublasSetStream(nullptr, nullptr));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cublasSetStream"));
    EXPECT_THAT(error.what(),
                testing::HasSubstr(cublasGetStatusString(CUBLAS_STATUS_NOT_INITIALIZED)));
  }
}

}  // namespace
}  // namespace spex::gpu

#include "gpu/files/inflate/pinned_bytes.hpp"

#include "gpu/core/check.hpp"
#include "reference/core/memory/huge_pages.hpp"

namespace spex::gpu {

PinnedBytes::~PinnedBytes() {
  release();
}

void PinnedBytes::release() noexcept {
  if (data_ != nullptr) log_failure(cudaHostUnregister(data_.get()), "cudaHostUnregister");
  data_.reset();
  size_ = 0;
}

bool PinnedBytes::reserve(std::size_t size) {
  if (size <= size_) return true;
  release();
  const std::size_t whole = (size + size / 8 + huge_page - 1) / huge_page * huge_page;
  std::unique_ptr<char, Free> data(static_cast<char*>(std::aligned_alloc(huge_page, whole)));
  if (data == nullptr) return false;
  advise_huge_pages(data.get(), whole);
  const cudaError_t status = cudaHostRegister(data.get(), whole, cudaHostRegisterPortable);
  if (loses_context(status)) SPEX_GPU_CHECK(status);
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // clear the error, which the next launch would report
    return false;
  }
  data_ = std::move(data);
  size_ = whole;
  return true;
}

}  // namespace spex::gpu

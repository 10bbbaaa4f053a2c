#include "gpu/files/inflate/gzip_inflater.hpp"

#include <utility>

#include "gpu/core/context.hpp"
#include "gpu/files/inflate/allocates.hpp"
#include "gpu/files/inflate/gzip_member.hpp"
#include "gpu/files/inflate/gzip_workspace.hpp"
#include "gpu/files/inflate/pinned_bytes.hpp"
#include "gpu/files/inflate/pool.hpp"

namespace spex::gpu {
namespace {

constexpr int workspaces_of_device = 2;  // one copies while the other computes

}  // namespace

struct GzipInflater::Shared {
  struct FileMemory {
    PinnedBytes compressed, inflated;
  };

  Shared(int device_, int files_at_once) : device(device_), memory(files_at_once) {}

  int device;
  Pool<FileMemory> memory;
  Pool<GzipWorkspace> workspaces{workspaces_of_device};
};

class GzipInflater::File final : public InflatedFile {
 public:
  File(std::shared_ptr<Shared> shared, std::size_t size)
      : shared_(std::move(shared)), memory_(shared_->memory), size_(size) {}

  [[nodiscard]] bool reserve() { return memory_.get().compressed.reserve(size_); }

  [[nodiscard]] std::span<char> compressed() override {
    return {memory_.get().compressed.get(), size_};
  }

  [[nodiscard]] std::optional<std::span<const char>> inflate() override {
    const std::optional<GzipMember> member = read_gzip_member(compressed());
    if (!member) return std::nullopt;
    use_device(shared_->device);
    PinnedBytes& to = memory_.get().inflated;
    if (!to.reserve(member->size)) return std::nullopt;
    Pool<GzipWorkspace>::Lease workspace(shared_->workspaces);
    if (!allocates([&] { static_cast<void>(workspace.get()); })) return std::nullopt;
    if (!workspace.get().inflate(compressed(), *member, to.get())) return std::nullopt;
    return std::span<const char>(to.get(), member->size);
  }

 private:
  std::shared_ptr<Shared> shared_;
  Pool<Shared::FileMemory>::Lease memory_;
  std::size_t size_;
};

GzipInflater::GzipInflater(int device, int files_at_once, std::size_t least)
    : shared_(std::make_shared<Shared>(device, files_at_once)), least_(least) {}

std::unique_ptr<InflatedFile> GzipInflater::begin(std::size_t size) {
  if (size < least_ || size == 0 || size > max_gzip_bytes) return nullptr;
  use_device(shared_->device);
  auto file = std::make_unique<File>(shared_, size);
  if (!file->reserve()) return nullptr;
  return file;
}

}  // namespace spex::gpu

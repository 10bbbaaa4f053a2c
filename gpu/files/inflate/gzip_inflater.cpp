#include "gpu/files/inflate/gzip_inflater.hpp"

#include <utility>

#include "gpu/core/context.hpp"
#include "gpu/files/inflate/allocates.hpp"
#include "gpu/files/inflate/gzip_member.hpp"
#include "gpu/files/inflate/gzip_workspace.hpp"
#include "gpu/files/inflate/pool.hpp"

namespace spex::gpu {
namespace {

constexpr int workspaces_of_device = 2;  // one copies while the other computes

}  // namespace

struct GzipInflater::Workspaces : Pool<GzipWorkspace> {
  Workspaces() : Pool(workspaces_of_device) {}
};

GzipInflater::GzipInflater(int device, Pin pin, std::size_t least)
    : device_(device),
      pin_(std::move(pin)),
      least_(least),
      workspaces_(std::make_unique<Workspaces>()) {}

GzipInflater::~GzipInflater() = default;

bool GzipInflater::takes(std::size_t size) {
  return size >= least_ && size != 0 && size <= max_gzip_bytes;
}

std::optional<std::size_t> GzipInflater::inflate(std::span<char> memory, std::size_t size) {
  const std::optional<GzipMember> member = read_gzip_member(memory.first(size));
  if (!takes(size) || !member || member->size > memory.size()) return std::nullopt;
  use_device(device_);
  if (pin_) pin_(memory.data());
  Pool<GzipWorkspace>::Lease workspace(*workspaces_);
  if (!allocates([&] { static_cast<void>(workspace.get()); })) return std::nullopt;
  if (!workspace.get().inflate(memory, size, *member)) return std::nullopt;
  return member->size;
}

}  // namespace spex::gpu

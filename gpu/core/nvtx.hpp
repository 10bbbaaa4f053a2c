// NVTX ranges named after the stages (stage_times.hpp), for nsys and ncu. Uses NVTX's C functions,
// because CUDA 12.0 to 12.4 lack its C++ header.
#pragma once

#include <cstdint>
#include <string>

#include <nvtx3/nvToolsExt.h>

#include "reference/core/stage_times.hpp"

namespace spex::gpu {

/// A range of the calling thread in the domain `spexbench`, from construction to destruction:
/// `const StageRange range(Stage::solve);`
class StageRange {
 public:
  explicit StageRange(Stage stage) {
    const std::string name = to_string(stage);  // NVTX copies the name
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = static_cast<std::uint16_t>(sizeof(event));
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name.c_str();
    nvtxDomainRangePushEx(domain(), &event);
  }
  StageRange(const StageRange&) = delete;
  StageRange& operator=(const StageRange&) = delete;
  ~StageRange() { nvtxDomainRangePop(domain()); }

 private:
  static nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t handle = nvtxDomainCreateA("spexbench");
    return handle;
  }
};

}  // namespace spex::gpu

// NVTX ranges with the names of the stages (stage_times.hpp), for nsys and ncu.
#pragma once

#include <nvtx3/nvtx3.hpp>

#include "reference/core/stage_times.hpp"

namespace spex::gpu {

struct NvtxDomain {
  static constexpr const char* name{"spexbench"};
};

/// A range from construction to destruction: `const StageRange range(Stage::solve);`
class StageRange {
 public:
  explicit StageRange(Stage stage) : range_(to_string(stage)) {}

 private:
  nvtx3::scoped_range_in<NvtxDomain> range_;
};

}  // namespace spex::gpu

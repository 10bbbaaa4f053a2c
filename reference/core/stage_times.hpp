// Seconds spent in each stage, by the names of results and profiles (results.md, phases).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>

namespace spex {

/// The timed stages of an extraction (docs/performance.md).
enum class Stage {
  read,
  convert,
  transfer_in,  ///< host to GPU, including the layout of the patches on the GPU
  spots,
  assemble,
  solve,
  decorrelate,
  quality,
  transfer_out,  ///< GPU to host
  gather,
  write
};
inline constexpr std::size_t stage_count = 11;  ///< of `Stage`

/// "read", "convert", "transfer-in", ...
[[nodiscard]] const char* to_string(Stage stage);

/// Seconds per stage, summed over threads.
class StageTimes {
 public:
  /// Adds seconds to a stage.
  void add(Stage stage, double seconds) { seconds_[static_cast<std::size_t>(stage)] += seconds; }
  /// Adds the seconds of `other`, stage by stage.
  void add(const StageTimes& other);
  /// The seconds of a stage.
  [[nodiscard]] double get(Stage stage) const { return seconds_[static_cast<std::size_t>(stage)]; }
  /// The seconds of all stages, in the order of Stage.
  [[nodiscard]] std::span<const double, stage_count> seconds() const { return seconds_; }
  [[nodiscard]] std::span<double, stage_count> seconds() {
    return seconds_;
  }  ///< writable, in the order of Stage

 private:
  std::array<double, stage_count> seconds_{};
};

/// Adds the time between construction and destruction to one stage.
class StageTimer {
 public:
  /// Starts the timer; `times` must outlive it.
  StageTimer(StageTimes& times, Stage stage)
      : times_(times), stage_(stage), start_(std::chrono::steady_clock::now()) {}
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() {
    times_.add(stage_,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  }

 private:
  StageTimes& times_;
  Stage stage_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace spex

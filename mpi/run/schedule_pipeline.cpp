// The schedule pipeline: each rank processes several frames at once in reading, extracting and
// writing threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fitsio.h>
#include <spdlog/spdlog.h>

#include "mpi/comm/collective.hpp"
#include "mpi/run/device_inflaters.hpp"
#include "mpi/run/pipeline_threads.hpp"
#include "mpi/run/schedule.hpp"
#include "reference/core/channel.hpp"
#include "reference/core/thread_name.hpp"
#include "reference/core/tokens.hpp"

namespace spex::mpi {
namespace {

constexpr std::chrono::milliseconds poll_every{20};

// A frame in the pipeline.
struct InFlight {
  int frame = 0;
  FrameInputs inputs;
  Extracted extracted;
  std::optional<Failure> failure;
  bool tried_again = false;  // whether an extractor was lost with this frame before
  StageTimes times;
};
using FramePtr = std::unique_ptr<InFlight>;

struct Finished {
  FrameOutcome outcome;
  StageTimes times;
};

// Tracks devices whose extractors no longer work.
class LostDevices {
 public:
  void add(int device, Failure failure) {
    const std::scoped_lock lock(mutex_);
    lost_.insert(device);
    last_ = std::move(failure);
  }
  [[nodiscard]] bool contains(int device) const {
    const std::scoped_lock lock(mutex_);
    return lost_.contains(device);
  }
  [[nodiscard]] int count() const {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(lost_.size());
  }
  // The failure of frames for which no device is left.
  [[nodiscard]] Failure failure_of_later_frames() const {
    const std::scoped_lock lock(mutex_);
    Failure failure = last_;
    failure.text = "the rank has no extractor left; the last failed with: " + last_.text;
    return failure;
  }

 private:
  mutable std::mutex mutex_;
  std::set<int> lost_;
  Failure last_;
};

// Readers take a token before reading; a frame returns its token when it is finished, which bounds
// the number of frames in memory. Failed frames take the same path. A thread ends when its input
// channel is closed; no thread calls MPI.
//
// An extractor with a failure of kind `device` gets no more frames, because it would fail them
// faster than other extractors succeed. The same holds for all extractors of its device. Its frame
// is retried once by another extractor; only once, because the frame may be the cause. When no
// device is left, the lost extractors stay to fail the remaining frames.
//
// The first frames are read while the devices are found. Each extractor starts as soon as it is
// created, because the driver creates the contexts of GPUs one after another. No frame is written
// before all ranks have all their extractors, so that a rank's failure to create one leaves no
// output.
class Pipeline {
 public:
  Pipeline(const Run& run, std::vector<int> frames)
      : run_(run),
        frames_(std::move(frames)),
        threads_(threads_of(run.job)),
        devices_inflate_(threads_.devices_inflate),
        tokens_(threads_.frames_in_flight) {}
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  // If the run ends early, unread frames are dropped, and no thread waits.
  ~Pipeline() {
    next_ = frames_.size();
    if (!begun_) {
      given_up_ = true;
      begin_.set_value(false);
      to_write_.close();
    }
    tokens_.release(static_cast<int>(readers_.size()));
    to_extract_.close();
  }

  // Rethrows exceptions of the factory.
  void start_extractors() {
    const int count = threads_.extractors;
    extracting_ = count;
    devices_ = std::min(threads_.devices.value_or(count), count);
    std::vector<std::future<void>> made;
    for (int slot = 0; slot < count; ++slot) {
      std::promise<void> promise;
      made.push_back(promise.get_future());
      extractors_.emplace_back([this, slot, ready = std::move(promise)]() mutable {
        extract_frames(slot, std::move(ready));
      });
    }
    for (std::future<void>& one : made) one.wait();
    for (std::future<void>& one : made) one.get();
  }

  // Allows writing.
  void begin() {
    begun_ = true;
    begin_.set_value(true);
  }

  void start_readers() {
    if (frames_.empty()) to_extract_.close();
    while (std::ssize(readers_) < threads_.readers)
      readers_.emplace_back([this] { read_frames(); });
  }

  // Collective.
  void find_devices() {
    if (!run_.job.find_devices) return;
    const PhaseScope phase(run_, -1, Phase::start);
    const int in_flight = threads_.frames_in_flight;
    threads_ = run_.job.find_devices();
    devices_inflate_ = threads_.devices_inflate;
    tokens_.release(std::max(0, threads_.frames_in_flight - in_flight));
    start_readers();
  }

  void start_writers() {
    for (int i = 0; i < threads_.writers; ++i) writers_.emplace_back([this] { write_frames(); });
  }

  // Runs on the thread that calls MPI.
  void wait() {
    for (std::size_t left = frames_.size(); left > 0;) {
      if (std::optional<Finished> finished = finished_.pop_within(poll_every)) {
        run_.times.add(finished->times);
        run_.outcomes.report(std::move(finished->outcome));
        --left;
      }
      run_.outcomes.poll();
    }
  }

 private:
  static PipelineThreads threads_of(const ExposureJob& job) {
    return {.readers = job.readers,
            .extractors = job.extractors,
            .writers = job.writers,
            .write_threads = job.settings.write_threads,
            .frames_in_flight =
                job.frames_in_flight.value_or(job.readers + job.extractors + job.writers),
            .devices = job.devices,
            .devices_inflate = job.settings.inflater != nullptr};
  }

  void read_frames() {
    name_thread("spex reader");
    for (;;) {
      tokens_.acquire();
      const std::size_t i = next_++;
      if (i >= frames_.size()) break;
      auto one = std::make_unique<InFlight>();
      one->frame = frames_[i];
      one->failure = read_step(run_, one->frame, threads_of_next_read(), one->inputs, one->times);
      --unread_;
      to_extract_.push(std::move(one));
    }
    tokens_.release();
  }

  // With an inflater, few frames are read by CPUs, while it starts.
  [[nodiscard]] int threads_of_next_read() const {
    std::size_t sharing = unread_;
    if (devices_inflate_) sharing = std::min<std::size_t>(sharing, files_of_start);
    return read_threads_of_frame(run_.job.settings.read_threads, sharing);
  }

  void extract_frames(int slot, std::promise<void> ready) {
    name_thread("spex extractor");
    PatchExtractor extract;
    try {
      const PhaseScope phase(run_, -1, Phase::start);
      extract = run_.make(slot);
      ready.set_value();
    } catch (...) {
      ready.set_exception(std::current_exception());
    }
    const int device = slot % devices_;
    while (std::optional<FramePtr> one = extract ? to_extract_.pop() : std::nullopt) {
      if (given_up_) break;
      if (!lost_.contains(device)) {
        extract_frame(**one, extract);
        const std::optional<Failure>& failure = (*one)->failure;
        if (!failure || failure->kind != ErrorKind::device) {
          (*one)->inputs.pixels.release();  // most of the frame's memory; not needed for writing
          pass_on(std::move(*one));
          continue;
        }
        lost_.add(device, *failure);
        spdlog::error(
            "rank {}: extractor {} is lost, {}: {}", run_.world.rank(), slot,
            lost_.count() < devices_ ? "the others continue" : "the last one of this rank",
            failure->text);
        if (lost_.count() < devices_)
          hand_over(std::move(*one));
        else
          pass_on(std::move(*one));
      } else if (lost_.count() < devices_) {
        to_extract_.push(std::move(*one));
      } else {
        if (!(*one)->failure) (*one)->failure = lost_.failure_of_later_frames();
        pass_on(std::move(*one));
        continue;
      }
      // The extractors of the last device stay to fail the remaining frames.
      if (lost_.count() < devices_) break;
    }
    if (--extracting_ == 0) to_write_.close();
  }

  // Passes a frame whose extractor was lost to another extractor.
  void hand_over(FramePtr frame) {
    if (frame->tried_again) {
      pass_on(std::move(frame));
      return;
    }
    frame->tried_again = true;
    frame->failure.reset();
    to_extract_.push(std::move(frame));
  }

  void pass_on(FramePtr frame) {
    to_write_.push(std::move(frame));
    if (--not_extracted_ == 0) to_extract_.close();
  }

  void extract_frame(InFlight& frame, const PatchExtractor& extract) const {
    const SpectraOf wanted = whole_frame(run_.job.settings, run_.job.files(frame.frame).output);
    if (!frame.failure)
      frame.failure =
          extract_step(run_, frame.frame, extract, {frame.inputs, frame.inputs.patches, wanted},
                       frame.extracted, frame.times);
  }

  // One thread per frame while every writer is busy: threads that write the same file busy-wait for
  // each other in the kernel. All threads for the last frames, which the run waits for.
  int threads_of_next_frame() {
    const std::size_t left = unwritten_--;
    return left > static_cast<std::size_t>(threads_.writers) ? 1 : threads_.write_threads;
  }

  void write_frames() {
    name_thread("spex writer");
    const bool go = begins_.get();
    while (std::optional<FramePtr> one = go ? to_write_.pop() : std::nullopt) {
      InFlight& frame = **one;
      Finished finished;
      finished.outcome =
          write_step(run_, {frame.frame, std::move(frame.failure), frame.inputs, frame.extracted},
                     threads_of_next_frame(), frame.times);
      finished.times = frame.times;
      one->reset();
      tokens_.release();
      finished_.push(std::move(finished));
    }
  }

  const Run& run_;
  const std::vector<int> frames_;
  PipelineThreads threads_;  // changes before writers and extractors start
  std::atomic<bool> devices_inflate_;
  Tokens tokens_;
  bool begun_ = false;
  std::atomic<bool> given_up_ = false;
  std::promise<bool> begin_;
  std::shared_future<bool> begins_{begin_.get_future()};
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> unread_{frames_.size()};
  std::atomic<std::size_t> not_extracted_{frames_.size()};
  std::atomic<std::size_t> unwritten_{frames_.size()};
  std::atomic<int> extracting_ = 0;  // number of threads
  int devices_ = 1;
  LostDevices lost_;
  Channel<FramePtr> to_extract_;
  Channel<FramePtr> to_write_;
  Channel<Finished> finished_;
  // last, so that the threads end before the members that they use
  std::vector<std::jthread> extractors_;
  std::vector<std::jthread> writers_;
  std::vector<std::jthread> readers_;
};

}  // namespace

void run_pipeline(const Run& run) {
  std::vector<int> mine;
  for (int frame = run.world.rank(); frame < static_cast<int>(run.job.frames.size());
       frame += run.world.size())
    mine.push_back(frame);
  collective(run.world, [&] {
    if (fits_is_reentrant() == 0)
      throw Error(ErrorKind::internal, to_string(Schedule::pipeline),
                  "CFITSIO is not thread-safe here", "CFITSIO built with --enable-reentrant");
  });
  Pipeline pipeline(run, std::move(mine));
  // Read the first frames while the devices start.
  pipeline.start_readers();
  pipeline.find_devices();
  pipeline.start_writers();
  collective(run.world, [&] { pipeline.start_extractors(); });
  pipeline.begin();
  pipeline.wait();
}

}  // namespace spex::mpi

// spex-gpu: extracts frames on GPUs, without MPI or under mpirun. A build without CUDA reports an
// error.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "gpu/programs/choose_gpus.hpp"
#include "gpu/programs/gpu_extractor.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/comm/environment.hpp"
#include "mpi/programs/exposure_cli.hpp"
#include "mpi/programs/extract_cli.hpp"
#include "mpi/programs/gpu_options.hpp"
#include "mpi/programs/report.hpp"
#include "mpi/programs/run_on_ranks.hpp"
#include "mpi/run/affinity.hpp"
#include "mpi/run/device_inflaters.hpp"
#include "mpi/run/device_sharing.hpp"
#include "mpi/run/pipeline_threads.hpp"
#include "reference/cli/program.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/core/memory/pin_large_block.hpp"
#include "reference/core/parallel.hpp"
#include "reference/core/tokens.hpp"
#include "reference/core/version.hpp"
#include "reference/model/milestones.hpp"

namespace {

constexpr const char* program = "spex-gpu";

constexpr const char* footer =
    "Examples:\n"
    "  spex-gpu -i preproc-r0-00051060.fits.fz -p psf-r0-00051060.fits -o frame-r0-00051060.fits\n"
    "  spex-gpu --exposure night/51060 --outdir out       # one or several GPUs of this node\n"
    "  srun -N 4 -n 16 spex-gpu --exposure night/51060 --outdir out  # one rank per GPU, four "
    "nodes\n"
    "  mpirun -n 22 mpi/programs/mps-wrapper spex-gpu --exposure night/51060 --outdir out \\\n"
    "      --milestone interleave-io\n"
    "\n"
    "Exit status: 0 success, 1 bad file or failure, 2 bad command line,\n"
    "7 frames without inputs were skipped (--skip-missing), 77 no GPU (use spex-cpu).";

// More threads would wait for each other to write the same file.
constexpr int max_write_threads = 4;
// Hardware queues per GPU, one per extractor and one more. With fewer, frames wait for each other;
// with more, the context takes longer to create.
constexpr int queues_of_gpu = 5;
// A pipe may bring as many at once.
constexpr std::size_t frames_of_exposure = 30;

// The load of a pipeline before its GPUs are known: one GPU with memory for all. `inflate`: auto,
// on or off.
spex::mpi::PipelineLoad expected_load(const spex::ExposureArguments& many,
                                      const std::string& inflate,
                                      const std::vector<spex::FrameFiles>& frames,
                                      const spex::mpi::Communicator& world, int cpus) {
  spex::mpi::PipelineLoad load = spex::mpi::load_of(frames, world.size());
  load.cpus = cpus;
  if (many.from_pipe()) load.frames = std::max(load.frames, frames_of_exposure);
  load.gpus_inflate = inflate == "on" || (inflate == "auto" && inflates_by_default(load));
  return load;
}

// The load on `devices`. Images that GPUs were expected to inflate are left to the CPUs if a GPU
// has too little memory, unless `inflate` is on.
spex::mpi::PipelineLoad load_of_devices(spex::mpi::PipelineLoad load, const std::string& inflate,
                                        const spex::mpi::Communicator& node,
                                        const std::vector<int>& devices) {
  load.cpus = spex::mpi::share_of_cpus(node);
  load.devices = static_cast<int>(devices.size());
  std::vector<std::string> addresses;
  for (const int device : devices) {
    load.device_memory = std::min(load.device_memory, spex::gpu::gpu_memory(device));
    addresses.push_back(spex::gpu::gpu_bus_id(device));
  }
  load.device_memory /= spex::mpi::ranks_sharing(addresses, node);
  if (inflate == "auto") load.gpus_inflate = inflates_by_default(load);
  return load;
}

// The threads for a load, where the command line asks for no others.
spex::mpi::PipelineThreads threads_for(const spex::mpi::PipelineLoad& load,
                                       const spex::ExposureArguments& asked) {
  spex::mpi::PipelineThreads threads = spex::mpi::pipeline_threads(load);
  threads.readers = asked.readers.value_or(threads.readers);
  threads.writers = asked.writers.value_or(threads.writers);
  threads.extractors = asked.extractors.value_or(threads.extractors);
  threads.frames_in_flight = asked.frames_in_flight.value_or(threads.frames_in_flight);
  return threads;
}

// Sets the threads with which a pipeline begins to read, before its GPUs are known.
spex::mpi::PipelineThreads begin_with(const spex::mpi::PipelineLoad& load,
                                      spex::ExposureArguments& many) {
  const spex::mpi::PipelineThreads threads = threads_for(load, many);
  many.readers = threads.readers;
  many.frames_in_flight = many.frames_in_flight.value_or(threads.readers + threads.writers);
  return threads;
}

// Number of frames that a GPU computes at a time while it transfers others. One keeps it busy, but
// with these options the GPU waits for the host between a frame's kernels.
int frames_computed_at_once(const spex::ExtractOptions& options) {
  const bool waits = options.flux == spex::FluxSolver::frame || options.reject_pixels;
  return waits ? 2 : 1;
}

// Keeps extractors until the process exits: the driver releases their memory (GB in hundreds of
// blocks) at exit much faster than one by one.
class KeptExtractors {
 public:
  // The extractor of a slot, on `device`; created at the first call. The device has `count` of
  // them, of which `computing` compute at a time. Thread-safe.
  spex::PatchExtractor of_slot(int slot, int device, int count, int computing) {
    spex::gpu::GpuShare share{.extractors = count};
    {
      const std::scoped_lock lock(mutex_);
      if (const auto kept = kept_.find(slot); kept != kept_.end()) return kept->second;
      std::shared_ptr<spex::Tokens>& turns = turns_[device];
      if (!turns) turns = std::make_shared<spex::Tokens>(computing);
      share.turns = turns;
    }
    spex::PatchExtractor extractor = spex::gpu::gpu_extractor(device, share, spex::pin_large_block);
    const std::scoped_lock lock(mutex_);
    return kept_.emplace(slot, std::move(extractor)).first->second;
  }
  // The number of extractors.
  int count() {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(kept_.size());
  }

 private:
  std::mutex mutex_;
  std::map<int, spex::PatchExtractor> kept_;            // by slot
  std::map<int, std::shared_ptr<spex::Tokens>> turns_;  // by device
};

void start_inflaters(spex::mpi::DeviceInflaters& inflaters, const std::vector<int>& devices) {
  for (const int device : devices)
    inflaters.start(device,
                    [device] { return spex::gpu::gpu_inflater(device, spex::pin_large_block); });
}

// Calls a function. If it fails, no file waits for an inflater any more.
template <class Function>
auto or_inflate_none(spex::mpi::DeviceInflaters& inflaters, const Function& function) {
  try {
    return function();
  } catch (...) {
    inflaters.start_none();
    throw;
  }
}

int extract(int argc, char** argv, const spex::mpi::Communicator& world, KeptExtractors& extractors,
            spex::mpi::DeviceInflaters& inflaters) {
  CLI::App app("Extracts 1D spectra from preprocessed CCD frames by spectroperfectionism, on GPUs.",
               program);
  app.set_version_flag("--version",
                       spex::version_text(program) + "; " + spex::gpu::describe_gpu_build());
  app.footer(footer);
  spex::ExtractArguments arguments;
  arguments.device = spex::Device::gpu;
  spex::add_extract_options(app, arguments);
  spex::ExposureArguments many;
  spex::add_exposure_options(app, arguments, many);
  spex::GpuArguments gpu;
  spex::add_gpu_options(app, gpu);
  int status = 0;
  if (!spex::parse_extract_command_line(app, argc, argv, world.is_root(), status)) return status;

  spex::gpu::GpuChoice choice{.device = gpu.device, .gpus = gpu.gpus, .bind = gpu.bind == "gpu"};
  spex::FrameJob job;
  arguments.production.as_desi_proc = many.night.has_value();
  spex::mpi::collective(world, [&] { job = spex::prepare_job(arguments, program); });
  spex::FramesToDo to_do = spex::frames_to_do(world, job, many);
  spex::load_earth_orientation(world, arguments.production, job.settings.barycentric);
  choice.several = many.many() && spex::traits(job.settings.options.milestone).schedule ==
                                      spex::Schedule::pipeline;
  spex::mpi::collective(world, [&] {
    if (gpu.inflate == "on" && !choice.several)
      throw spex::usage_error("--gpu-inflate", "no GPU inflates images here",
                              "many frames and the milestone pipeline");
  });
  choice.frames = std::max(to_do.frames.size(), many.from_pipe() ? frames_of_exposure : 0);
  const spex::mpi::Communicator node = world.node();
  spex::gpu::limit_visible_gpus(choice, world, node);
  std::vector<int> devices;
  const auto take_gpus = [&] {
    devices = spex::gpu::choose_gpus(choice, world, node);
    if (!world.is_root()) return;
    if (spex::traits(job.settings.options.milestone).eigh.N == spex::EighRoutine::syev_batched)
      spdlog::info(spex::gpu::describe_gpu_build());
    spdlog::info("{}: {} rank(s) of {} GPU(s)", many.many() ? "frames" : job.files.input,
                 world.size(), devices.size());
  };
  job.settings.read_threads = spex::mpi::share_of_cpus(node);
  if (!many.many())
    job.settings.write_threads = std::min(spex::default_threads(), max_write_threads);
  // The driver starts slowly; a single frame, or a pipeline's first, is read in the meantime.
  const bool reads_meanwhile = choice.several || (!many.many() && world.size() == 1);
  if (!reads_meanwhile) {
    take_gpus();
    // The extractor reports a wrong --device.
    if (devices.front() >= 0 && devices.front() < spex::gpu::gpu_count())
      job.settings.device = spex::gpu::gpu_bus_id(devices.front());
  }
  spex::mpi::PipelineThreads threads;
  if (choice.several) {
    const spex::mpi::PipelineLoad load =
        expected_load(many, gpu.inflate, to_do.frames, world, job.settings.read_threads);
    if (load.gpus_inflate) job.settings.inflater = &inflaters;
    many.find_devices = [&, load, asked = many] {
      if (devices.empty()) or_inflate_none(inflaters, take_gpus);
      spex::mpi::collective(world, [&] {
        threads = threads_for(load_of_devices(load, gpu.inflate, node, devices), asked);
      });
      if (!threads.devices_inflate) inflaters.start_none();
      return threads;
    };
    threads = begin_with(load, many);
  }
  return spex::extract_one_or_many(world, job, many, std::move(to_do), [&](int k) {
    if (devices.empty()) take_gpus();
    const int count = static_cast<int>(devices.size());
    const int frames_at_once = (threads.extractors + count - 1) / count;  // of a GPU
    spex::PatchExtractor extractor = or_inflate_none(inflaters, [&] {
      return extractors.of_slot(k, devices[static_cast<std::size_t>(k % count)], frames_at_once,
                                frames_computed_at_once(job.settings.options));
    });
    // The last extractor: until now the driver was busy.
    if (threads.devices_inflate && extractors.count() == threads.extractors)
      start_inflaters(inflaters, devices);
    return extractor;
  });
}

// By default the driver creates 8 hardware queues in a context, which takes 0.1 s longer. Must be
// called before threads start, because they may read the environment.
void ask_for_few_queues() {
  constexpr int keep_the_users = 0;
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(queues_of_gpu).c_str(), keep_the_users);
}

}  // namespace

int main(int argc, char** argv) {
  ask_for_few_queues();
  spex::set_up_program(program);
  KeptExtractors extractors;
  spex::mpi::DeviceInflaters inflaters;
  const int status = spex::run_on_ranks(
      program, argc, argv, [&](int count, char** words, const spex::mpi::Communicator& world) {
        return extract(count, words, world, extractors, inflaters);
      });
  // Skip destructors, in particular the extractors' and the inflaters'.
  std::fflush(nullptr);
  _exit(status);
}

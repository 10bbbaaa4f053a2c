#include <gtest/gtest.h>

#include "mpi/run/pipeline_threads.hpp"

namespace spex::mpi {
namespace {

FrameFiles files(const std::string& input, const std::string& output) {
  FrameFiles one;
  one.input = input;
  one.output = output;
  return one;
}

TEST(PipelineThreads, LoadOfFrames) {
  const PipelineLoad plain = load_of({files("a.fits", "b.fits"), files("c.fits", "d.fits")}, 1);
  EXPECT_EQ(plain.frames, 2U);
  EXPECT_FALSE(plain.gzip_inputs || plain.tiled_inputs);
  const PipelineLoad packed = load_of(
      {files("a.fits", "b.fits"), files("c.fits.fz", "d.fits.gz"), files("e.fits", "f.fits")}, 2);
  EXPECT_EQ(packed.frames, 2U);
  EXPECT_TRUE(packed.tiled_inputs);
  EXPECT_FALSE(packed.gzip_inputs);
  EXPECT_TRUE(load_of({files("a.fits.gz", "b.fits")}, 1).gzip_inputs);
}

TEST(PipelineThreads, PackedImagesAreReadByAllCpus) {
  PipelineLoad load;
  load.cpus = 16;
  load.frames = 30;
  EXPECT_EQ(pipeline_threads(load).readers, 6);
  load.gzip_inputs = true;
  EXPECT_EQ(pipeline_threads(load).readers, 16);
  load.gpus_inflate = true;
  EXPECT_EQ(pipeline_threads(load).readers, 8);
  load.tiled_inputs = true;
  EXPECT_EQ(pipeline_threads(load).readers, 16);
}

TEST(PipelineThreads, GpusInflateManyFramesIfTheyHaveMemory) {
  PipelineLoad load;
  load.frames = 30;
  load.device_memory = 80e9;
  EXPECT_FALSE(inflates_by_default(load));
  load.gzip_inputs = true;
  EXPECT_TRUE(inflates_by_default(load));
  load.frames = 4;
  EXPECT_FALSE(inflates_by_default(load));
  load.frames = 30;
  load.device_memory = 24e9;
  EXPECT_FALSE(inflates_by_default(load));
}

TEST(PipelineThreads, ExtractorsByFramesAndMemory) {
  PipelineLoad load;
  load.cpus = 16;
  load.frames = 30;
  EXPECT_EQ(pipeline_threads(load).extractors, 4);
  load.frames = 3;
  EXPECT_EQ(pipeline_threads(load).extractors, 3);
  load.frames = 30;
  load.device_memory = 21e9;
  EXPECT_EQ(pipeline_threads(load).extractors, 2);
  load.device_memory = 1e9;
  EXPECT_EQ(pipeline_threads(load).extractors, 1);
  load.device_memory = 80e9;
  load.devices = 4;
  EXPECT_EQ(pipeline_threads(load).extractors, 16);
}

TEST(PipelineThreads, OneFrameIsReadByIdleThreads) {
  EXPECT_EQ(read_threads_of_frame(16, 1), 16);
  EXPECT_EQ(read_threads_of_frame(16, 3), 5);
  EXPECT_EQ(read_threads_of_frame(16, 9), 1);
  EXPECT_EQ(read_threads_of_frame(16, 10000), 1);
  EXPECT_EQ(read_threads_of_frame(1, 1), 1);
}

TEST(PipelineThreads, OfOneCpu) {
  const PipelineThreads threads = pipeline_threads({});
  EXPECT_EQ(threads.readers, 1);
  EXPECT_EQ(threads.extractors, 1);
  EXPECT_EQ(threads.writers, 1);
  EXPECT_EQ(threads.write_threads, 2);
  EXPECT_EQ(threads.frames_in_flight, 3);
}

}  // namespace
}  // namespace spex::mpi

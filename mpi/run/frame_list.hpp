// Reads a run's frames from a list file, and checks lists of frames.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/frame/frame_files.hpp"

namespace spex::mpi {

/// One frame per line: `CAMERA IMAGE PSF OUTPUT`, separated by blanks, in order of work; # starts a
/// comment, and empty lines are skipped. Throws Error(usage) `FILE:LINE: ...` for a malformed line
/// or an empty list; Error(data) if the file cannot be read.
[[nodiscard]] std::vector<FrameFiles> frames_of_list(const std::string& path);

/// Frames whose lines, in the form of a list, come through a pipe while others are extracted.
class FramePipe {
 public:
  /// Reads the open file `file`, called `name` in messages.
  FramePipe(int file, std::string name) : file_(file), name_(std::move(name)) {}

  /// Waits for frames, and returns those of all lines that have come; none at the end. A malformed
  /// line is a frame whose fault says so. Throws Error(usage) if there is no frame at all, and
  /// Error(data) if reading fails.
  [[nodiscard]] std::vector<FrameFiles> next();
  /// Sets the fault of each frame whose output is an input of a frame before it, or the output of
  /// one of other inputs, or whose inputs are an output of one. Frames with a fault do not count.
  /// To be called once for all frames, in their order, after find_inputs.
  void note_clashes(std::vector<FrameFiles>& frames);

 private:
  /// Waits for bytes, at most `wait` ms unless that is negative. Returns false if none came.
  bool read(int wait);
  void take_lines(std::vector<FrameFiles>& frames);

  int file_;
  std::string name_;
  std::string text_;  // not yet taken
  int lines_ = 0;     // taken
  bool ended_ = false;
  bool any_ = false;                           // whether there was a frame
  std::map<std::string, FrameFiles> outputs_;  // the first frame of each, by name_of_all_forms
  std::map<std::string, std::string> inputs_;  // by canonical name
};

/// Additional files of a run; names may be empty.
struct RunFiles {
  std::string list = {};  ///< list file
  std::string log = {};   ///< run log to write
};

/// Sets the fault of each frame whose output is also another frame's, or a frame's input, or the
/// list; the other frames are not affected. Throws Error(usage) if the run log is one of these
/// files.
void note_clashes(std::vector<FrameFiles>& frames, const RunFiles& run = {});

}  // namespace spex::mpi

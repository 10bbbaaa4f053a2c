// A frame with its keywords, as the comparison with DESI's pipeline needs it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "reference/compare/frame_file.hpp"

namespace spex {

/// Keywords of an HDU, but those of structure, scaling, compression, checksums and comments. Values
/// are text without quotes and blanks at the ends, long strings in one piece.
using Keywords = std::map<std::string, std::string>;

/// A frame of our programs or of DESI's pipeline.
struct PipelineFrame {
  FrameFile file;                            ///< all HDUs
  std::map<std::string, Keywords> keywords;  ///< by EXTNAME
  std::string extractor_url;                 ///< comment of SPECTER in the primary header

  /// A keyword of the primary HDU; nothing if absent.
  [[nodiscard]] std::optional<std::string> find(const std::string& keyword) const;
  /// The same as a number, or `otherwise` if absent or no number.
  [[nodiscard]] double number(const std::string& keyword, double otherwise) const;
  /// The version of a dependency by DEPNAMnn and DEPVERnn; empty if not stated.
  [[nodiscard]] std::string version_of(const std::string& dependency) const;
  /// Whether a program of this project made the frame (SPEXPROG).
  [[nodiscard]] bool is_ours() const { return find("SPEXPROG").has_value(); }
  /// Whether specter extracted the frame, not gpu_specter (comment of SPECTER).
  [[nodiscard]] bool by_specter() const;
};

/// Reads a frame. Throws Error(data) as read_frame does.
[[nodiscard]] PipelineFrame read_pipeline_frame(const std::string& path);

/// Whether version `a` is before `b`: "0.56.5" before "0.71", "0.70.0.dev9" before "0.71".
[[nodiscard]] bool before(const std::string& a, const std::string& b);

/// The psferr of desi_proc in this version of desispec: 0.1 before 0.55, 0.01 before 0.61, then
/// 0.04 for arm b and 0.01 for r and z. Nothing for an unknown version.
[[nodiscard]] std::optional<double> psferr_of_version(const std::string& desispec,
                                                      const std::string& camera);

}  // namespace spex

// The golden cases of a cases.json (golden/README.md), as an extractor and a comparison need them.
#pragma once

#include <string>
#include <vector>

namespace spex::golden {

struct GoldenCase {
  std::string name;
  std::string preproc, psf;  ///< inputs
  std::string frame;         ///< what they must give
  std::string tolerance;     ///< for read_tolerance
  /// The extraction's parameters as an extractor's options, without files.
  std::vector<std::string> options;

  /// All options: files and parameters.
  [[nodiscard]] std::vector<std::string> extract_to(const std::string& output) const;
};

/// The names of the cases of the file `path`. Throws Error(data) where it is no such file.
[[nodiscard]] std::vector<std::string> golden_case_names(const std::string& path);

/// The case `name` of the file `path`. Throws Error(data) where there is none such.
[[nodiscard]] GoldenCase read_golden_case(const std::string& path, const std::string& name);

}  // namespace spex::golden

// Detects paths of the same file, so that outputs do not overwrite inputs.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// The absolute path without symlinks; the file need not exist.
[[nodiscard]] std::string canonical_name(const std::string& path);

/// Whether both paths name the same file; false if a path is empty.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

/// Throws Error(usage) `OUTPUT: would overwrite an input`, also one that is read in another form
/// (file_forms.hpp), or `OUTPUT: is the name of both outputs` if two outputs are forms of the same
/// file. Ignores empty paths.
void refuse_overwriting(const std::vector<std::string>& written,
                        const std::vector<std::string>& read);

}  // namespace spex

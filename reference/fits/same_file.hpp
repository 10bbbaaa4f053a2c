// Which names are of one file: what is written must be none of what is read.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// The file's absolute name without links, whether it is there or not.
[[nodiscard]] std::string canonical_name(const std::string& path);

/// Whether both names are of one file; never where one is empty.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

/// Throws Error(usage) `OUTPUT: would overwrite an input`, or `OUTPUT: is the name of both outputs`
/// where a name is written twice. Empty names are of no file.
void refuse_overwriting(const std::vector<std::string>& written,
                        const std::vector<std::string>& read);

}  // namespace spex

// Files that appear whole, by rename, or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/gzip.hpp"

namespace spex {

/// Writes `bytes` to a temporary name in the folder of `path`, gzip-compressed where `path` ends in
/// .gz (gzip.hpp; `settings` are of that), flushes it to the device and
/// renames it to `path`. Throws Error(data) `path: what is wrong`; the temporary is removed then.
void atomic_write(const std::string& path, std::span<const char> bytes,
                  const GzipSettings& settings = {});

/// Puts a part of a file at an offset; from any thread.
using PutPart = std::function<void(std::size_t offset, std::span<const char> bytes)>;
/// The same of `size` bytes that `put_all` puts in parts, each byte once.
void atomic_write(const std::string& path, std::size_t size,
                  const std::function<void(const PutPart&)>& put_all,
                  const GzipSettings& settings = {});

/// The same of parts, some of which are compressed already, where `path` ends in .gz. Throws
/// std::logic_error where `path` does not.
void atomic_write_gzip(const std::string& path, const std::vector<GzipPart>& parts,
                       const GzipSettings& settings = {});

/// Removes the temporary files that a process left beside `paths` when it was killed in
/// `atomic_write`; those that are being written stay. Returns their names. A writer holds a lock on
/// its file (flock), by which it is known to be alive: on a file system without such locks nothing
/// is removed.
std::vector<std::string> remove_abandoned(const std::vector<std::string>& paths);

/// Throws Error(data) where a file could not be created at `path`: its folder is missing, is not a
/// folder, or is not writable, or `path` is a folder, or one of CFITSIO's extended file names
/// (`frame.fits[compress]`, `!frame.fits`, `mem://`). Meant to be called before long work.
void check_writable(const std::string& path);

}  // namespace spex

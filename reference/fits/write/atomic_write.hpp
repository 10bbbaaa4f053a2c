// Atomic file writes: a file appears whole, by rename, or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/fits/write/gzip.hpp"

namespace spex {

/// Writes `bytes` to a temporary file in the folder of `path`, flushes it to the device and renames
/// it to `path`. Compresses with gzip (gzip.hpp, `settings`) if `path` ends in .gz. Throws
/// Error(data) `path: what is wrong` and removes the temporary file.
void atomic_write(const std::string& path, std::span<const char> bytes,
                  const GzipSettings& settings = {});

/// Writes a part of a file at an offset. Thread-safe.
using PutPart = std::function<void(std::size_t offset, std::span<const char> bytes)>;
/// The same for `size` bytes that `put_all` writes in parts, each byte once.
void atomic_write(const std::string& path, std::size_t size,
                  const std::function<void(const PutPart&)>& put_all,
                  const GzipSettings& settings = {});

/// The same for parts, some of which are already compressed. Throws std::logic_error if `path` does
/// not end in .gz.
void atomic_write_gzip(const std::string& path, const std::vector<GzipPart>& parts,
                       const GzipSettings& settings = {});

/// Removes temporary files of `paths` that killed processes left behind, and returns their names. A
/// writer holds a lock (flock) on its temporary file; locked files stay. On a file system without
/// flock nothing is removed.
std::vector<std::string> remove_abandoned(const std::vector<std::string>& paths);

/// Checks before long work that a file can be created at `path`. Throws Error(data) if the folder
/// is missing, not a folder or not writable, or if `path` is a folder or an extended file name of
/// CFITSIO (`frame.fits[compress]`, `!frame.fits`, `mem://`).
void check_writable(const std::string& path);

}  // namespace spex

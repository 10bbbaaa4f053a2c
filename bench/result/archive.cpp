#include "bench/result/archive.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

constexpr const char* expected = "an archive of spex-bench submit";

// Throws if a call of libarchive failed.
void check(int done, archive* handle, const std::string& path) {
  if (done == ARCHIVE_OK) return;
  const char* const text = archive_error_string(handle);
  throw data_error(path, text == nullptr ? "cannot be read or written" : text, expected);
}

la_ssize_t append(archive* /*handle*/, void* to, const void* data, std::size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

std::string tar_of(const std::string& path, const Files& files) {
  std::string bytes;
  const std::unique_ptr<archive, decltype(&archive_free)> writer(archive_write_new(),
                                                                 &archive_free);
  archive* const handle = writer.get();
  check(archive_write_set_format_pax_restricted(handle), handle, path);
  check(archive_write_add_filter_none(handle), handle, path);
  check(archive_write_open(handle, &bytes, nullptr, append, nullptr), handle, path);
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                            &archive_entry_free);
  for (const auto& [name, text] : files) {
    archive_entry_clear(entry.get());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), 0, 0);
    check(archive_write_header(handle, entry.get()), handle, path);
    if (archive_write_data(handle, text.data(), text.size()) !=
        static_cast<la_ssize_t>(text.size()))
      check(ARCHIVE_FATAL, handle, path);
  }
  check(archive_write_close(handle), handle, path);
  return bytes;
}

// The bytes of the current entry, which may have at most `max_bytes`.
std::string read_data(archive* handle, const std::string& path, const std::string& name,
                      std::size_t max_bytes) {
  std::string text;
  std::array<char, 1 << 16> block{};
  while (true) {
    const la_ssize_t size = archive_read_data(handle, block.data(), block.size());
    if (size < 0) check(ARCHIVE_FATAL, handle, path);
    if (size == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(size));
    if (text.size() > max_bytes)
      throw data_error(path, name + " is too large",
                       fmt::format("at most {} bytes here", max_bytes));
  }
}

}  // namespace

void write_archive(const std::string& path, const Files& files) {
  if (!path.ends_with(".tar.gz"))
    throw usage_error("--archive", path, "a name that ends in .tar.gz");
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    throw usage_error("--archive", path + " exists", "a new name");
  // Compresses because of the name.
  atomic_write(path, tar_of(path, files), {.level = last_gzip_level, .as_zlib = true});
}

Files read_archive(const std::string& path) {
  constexpr std::size_t block_bytes = 1 << 16;
  // A pipe could block, and a device may be endless.
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw data_error(path, "is not a file", expected);
  const std::unique_ptr<archive, decltype(&archive_free)> reader(archive_read_new(), &archive_free);
  archive* const handle = reader.get();
  check(archive_read_support_filter_gzip(handle), handle, path);
  check(archive_read_support_format_tar(handle), handle, path);
  check(archive_read_open_filename(handle, path.c_str(), block_bytes), handle, path);
  Files files;
  std::size_t left = max_archive_bytes;
  while (true) {
    archive_entry* entry = nullptr;
    const int found = archive_read_next_header(handle, &entry);
    if (found == ARCHIVE_EOF) break;
    check(found, handle, path);
    const char* const given = archive_entry_pathname(entry);
    std::string name = given == nullptr ? "" : given;
    // As tar packs a folder: "./plan.json", "logs/".
    if (name.starts_with("./")) name.erase(0, 2);
    if (archive_entry_filetype(entry) == AE_IFDIR) {
      if (name.ends_with('/')) name.pop_back();
      if (name.empty() || name == "." || is_safe_name(name)) continue;
    }
    if (!is_safe_name(name))
      throw data_error(path, fmt::format("holds a file named '{}'", name),
                       "names that stay within a folder");
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr)
      throw data_error(path, name + " is not a file", "only files");
    if (files.contains(name)) throw data_error(path, name + " is there twice", "each name once");
    if (files.size() == max_files)
      throw data_error(path, "holds too many files", fmt::format("at most {}", max_files));
    std::string text = read_data(handle, path, name, std::min(max_file_bytes, left));
    left -= text.size();
    files.emplace(name, std::move(text));
  }
  return files;
}

}  // namespace spex::bench

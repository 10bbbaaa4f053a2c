#include "bench/result/file_hash.hpp"

#include <array>
#include <cstddef>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

// The hash of the rest of a stream; nothing if it cannot be read to its end.
std::optional<std::string> hash_stream(std::istream& in) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const auto check = [](int done) {
    if (done != 1) throw Error(ErrorKind::internal, "OpenSSL", "gives no SHA-256");
  };
  check(context ? EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) : 0);
  std::vector<char> block(block_bytes);
  do {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    check(EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(in.gcount())));
  } while (in);
  // A folder can be opened like a file, but not read.
  if (in.bad() || !in.eof()) return std::nullopt;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context.get(), digest.data(), &size));
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace

std::optional<std::string> hash_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return in ? hash_stream(in) : std::nullopt;
}

std::vector<std::optional<std::string>> hash_files(const std::vector<std::string>& paths) {
  std::vector<std::optional<std::string>> hashes(paths.size());
  parallel_for(default_threads(), static_cast<int>(paths.size()), [&](int, int index) {
    const std::size_t i = index;
    hashes[i] = hash_file(paths[i]);
  });
  return hashes;
}

std::string hash_of_files(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::optional<std::string>& hash : hash_files(paths)) {
    if (!hash) return {};
    all += *hash;
  }
  return hash_text(all);
}

std::string hash_text(const std::string& text) {
  std::istringstream in(text);
  return hash_stream(in).value();
}

}  // namespace spex::bench

#include "bench/result/file_hash.hpp"

#include <array>
#include <cstddef>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "reference/core/error.hpp"
#include "reference/core/parallel.hpp"

namespace spex::bench {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    check(context_ ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
  }
  void add(const char* data, std::size_t size) {
    check(EVP_DigestUpdate(context_.get(), data, size));
  }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  static void check(int done) {
    if (done != 1) throw Error(ErrorKind::internal, "OpenSSL", "gives no SHA-256");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::optional<std::string> hash_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  Sha256 sha;
  std::vector<char> block(block_bytes);
  do {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    sha.add(block.data(), static_cast<std::size_t>(in.gcount()));
  } while (in);
  // A folder opens like a file, and then cannot be read.
  if (in.bad() || !in.eof()) return std::nullopt;
  return sha.hex();
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

std::string hash_text(std::string_view text) {
  Sha256 sha;
  sha.add(text.data(), text.size());
  return sha.hex();
}

}  // namespace spex::bench

// Fuzz target: a gzip file inflated by several threads must give the bytes, or the message, of one
// thread. Input that is not gzip is compressed first.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/core/error.hpp"
#include "reference/fits/read/inflate.hpp"
#include "reference/tests/fuzz/seeds.hpp"
#include "reference/tests/support/unzip.hpp"

namespace {

// The content, or the message of its error.
std::string outcome(const std::vector<char>& file, const spex::InflateThreads& threads) {
  try {
    const std::vector<char> bytes = spex::test::unzip(file, "fuzz", spex::max_unzipped, threads);
    return {bytes.begin(), bytes.end()};
  } catch (const spex::Error& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<char> file(data, data + size);
  if (!spex::is_gzip(file)) file = spex::fuzz::gzipped(file);
  const std::string alone = outcome(file, {});
  for (const std::size_t part : {std::size_t{3000}, std::size_t{20000}})
    if (outcome(file, {.count = 2, .part = part}) != alone)
      throw std::logic_error("several threads make other bytes, or another message");
  return 0;
}

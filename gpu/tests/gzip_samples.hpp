// Gzip files of many forms, and damaged ones.
#pragma once

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

namespace spex::gpu::test {

using Chars = std::vector<char>;

/// How zlib packs.
struct Packing {
  int level = 9;
  int strategy = Z_DEFAULT_STRATEGY;
  int memory_level = 8;
  int flush = Z_NO_FLUSH;  ///< after each 50,000 bytes
};

[[nodiscard]] inline Chars packed(const Chars& bytes, const Packing& how = {}) {
  constexpr int gzip_format = 31;
  z_stream stream{};
  deflateInit2(&stream, how.level, Z_DEFLATED, gzip_format, how.memory_level, how.strategy);
  Chars to(bytes.size() + bytes.size() / 4 + 100'000);
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const std::size_t step = how.flush == Z_NO_FLUSH ? bytes.size() : 50'000;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
    stream.avail_in = static_cast<uInt>(std::min(step, bytes.size() - at));
    deflate(&stream, how.flush);
  }
  deflate(&stream, Z_FINISH);
  to.resize(stream.total_out);
  deflateEnd(&stream);
  return to;
}

/// zlib's bytes of a file of one member; nothing if it is damaged or goes on.
[[nodiscard]] inline std::optional<Chars> unpacked(const Chars& file) {
  constexpr int gzip_format = 31;
  z_stream stream{};
  inflateInit2(&stream, gzip_format);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  Chars to, part(1 << 20);
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    to.insert(to.end(), part.begin(),
              part.begin() + static_cast<std::ptrdiff_t>(part.size() - stream.avail_out));
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(to) : std::nullopt;
}

struct Sample {
  std::string name;
  Chars file;
  bool supported;  ///< must be inflated
};

/// Float32 of an image: a level and noise, big-endian.
[[nodiscard]] inline Chars noise_image(std::size_t pixels, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(1000.0F, 5.0F);
  Chars bytes;
  bytes.reserve(4 * pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const float value = noise(random);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(bits >> shift));
  }
  return bytes;
}

[[nodiscard]] inline Chars random_bytes(std::size_t count) {
  std::mt19937 random(2);
  Chars bytes(count);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// Lines of words, whose matches depend on one another in long chains.
[[nodiscard]] inline Chars text(std::size_t size) {
  std::mt19937 random(3);
  std::vector<std::string> words(400);
  for (std::string& word : words)
    for (auto k = 2 + random() % 9; k > 0; --k) word += static_cast<char>('a' + random() % 26);
  Chars bytes;
  while (bytes.size() < size) {
    const std::string& word = words[random() % (1 + random() % words.size())];
    bytes.insert(bytes.end(), word.begin(), word.end());
    bytes.push_back(random() % 12 == 0 ? '\n' : ' ');
  }
  return bytes;
}

/// Runs of equal bytes, repeated patterns, noise and text in turn.
[[nodiscard]] inline Chars mixture() {
  std::mt19937 random(4);
  Chars bytes;
  const Chars words = text(50'000), noise = noise_image(20'000);
  for (int part = 0; part < 6; ++part) {
    bytes.insert(bytes.end(), random() % 90'000, static_cast<char>(part));
    for (auto k = random() % 30'000; k > 0; --k)
      for (const char byte : {'\x40', '\x49', '\x0F', '\xDB', '\x01'}) bytes.push_back(byte);
    bytes.insert(bytes.end(), noise.begin(), noise.end());
    bytes.insert(bytes.end(), words.begin(), words.end());
  }
  return bytes;
}

[[nodiscard]] inline std::vector<std::pair<std::string, Chars>> contents() {
  return {{"noise", noise_image(120'000)},
          {"text", text(250'000)},
          {"mixture", mixture()},
          {"zeros", Chars(3'000'000)},
          {"random", random_bytes(150'000)},
          {"empty", {}},
          {"byte", {'x'}},
          {"block", text(3000)}};
}

[[nodiscard]] inline Chars joined(Chars a, const Chars& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

[[nodiscard]] inline std::vector<Sample> whole_samples() {
  std::vector<Sample> samples;
  for (const auto& [name, bytes] : contents()) {
    for (const int level : {1, 6, 9})
      samples.push_back(
          {name + " by level " + std::to_string(level), packed(bytes, {level}), true});
    samples.push_back({name + " stored", packed(bytes, {0}), true});
    samples.push_back({name + " by RLE", packed(bytes, {9, Z_RLE}), true});
    samples.push_back({name + " without matches", packed(bytes, {9, Z_HUFFMAN_ONLY}), true});
    samples.push_back({name + " in parts", packed(bytes, {6, 0, 8, Z_SYNC_FLUSH}), true});
    samples.push_back({name + " in full parts", packed(bytes, {6, 0, 8, Z_FULL_FLUSH}), true});
    // many blocks with fixed codes, which are not recognized
    samples.push_back({name + " by fixed codes", packed(bytes, {9, Z_FIXED}), false});
    samples.push_back({name + " by small blocks", packed(bytes, {9, 0, 1}), false});
    samples.push_back({name + " by large blocks", packed(bytes, {9, 0, 9}), true});
  }
  // stored and packed bytes that hold whole streams, and so true headers in false places
  const Chars streams = joined(packed(text(200'000)), packed(noise_image(50'000)));
  samples.push_back({"streams stored", packed(streams, {0}), true});
  samples.push_back({"streams packed", packed(joined(streams, text(100'000))), true});
  return samples;
}

/// Files that zlib refuses, or whose second member the GPU refuses.
[[nodiscard]] inline std::vector<Sample> damaged_samples() {
  std::vector<Sample> samples;
  std::mt19937 random(5);
  for (const Chars& good :
       {packed(text(300'000)), packed(mixture(), {6}), packed(noise_image(60'000))}) {
    for (int k = 0; k < 12; ++k) {
      Chars bad = good;
      const std::size_t at = 10 + random() % (bad.size() - 10);
      bad[at] = static_cast<char>(bad[at] ^ 1 << random() % 8);
      samples.push_back({"bit of byte " + std::to_string(at), bad, false});
    }
    samples.push_back(
        {"half", {good.begin(), good.begin() + static_cast<long>(good.size() / 2)}, false});
    samples.push_back({"without a byte", {good.begin(), good.end() - 1}, false});
    samples.push_back({"another byte", joined(good, {'x'}), false});
    samples.push_back({"two members", joined(good, good), false});
    for (const std::size_t from_end : {1, 4, 5, 8}) {
      Chars bad = good;
      bad[bad.size() - from_end] = static_cast<char>(bad[bad.size() - from_end] ^ 0x40);
      samples.push_back({"trailer byte -" + std::to_string(from_end), bad, false});
    }
    Chars bad = good;
    for (std::size_t i = bad.size() / 3; i < bad.size() / 2; ++i) bad[i] = '\0';
    samples.push_back({"zeros within", bad, false});
    bad = good;
    bad[10] = '\x07';  // a block of type 3 first
    samples.push_back({"no such block", bad, false});
  }
  samples.push_back({"random bytes", random_bytes(100'000), false});
  samples.push_back({"header alone", {'\x1F', '\x8B', '\x08', 0, 0, 0, 0, 0, 0, 3}, false});
  samples.push_back(
      {"extra field beyond the end",
       {'\x1F', '\x8B', '\x08', 4, 0, 0, 0, 0, 0, 3, '\xFF', '\xFF', 3, 0, 0, 0, 0, 0, 0, 0, 0, 0},
       false});
  return samples;
}

}  // namespace spex::gpu::test

#include "reference/tests/fuzz/seeds.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

#include <fitsio.h>
#include <zlib.h>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/tests/fits/fits_edit.hpp"

namespace spex::fuzz {
namespace {

constexpr std::size_t small_file = std::size_t{1} << 16;
constexpr long nx = 11;
constexpr long ny = 9;

// The storage format of a seed's images.
struct Form {
  int compression = 0;  // 0: plain
  int mask_bits = LONG_IMG;
  int real_bits = FLOAT_IMG;
  float quantize = 0;  // quantize level, 0: lossless
  int dither = NO_DITHER;
  bool square_tiles = false;
  bool varying = false;  // whether a fibermap column has arrays of variable length
};

void check(int status) {
  fits_check(status, "seed", "cannot be created");
}

// A smooth image with noise, one NaN and exact zeros.
std::vector<float> pixels() {
  std::vector<float> values(nx * ny);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 100.0F + 10.0F * std::sin(static_cast<float>(i));
  values[5] = 0;
  values[17] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

void set_compression(FitsMemory& out, const Form& form, bool real) {
  int status = 0;
  fitsfile* file = out.get();
  fits_set_compression_type(file, form.compression, &status);
  if (form.compression == 0) return;
  std::array<long, 2> tile{form.square_tiles ? 4L : nx, form.square_tiles ? 3L : 1L};
  fits_set_tile_dim(file, 2, tile.data(), &status);
  fits_set_quantize_level(file, real ? form.quantize : 0.0F, &status);
  fits_set_quantize_dither(file, form.dither, &status);
  fits_set_dither_seed(file, 17, &status);
  check(status);
}

// CFITSIO does not convert numbers for a compressed image: `type` must match `bits`.
template <class T>
void write_as(FitsMemory& out, int type, const std::vector<float>& pixels) {
  int status = 0;
  std::vector<T> values(pixels.begin(), pixels.end());
  if constexpr (std::is_floating_point_v<T>) {
    T null = std::numeric_limits<T>::quiet_NaN();
    fits_write_imgnull(out.get(), type, 1, nx * ny, values.data(), &null, &status);
  } else {
    fits_write_img(out.get(), type, 1, nx * ny, values.data(), &status);
  }
  check(status);
}

void append_image(FitsMemory& out, const char* name, int bits, const Form& form) {
  int status = 0;
  std::array<long, 2> axes{nx, ny};
  set_compression(out, form, bits < 0);
  fits_create_img(out.get(), bits, 2, axes.data(), &status);
  fits_write_key_str(out.get(), "EXTNAME", name, nullptr, &status);
  fits_write_key_str(out.get(), "CAMERA", "b0", nullptr, &status);
  fits_write_key_longstr(out.get(), "LONGTEXT",
                         "a text that is longer than one card can be, so that it goes on in cards "
                         "called CONTINUE, which have no keyword of their own",
                         nullptr, &status);
  check(status);
  std::vector<float> mask(nx * ny, 0);
  mask[3] = 4;
  switch (bits) {
    case BYTE_IMG:
      write_as<unsigned char>(out, TBYTE, mask);
      break;
    case SHORT_IMG:
      write_as<short>(out, TSHORT, mask);
      break;
    case LONG_IMG:
      write_as<int>(out, TINT, mask);
      break;
    case FLOAT_IMG:
      write_as<float>(out, TFLOAT, pixels());
      break;
    default:
      write_as<double>(out, TDOUBLE, pixels());
  }
  fits_flush_file(out.get(), &status);
  check(status);
}

// `varying`: with arrays of variable length, which are not compressed.
void append_fibermap(FitsMemory& out, bool compressed, bool varying) {
  constexpr long rows = 120;
  int status = 0;
  FitsMemory plain("seed", small_file);
  std::array<std::string, 7> names{"TARGETID",  "FIBER", "FLAG", "OBJTYPE",
                                   "TARGET_RA", "MAG",   "GOOD"};
  std::array<std::string, 7> forms{"K", "J", "I", "3A", "D", varying ? "1PE" : "2E", "L"};
  std::array<char*, 7> name_text{};
  std::array<char*, 7> form_text{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    name_text[i] = names[i].data();
    form_text[i] = forms[i].data();
  }
  fits_create_img(plain.get(), BYTE_IMG, 0, nullptr, &status);
  fits_create_tbl(plain.get(), BINARY_TBL, rows, 7, name_text.data(), form_text.data(), nullptr,
                  "FIBERMAP", &status);
  std::vector<int> fiber(rows);
  for (int i = 0; i < rows; ++i) fiber[i] = i;
  fits_write_col(plain.get(), TINT, 1, 1, 1, rows, fiber.data(), &status);
  fits_write_col(plain.get(), TINT, 2, 1, 1, rows, fiber.data(), &status);
  for (LONGLONG row = 1; varying && row <= rows; ++row)
    fits_write_col(plain.get(), TINT, 6, row, 1, row % 5, fiber.data(), &status);
  fits_write_key_lng(plain.get(), "FZTILELN", 50, nullptr, &status);
  fits_write_key_str(plain.get(), "FZALG3", "GZIP_1", nullptr, &status);
  // Complete the table in `plain` before copying it.
  fits_flush_file(plain.get(), &status);
  if (compressed)
    fits_compress_table(plain.get(), out.get(), &status);
  else
    fits_copy_hdu(plain.get(), out.get(), 0, &status);
  check(status);
}

std::vector<char> preproc(const Form& form) {
  FitsMemory out("seed", small_file);
  int status = 0;
  fits_create_img(out.get(), BYTE_IMG, 0, nullptr, &status);
  check(status);
  append_image(out, "IMAGE", form.real_bits, form);
  append_image(out, "IVAR", form.real_bits, form);
  append_image(out, "MASK", form.mask_bits, form);
  fits_set_compression_type(out.get(), 0, &status);
  append_fibermap(out, form.compression != 0, form.varying);
  return out.take();
}

}  // namespace

std::vector<std::vector<char>> preproc_seeds() {
  const std::array forms{
      Form{},
      Form{.mask_bits = SHORT_IMG, .real_bits = DOUBLE_IMG, .varying = true},
      Form{.compression = GZIP_1},
      Form{.compression = GZIP_2, .real_bits = DOUBLE_IMG},
      Form{.compression = RICE_1, .quantize = 4, .dither = SUBTRACTIVE_DITHER_1},
      Form{.compression = RICE_1,
           .mask_bits = SHORT_IMG,
           .quantize = 16,
           .dither = SUBTRACTIVE_DITHER_2,
           .square_tiles = true},
      Form{.compression = RICE_1, .mask_bits = BYTE_IMG, .quantize = 4, .square_tiles = true},
      Form{.compression = GZIP_2,
           .mask_bits = SHORT_IMG,
           .quantize = 4,
           .dither = SUBTRACTIVE_DITHER_1,
           .square_tiles = true},
  };
  std::vector<std::vector<char>> seeds;
  for (const Form& form : forms) seeds.push_back(preproc(form));
  return seeds;
}

std::vector<std::vector<char>> packed_seeds(const std::string& path) {
  return {test::packed(path, RICE_1), test::packed(path, GZIP_1)};
}

std::vector<char> gzipped(const std::vector<char>& bytes) {
  constexpr int gzip_header = 15 + 16;
  constexpr int memory_level = 4;
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, gzip_header, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::vector<char> out(deflateBound(&stream, static_cast<unsigned long>(bytes.size())));
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.erase(out.end() - stream.avail_out, out.end());
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::logic_error("a seed cannot be compressed by gzip");
  return out;
}

}  // namespace spex::fuzz

#include "reference/compare/frame_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/read/fits_table.hpp"

namespace spex {
namespace {

FrameImage read_image(FitsReader& reader, const std::string& name) {
  FrameImage image;
  image.name = name;
  image.shape = reader.image_axes();
  std::reverse(image.shape.begin(), image.shape.end());
  image.float32 = reader.image_form().bitpix == FLOAT_IMG;
  image.value = reader.read_doubles();
  return image;
}

FrameTable read_table(const FitsReader& reader, const std::string& name) {
  reader.require_table();
  FrameTable table;
  table.name = name;
  table.nrow = row_count(reader);
  const long long width = reader.get_integer("NAXIS1");
  const long long columns = reader.get_integer("TFIELDS");
  for (long long c = 1; c <= columns; ++c)
    table.columns.push_back(
        fmt::format("{} {}", reader.find_string(fmt::format("TTYPE{}", c).c_str()).value_or(""),
                    reader.get_string(fmt::format("TFORM{}", c).c_str())));
  table.rows.resize(width * table.nrow);
  int status = 0;
  if (!table.rows.empty())
    fits_read_tblbytes(reader.get(), 1, 1, width * table.nrow, table.rows.data(), &status);
  fits_check(status, reader.path(), reader.hdu_name() + ": cannot read its rows");
  if (name == "FIBERMAP") table.fiber = read_integer_column(reader, "FIBER");
  return table;
}

template <class T>
const T* find_named(const std::vector<T>& hdus, const std::string& name) {
  const auto found =
      std::find_if(hdus.begin(), hdus.end(), [&](const T& hdu) { return hdu.name == name; });
  return found == hdus.end() ? nullptr : &*found;
}

}  // namespace

const FrameImage* FrameFile::image(const std::string& name) const {
  return find_named(images, name);
}

const FrameTable* FrameFile::table(const std::string& name) const {
  return find_named(tables, name);
}

FrameFile read_frame(const std::string& path, bool checksums) {
  FitsReader reader(path, {.checksums = checksums});
  return read_frame(reader);
}

FrameFile read_frame(FitsReader& reader) {
  const std::string& path = reader.path();
  FrameFile file;
  file.path = reader.path();
  file.specmin = reader.find_integer("SPECMIN").value_or(0);
  file.flux_solver = header_word(reader.find_string("FLUXSOLV").value_or("patch"));
  file.nwavestep = reader.find_integer("NWAVESTP").value_or(0);
  file.cards = reader.user_cards();
  for (int hdu = 1; hdu <= reader.hdus(); ++hdu) {
    reader.move_to_number(hdu);
    const std::string name = reader.find_string("EXTNAME").value_or("");
    const bool image = reader.is_image();
    if (image && reader.image_axes().empty()) continue;  // a primary HDU without data
    if (file.image(name) != nullptr || file.table(name) != nullptr)
      throw data_error(path, fmt::format("has two HDUs named '{}'", name), "unique names");
    if (image)
      file.images.push_back(read_image(reader, name));
    else
      file.tables.push_back(read_table(reader, name));
  }
  return file;
}

std::optional<std::vector<long long>> FrameShape::of(const std::string& name) const {
  if (name == "WAVELENGTH") return std::vector<long long>{nwave};
  if (name == "RESOLUTION") return std::vector<long long>{nspec, ndiagonals, nwave};
  for (const char* other : {"FLUX", "IVAR", "MASK", "CHI2PIX", "PIXMASK_FRACTION"})
    if (name == other) return bins();
  return std::nullopt;
}

std::optional<FrameShape> frame_shape(const FrameFile& file) {
  const FrameImage* flux = file.image("FLUX");
  const FrameImage* resolution = file.image("RESOLUTION");
  if (flux == nullptr || flux->shape.size() != 2 || resolution == nullptr ||
      resolution->shape.size() != 3 || resolution->shape[1] % 2 == 0)
    return std::nullopt;
  return FrameShape{flux->shape[0], flux->shape[1], resolution->shape[1]};
}

std::string to_string(const std::vector<long long>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

}  // namespace spex

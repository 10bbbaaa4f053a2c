#include "reference/sim/write_files.hpp"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "reference/fits/read/fits_file.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/sim/write_table.hpp"

namespace spex {
namespace {

// Sets CFITSIO's compression of images created later; 0: no compression.
void set_compression(FitsMemory& out, int type) {
  int status = 0;
  fits_set_compression_type(out.get(), type, &status);
  fits_set_quantize_level(out.get(), 0, &status);  // lossless floats
  fits_check(status, out.name(), "cannot set the compression");
}

// A column of the fibermap: name, form, and value of a target.
template <class T>
struct FibermapColumn {
  const char* name;
  const char* form;
  int type;
  T (*value)(const Target&);
};

template <class T>
void write_fibermap_column(FitsMemory& out, int number, const FibermapColumn<T>& column,
                           const std::vector<Target>& targets) {
  std::vector<T> values;
  for (const Target& target : targets) values.push_back(column.value(target));
  write_column(out, column.type, number, values);
}

// OBJTYPE of a lamp exposure; empty if OBJTYPE is the target's.
std::string lamp_objtype(Flavor flavor) {
  if (flavor == Flavor::flat) return "FLT";
  return flavor == Flavor::arc ? "ARC" : "";
}

void write_fibermap(FitsMemory& out, const std::vector<Target>& targets, Flavor flavor) {
  static_assert(sizeof(std::int64_t) == sizeof(LONGLONG));
  using Long = FibermapColumn<std::int64_t>;
  using Int = FibermapColumn<int>;
  using Double = FibermapColumn<double>;
  using Float = FibermapColumn<float>;
  const auto columns = std::tuple{
      Long{"TARGETID", "K", TLONGLONG, [](const Target& t) { return t.targetid; }},
      Int{"FIBER", "J", TINT, [](const Target& t) { return t.fiber; }},
      Double{"TARGET_RA", "D", TDOUBLE, [](const Target& t) { return t.ra; }},
      Double{"TARGET_DEC", "D", TDOUBLE, [](const Target& t) { return t.dec; }},
      Int{"FIBERSTATUS", "J", TINT, [](const Target&) { return 0; }},
      Long{"DESI_TARGET", "K", TLONGLONG, [](const Target& t) { return t.desi_target(); }},
      Long{"MWS_TARGET", "K", TLONGLONG, [](const Target&) { return std::int64_t{0}; }},
      Double{"FIBER_X", "D", TDOUBLE, [](const Target& t) { return t.fiber_x(); }},
      Double{"FIBER_Y", "D", TDOUBLE, [](const Target& t) { return t.fiber_y(); }},
      Double{"DELTA_X", "D", TDOUBLE, [](const Target& t) { return t.delta_x; }},
      Double{"DELTA_Y", "D", TDOUBLE, [](const Target& t) { return t.delta_y; }},
      Double{"FIBER_RA", "D", TDOUBLE, [](const Target& t) { return t.ra; }},
      Double{"FIBER_DEC", "D", TDOUBLE, [](const Target& t) { return t.dec; }},
      Float{"GAIA_PHOT_G_MEAN_MAG", "E", TFLOAT,
            [](const Target& t) { return static_cast<float>(t.gaia_g()); }},
      Float{"GAIA_PHOT_BP_MEAN_MAG", "E", TFLOAT,
            [](const Target& t) { return static_cast<float>(t.gaia_g()); }},
      Float{"GAIA_PHOT_RP_MEAN_MAG", "E", TFLOAT,
            [](const Target& t) { return static_cast<float>(t.gaia_g()); }}};
  std::vector<Column> forms{{"OBJTYPE", "3A"}};
  std::apply([&](const auto&... one) { (forms.push_back({one.name, one.form}), ...); }, columns);
  create_table(out, "FIBERMAP", static_cast<long long>(targets.size()), forms);
  std::vector<std::string> objtype;
  const std::string lamp = lamp_objtype(flavor);
  for (const Target& target : targets) objtype.push_back(lamp.empty() ? target.objtype() : lamp);
  write_texts(out, 1, objtype);
  int number = 1;
  std::apply([&](const auto&... one) { (write_fibermap_column(out, ++number, one, targets), ...); },
             columns);
  out.write_checksums();
}

// About the bytes of the file: three images of floats, and less for all else.
std::size_t size_of_images(const CcdImage& ccd) {
  return 3 * sizeof(float) * ccd.image.size() + (std::size_t{1} << 23);
}

void write_cosmics(FitsMemory& out, const std::vector<CosmicPixel>& cosmics) {
  create_table(out, "COSMICS", static_cast<long long>(cosmics.size()),
               {{"X", "J"}, {"Y", "J"}, {"ELECTRON", "E"}, {"MASKED", "L"}});
  const auto write = [&]<class T>(int number, int type, T CosmicPixel::*member) {
    std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> values;
    for (const CosmicPixel& pixel : cosmics) values.push_back(pixel.*member);
    write_column(out, type, number, values);
  };
  write(1, TINT, &CosmicPixel::x);
  write(2, TINT, &CosmicPixel::y);
  write(3, TFLOAT, &CosmicPixel::electrons);
  write(4, TLOGICAL, &CosmicPixel::masked);
  out.write_checksums();
}

}  // namespace

void write_preproc(const std::string& path, const CcdImage& ccd, const std::vector<Target>& targets,
                   const std::vector<HeaderKeyword>& keywords, Flavor flavor,
                   const GzipSettings& gzip) {
  const bool tiles = path.ends_with(".fz");
  const int of_floats = tiles ? GZIP_2 : 0;
  const std::vector<long> axes{ccd.nx, ccd.ny};
  FitsMemory out(path, size_of_images(ccd));
  if (tiles) {  // compressed images are tables, which cannot be in the primary HDU
    create_image(out, BYTE_IMG, {});
    out.write_checksums();
  }
  const auto write_floats = [&](const char* name, const char* unit, const std::vector<float>& from,
                                const std::vector<HeaderKeyword>& more) {
    create_image(out, FLOAT_IMG, axes);
    write_name_and_unit(out, name, unit);
    write_keywords(out, more);
    write_pixels(out, TFLOAT, from);
  };
  set_compression(out, of_floats);
  write_floats("IMAGE", "electron", ccd.image, keywords);
  write_floats("IVAR", "electron^-2", ccd.ivar, {});
  set_compression(out, RICE_1);
  create_image(out, SHORT_IMG, axes);
  write_name_and_unit(out, "MASK", nullptr);
  // As astropy does; CFITSIO omits them.
  write_keywords(out, {{"ZTENSION", std::string("IMAGE"), "image extension"},
                       {"ZPCOUNT", 0LL, "number of parameters"},
                       {"ZGCOUNT", 1LL, "number of groups"}});
  write_pixels(out, TSHORT, ccd.mask);
  set_compression(out, of_floats);
  write_floats("READNOISE", "electron", ccd.read_noise, {});
  set_compression(out, 0);
  write_fibermap(out, targets, flavor);
  GzipSettings as_zlib = gzip;
  as_zlib.as_zlib = true;
  atomic_write(path, out.finish(), as_zlib);
}

void write_truth(const std::string& path, const Truth& truth,
                 const std::vector<CosmicPixel>& cosmics,
                 const std::vector<HeaderKeyword>& keywords) {
  FitsMemory out(path);
  create_image(out, BYTE_IMG, {});
  write_keywords(out, keywords);
  write_keywords(out, {{"ONGRID", truth.on_grid, "flux sits on the extraction's wavelengths"},
                       {"WAVEMIN", truth.wave.front(), "Angstrom"},
                       {"WAVESTEP", truth.dw, "Angstrom"}});
  out.write_checksums();
  create_image(out, DOUBLE_IMG, {truth.nwave()});
  write_name_and_unit(out, "WAVELENGTH", "Angstrom");
  write_pixels(out, TDOUBLE, truth.wave);
  create_image(out, FLOAT_IMG, {truth.nwave(), truth.nfiber});
  write_name_and_unit(out, "FLUX", "electron/Angstrom");
  write_pixels(out, TFLOAT, truth.flux);
  write_cosmics(out, cosmics);
  atomic_write(path, out.finish());
}

}  // namespace spex

#include "reference/sim/write_psf.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/fits/write/atomic_write.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/model/camera.hpp"
#include "reference/sim/write_table.hpp"

namespace spex {
namespace {

void write_trace(FitsMemory& out, const char* name, const Trace& trace, const Psf& psf,
                 const std::vector<HeaderKeyword>& keywords) {
  create_image(out, DOUBLE_IMG, {trace.ncoeff, psf.nfiber});
  write_name_and_unit(out, name, nullptr);
  write_keywords(out,
                 {{"FIBERMIN", static_cast<long long>(psf.fibermin), "first fiber"},
                  {"FIBERMAX", static_cast<long long>(psf.fibermin + psf.nfiber - 1), "last fiber"},
                  {"WAVEMIN", trace.wavemin, "Angstrom, where u = -1"},
                  {"WAVEMAX", trace.wavemax, "Angstrom, where u = 1"}});
  write_keywords(out, keywords);
  write_pixels(out, TDOUBLE, trace.coeff);
}

// The table HDU PSF, column by column.
struct Parameters {
  std::vector<std::string> names;
  std::vector<double> coeff;  // [row][fiber][ncoeff]
  std::vector<int> legdegx, legdegw;
};

void add_row(Parameters& table, const std::string& name, std::vector<double> coeff, int legdegx,
             int legdegw) {
  table.names.push_back(name);
  table.coeff.insert(table.coeff.end(), coeff.begin(), coeff.end());
  table.legdegx.push_back(legdegx);
  table.legdegw.push_back(legdegw);
}

// A fitted parameter. Each fiber has its own polynomial of the wavelength, made of one of degree 1
// in the column.
void add_fitted(Parameters& table, const std::string& name, const Psf& psf, int parameter) {
  const std::size_t size = count_of(psf.nfiber, psf.ncoeff);
  const auto first = psf.param.begin() + static_cast<std::ptrdiff_t>(count_of(parameter) * size);
  add_row(table, name, {first, first + static_cast<std::ptrdiff_t>(size)}, 1, psf.ncoeff - 1);
}

// A parameter that does not depend on the wavelength.
template <class ValueOfFiber>
void add_constant(Parameters& table, const std::string& name, const Psf& psf,
                  const ValueOfFiber& value_of) {
  std::vector<double> coeff(count_of(psf.nfiber, psf.ncoeff), 0.0);
  for (int fiber = 0; fiber < psf.nfiber; ++fiber)
    coeff[count_of(fiber, psf.ncoeff)] = value_of(fiber);
  add_row(table, name, std::move(coeff), 0, 0);
}

// The rows of specex, in its order.
Parameters make_parameters(const Psf& psf) {
  Parameters table;
  add_fitted(table, "GHSIGX", psf, 0);
  add_fitted(table, "GHSIGY", psf, 1);
  for (int j = 0; j <= psf.ghdegy; ++j)
    for (int i = 0; i <= psf.ghdegx; ++i)
      add_fitted(table, fmt::format("GH-{}-{}", i, j), psf, 2 + i * (psf.ghdegy + 1) + j);
  const auto constant = [&](const char* name, double value) {
    add_constant(table, name, psf, [&](int /*fiber*/) { return value; });
  };
  constant("TAILAMP", 0);  // no tails of spots
  constant("TAILCORE", 1);
  constant("TAILXSCA", 1);
  constant("TAILYSCA", 1);
  constant("TAILINDE", 2);
  add_constant(table, "BUNDLE", psf, [](int fiber) { return fiber / fibers_a_bundle; });
  constant("STATUS", 0);  // the fit converged
  constant("CONT", 0);    // no continuum
  return table;
}

std::vector<HeaderKeyword> psf_keywords(const Psf& psf, const std::string& camera,
                                        std::size_t rows) {
  const auto whole = [](int value) { return static_cast<long long>(value); };
  constexpr std::size_t rows_of_fit = 2;  // BUNDLE and STATUS are no parameters
  return {{"PSFTYPE", std::string("GAUSS-HERMITE"), "kind of PSF"},
          {"PSFVER", std::string("3"), "version of the format"},
          {"MJD", 0LL, "MJD of the arc exposure"},
          {"PLATEID", 0LL, "plate of the arc exposure"},
          {"CAMERA", fmt::format("'{:<8}'", camera), "camera, with quotes as specex writes it"},
          {"ARCEXP", 0LL, "number of the arc exposure"},
          {"NPIX_X", whole(psf.npix_x), "columns of the CCD"},
          {"NPIX_Y", whole(psf.npix_y), "rows of the CCD"},
          {"HSIZEX", whole(psf.hsizex), "half size of a spot, columns"},
          {"HSIZEY", whole(psf.hsizey), "half size of a spot, rows"},
          {"FIBERMIN", whole(psf.fibermin), "first fiber"},
          {"FIBERMAX", whole(psf.fibermin + psf.nfiber - 1), "last fiber"},
          {"NPARAMS", static_cast<long long>(rows - rows_of_fit), "number of parameters"},
          {"LEGDEG", whole(psf.ncoeff - 1), "degree of the Legendre sums"},
          {"GHDEGX", whole(psf.ghdegx), "degree of Gauss-Hermite in x"},
          {"GHDEGY", whole(psf.ghdegy), "degree of Gauss-Hermite in y"},
          {"WAVEMIN", psf.wavemin, "Angstrom, where u = -1"},
          {"WAVEMAX", psf.wavemax, "Angstrom, where u = 1"},
          {"PSFERROR", 0.0, "fractional error of the PSF in the fit"},
          {"READNOIS", 0.0, "read noise in the fit"},
          {"GAIN", 1.0, "gain in the fit"}};
}

// The quality of the fit, by bundle; then what desispec adds: where the spots of the exposure lie.
std::vector<HeaderKeyword> fit_keywords(const Psf& psf, const SpotShift& shift) {
  std::vector<HeaderKeyword> keywords;
  for (int bundle = 0; bundle * fibers_a_bundle < psf.nfiber; ++bundle)
    keywords.push_back({fmt::format("B{:02}RCHI2", bundle), 1.0, "chi2 / ndf of the bundle"});
  keywords.push_back({"EXPID", 0.0, "of the arc exposures, a mix"});
  for (const auto& [axis, value] : {std::pair{"DX", shift.x}, {"DY", shift.y}})
    for (const char* statistic : {"MEAN", "MIN", "MAX"})
      keywords.push_back({fmt::format("{}{}", statistic, axis), value, "pixels, shift of spots"});
  return keywords;
}

void write_parameters(FitsMemory& out, const Psf& psf, const std::string& camera,
                      const SpotShift& shift) {
  const Parameters table = make_parameters(psf);
  create_table(out, "PSF", static_cast<long long>(table.names.size()),
               {{"PARAM", "8A"},
                {"COEFF", fmt::format("{}D", psf.nfiber * psf.ncoeff)},
                {"LEGDEGX", "J"},
                {"LEGDEGW", "J"}});
  write_keyword(out, {"TDIM2", fmt::format("( {}, {})", psf.ncoeff, psf.nfiber), "shape"});
  for (const char* scalar : {"TDIM3", "TDIM4"})
    write_keyword(out, {scalar, std::string("( 1)"), "shape"});
  write_keywords(out, psf_keywords(psf, camera, table.names.size()));
  write_keywords(out, fit_keywords(psf, shift));
  // Not in DESI's files: the error that the extraction takes, if a given PSF has another.
  if (psf.psferr != Psf().psferr)
    write_keyword(out, {"PSFERR", psf.psferr, "fractional error of the model"});
  if (!psf.in_psf.empty()) write_keyword(out, {"IN_PSF", psf.in_psf, "the PSF it was made of"});
  write_texts(out, 1, table.names);
  write_column(out, TDOUBLE, 2, table.coeff);
  write_column(out, TINT, 3, table.legdegx);
  write_column(out, TINT, 4, table.legdegw);
  out.write_checksums();
}

// Wavelengths at which desispec measures offsets.
std::vector<float> offset_wavelengths(const Psf& psf) {
  constexpr int count = 4;
  std::vector<float> wave;
  for (int i = 0; i < count; ++i)
    wave.push_back(
        static_cast<float>(psf.wavemin + (i + 0.5) / count * (psf.wavemax - psf.wavemin)));
  return wave;
}

// The offsets of fibers from each other, or of the exposure from the sky: none, as the spots lie
// where the traces say.
void write_offsets(FitsMemory& out, const char* name, const Psf& psf, bool by_fiber) {
  std::vector<int> fiber;
  std::vector<float> wave;
  for (int s = 0; s < (by_fiber ? psf.nfiber : 1); ++s)
    for (const float lambda : offset_wavelengths(psf)) {
      fiber.push_back(s);
      wave.push_back(lambda);
    }
  std::vector<Column> columns{{"WAVE", "E"}, {"DWAVE", "E"}, {"DWAVE_ERR", "E"}};
  if (by_fiber) columns.insert(columns.begin(), {"FIBER", "J"});
  create_table(out, name, static_cast<long long>(wave.size()), columns);
  int column = 0;
  if (by_fiber) write_column(out, TINT, ++column, fiber);
  write_column(out, TFLOAT, ++column, wave);
  for (int i = 0; i < 2; ++i)
    write_column(out, TFLOAT, ++column, std::vector<float>(wave.size(), 0.0F));
  out.write_checksums();
}

}  // namespace

void write_psf(const std::string& path, const Psf& psf, const std::string& camera,
               const SpotShift& shift, const std::vector<HeaderKeyword>& keywords) {
  FitsMemory out(path);
  std::vector<HeaderKeyword> primary{{"PSFTYPE", std::string("GAUSS-HERMITE"), "kind of PSF"},
                                     {"PSFVER", 3LL, "version of the format"}};
  primary.insert(primary.end(), keywords.begin(), keywords.end());
  write_trace(out, "XTRACE", psf.xtrace, psf, primary);
  write_trace(out, "YTRACE", psf.ytrace, psf, {});
  write_parameters(out, psf, camera, shift);
  write_offsets(out, "INTOFF", psf, true);
  write_offsets(out, "EXTOFF", psf, false);
  atomic_write(path, out.finish());
}

}  // namespace spex

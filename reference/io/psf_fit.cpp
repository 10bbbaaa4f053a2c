#include "reference/io/psf_fit.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reference/core/count.hpp"
#include "reference/model/camera.hpp"

namespace spex {
namespace {

// The fibers for which `holds(fiber)`.
template <class Holds>
std::vector<int> fibers_where(int nfiber, const Holds& holds) {
  std::vector<int> fibers;
  for (int s = 0; s < nfiber; ++s)
    if (holds(s)) fibers.push_back(s);
  return fibers;
}

// The fibers that have a coefficient other than 0 in the row, if there is one.
std::vector<int> fibers_not_zero(const PsfHdu& hdu, const char* row, int nfiber, int ncoeff) {
  const auto coeff = hdu.row(row);
  if (!coeff) return {};
  return fibers_where(nfiber, [&](int s) {
    const double* first = coeff->data() + count_of(s, ncoeff);
    return std::any_of(first, first + ncoeff, [](double c) { return c != 0; });
  });
}

// The number of each fiber's bundle in BnnRCHI2; -1 for a number that no keyword has.
std::vector<int> bundles_of_fibers(const PsfHdu& hdu, int nfiber, int ncoeff) {
  constexpr int most = 99;
  const auto coeff = hdu.row("BUNDLE");
  std::vector<int> bundle(count_of(nfiber));
  for (int s = 0; s < nfiber; ++s) {
    const int by_place = s / fibers_a_bundle;
    const double number = coeff ? (*coeff)[count_of(s, ncoeff)] : by_place;
    bundle[s] = number >= 0 && number <= most ? static_cast<int>(number) : -1;
  }
  return bundle;
}

std::vector<int> fibers_not_fitted(const PsfHdu& hdu, int nfiber, int ncoeff) {
  const std::vector<int> bundle = bundles_of_fibers(hdu, nfiber, ncoeff);
  std::map<int, bool> fitted;
  for (const int number : bundle)
    if (number >= 0 && !fitted.contains(number))
      fitted[number] = hdu.keyword(fmt::format("B{:02}RCHI2", number)) != 0.0;
  return fibers_where(nfiber, [&](int s) { return bundle[s] >= 0 && !fitted.at(bundle[s]); });
}

}  // namespace

std::vector<double> tail_of(const PsfHdu& hdu) {
  std::vector<double> tail;
  for (const char* row : {"TAILAMP", "TAILCORE", "TAILXSCA", "TAILYSCA", "TAILINDE"}) {
    const auto coeff = hdu.row(row);
    if (!coeff) return {};
    tail.insert(tail.end(), coeff->begin(), coeff->end());
  }
  return tail;
}

PsfFit psf_fit_of(const PsfHdu& hdu, int nfiber, int ncoeff) {
  PsfFit fit;
  const bool all_failed = hdu.keyword("STATUS").value_or(0) != 0;
  fit.failed = all_failed ? fibers_where(nfiber, [](int) { return true; })
                          : fibers_not_zero(hdu, "STATUS", nfiber, ncoeff);
  fit.unfitted = fibers_not_fitted(hdu, nfiber, ncoeff);
  fit.tails = fibers_not_zero(hdu, "TAILAMP", nfiber, ncoeff);
  return fit;
}

}  // namespace spex

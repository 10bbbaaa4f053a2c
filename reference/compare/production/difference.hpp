// How a frame of ours differs from the frame of DESI's pipeline, and why.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "reference/compare/check.hpp"

namespace spex {

/// Why two frames differ. All reasons but `none` explain the difference: it is expected.
enum class Reason {
  none,               ///< not expected
  float32,            ///< both files are rounded to float32
  method,             ///< two methods agree within section 8
  masked_block,       ///< an eigendecomposition loses digits near bins without light
  no_light,           ///< production keeps the prior where no pixel is usable
  ccd_edge,           ///< production drops patches at the edge of the CCD, and counts light there
  overflow,           ///< float32 cannot hold production's value; ours are NODATA
  rounded_fraction,   ///< production sets ALLBADPIX only if pixmask_fraction rounds to 1
  bad2dfit_rule,      ///< the other rule of BAD2DFIT
  bad2dfit_chi2pix,   ///< BAD2DFIT follows a CHI2PIX that differs as expected
  chi2_pixels,        ///< CHI2PIX of other pixels
  psf_error,          ///< CHI2PIX with another psferr
  seams,              ///< --flux frame has no seams
  earth_orientation,  ///< HELIOCOR with other tables of the Earth's orientation
  bad_columns,        ///< masked by desi_proc after the extraction
  follows,            ///< computed from spectra that differ as expected
  other_extractor,    ///< production extracted with specter
  made_by,            ///< keywords that say how and by what a frame was made
};

/// The name of a reason in JSON: "ccd-edge".
[[nodiscard]] const char* name_of(Reason reason);
/// The reason in a sentence, for people.
[[nodiscard]] const char* sentence_of(Reason reason);
/// All reasons, `none` first.
[[nodiscard]] std::vector<Reason> all_reasons();

/// The values of one quantity that differ for one reason.
struct Difference {
  std::string hdu;                  ///< "FLUX"
  std::string what;                 ///< quantity and unit, or bit, keyword or column
  Reason reason = Reason::none;     ///< why
  std::string note = {};            ///< more about it; may be empty
  double limit = 0;                 ///< for numbers: what is allowed without a reason
  double largest = 0;               ///< for numbers: the largest difference; NaN if a value is NaN
  long long count = 0;              ///< number of values
  std::optional<Place> first = {};  ///< the first of them, if known
  std::set<long long> fibers = {};  ///< their fibers, counted from 0 in the PSF

  /// Whether there is a reason.
  [[nodiscard]] bool expected() const { return reason != Reason::none; }
  /// Counts a value of a fiber, counted from 0 in the PSF. `place()` is called for the first value.
  template <class MakePlace>
  void add(double value, long long fiber, const MakePlace& place) {
    count_value(value);
    if (!first) first = place();
    if (fiber != last_fiber_) fibers.insert(last_fiber_ = fiber);
  }
  /// Counts a value that belongs to no fiber.
  void count_value(double value);

  long long last_fiber_ = -1;  ///< of the last value
};

/// "3, 25-49"; empty for no fiber.
[[nodiscard]] std::string ranges(const std::set<long long>& fibers);

/// One line: "FLUX: flux pull 0.5 (at most 1e-06) in 21 bins of fibers 3, 25-49, first at ...".
[[nodiscard]] std::string to_string(const Difference& difference);

/// The differences of a pair of frames, in the order in which they were found.
class Differences {
 public:
  /// The entry of this quantity and reason, created if new. It stays valid.
  Difference& at(const std::string& hdu, const std::string& what, Reason reason, double limit = 0);
  /// Adds a difference that is no number of a bin, such as a keyword's.
  void add(const std::string& hdu, const std::string& what, Reason reason, const std::string& note);
  /// All differences; those that are not expected come first.
  [[nodiscard]] std::vector<Difference> sorted() const;

 private:
  std::deque<Difference> all_;  // whose elements stay where they are
  std::map<std::tuple<std::string, std::string, Reason>, std::size_t> index_;
};

}  // namespace spex

#include "reference/compare/whole_file.hpp"

#include <functional>

#include "reference/compare/frame_headers.hpp"
#include "reference/compare/frame_tables.hpp"
#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"
#include "reference/fits/header_cards.hpp"

namespace spex {
namespace {

// Compares existence and form of the HDUs; compare_frames compares their values.
Check compare_hdus(const FrameFile& result, const FrameFile& expected) {
  Check check{.hdu = "all", .what = "HDUs that differ from the reference"};
  const auto compare = [&](const FrameFile& one, const FrameFile& other) {
    for (const FrameImage& image : one.images) {
      const FrameImage* const found = other.image(image.name);
      check.add_equal(found != nullptr && found->shape == image.shape, [&] {
        return Place{image.name, {}, {}, {}};
      });
    }
    for (const FrameTable& table : one.tables) {
      const FrameTable* const found = other.table(table.name);
      check.add_equal(
          found != nullptr && found->nrow == table.nrow && found->columns == table.columns, [&] {
            return Place{table.name, {}, {}, {}};
          });
    }
  };
  compare(expected, result);
  compare(result, expected);
  return check;
}

// A check that fails if `wrong` returns a text.
Check check_of(const char* what, const std::function<std::string()>& wrong) {
  Check check{.hdu = "all", .what = what};
  std::string problem;
  try {
    problem = wrong();
  } catch (const Error& error) {
    problem = error.what();
  }
  if (problem.empty())
    check.compared = 1;
  else
    check.add_problem({"all", {}, {}, {}}, problem);
  return check;
}

std::string camera_of(const FrameFile& frame) {
  return header_word(card_text(frame.cards, "CAMERA").value_or(""));
}

}  // namespace

std::vector<Check> compare_whole_file(const FrameFile& result, const FrameFile* expected,
                                      const std::string& camera) {
  std::vector<Check> checks;
  if (expected != nullptr) checks.push_back(compare_hdus(result, *expected));
  checks.push_back(check_of("headers and checksums", [&] {
    return wrong_header(result.path, camera, expected == nullptr ? "" : expected->path);
  }));
  checks.push_back(check_of("SCORES and FIBERMAP", [&] {
    return wrong_tables(result, camera.empty() ? camera_of(result) : camera, expected);
  }));
  return checks;
}

}  // namespace spex

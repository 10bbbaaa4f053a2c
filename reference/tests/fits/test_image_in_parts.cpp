// Compares images written in parts with CFITSIO's images in memory.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/core/count.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/fits/write/fits_write.hpp"
#include "reference/fits/write/image_in_parts.hpp"
#include "reference/tests/fits/fits_edit.hpp"
#include "reference/tests/fits/scratch.hpp"

namespace spex {
namespace {

using ImageInPartsTest = test::Scratch;

constexpr long nx = 1201, ny = 5, nz = 33;  // several parts, the last one short

template <class Real>
std::vector<Real> numbers() {
  std::vector<Real> values(count_of(nx, ny, nz));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Real>(std::sin(0.37 * static_cast<double>(i)) / 3);
  return values;
}

template <class Real>
std::vector<char> by_cfitsio(const std::vector<Real>& values, bool of_double) {
  FitsMemory out("expected");
  create_image(out, of_double ? DOUBLE_IMG : FLOAT_IMG, {});  // the primary HDU
  create_image(out, of_double ? DOUBLE_IMG : FLOAT_IMG, {nx, ny, nz});
  write_name_and_unit(out, "RESOLUTION", nullptr);
  write_image(out, of_double, values);
  const std::vector<char> all = out.take();
  return {all.begin() + 2880, all.end()};
}

TEST_F(ImageInPartsTest, EqualsTheBytesOfCfitsio) {
  constexpr std::size_t before = 17;
  for (const bool of_double : {false, true})
    for (const bool from_double : {false, true}) {
      const Reals values = from_double ? Reals(numbers<double>()) : Reals(numbers<float>());
      const std::vector<char> expected =
          values.visit([&](const auto& all) { return by_cfitsio(all, of_double); });
      const ImageInParts parts{"RESOLUTION", {nx, ny, nz}, of_double, &values};
      ASSERT_EQ(parts.size(), expected.size());
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << of_double << from_double << threads);
        atomic_write(path("a"), before + parts.size(), [&](const PutPart& put) {
          put(0, std::vector<char>(before, 'x'));
          parts.put_at(before, threads, put);
        });
        const std::vector<char> found = test::read_bytes(path("a"));
        ASSERT_EQ(found.size(), before + expected.size());
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + before));
      }
    }
}

TEST_F(ImageInPartsTest, RejectsInvalidImages) {
  const auto write = [&](const ImageInParts& parts) {
    atomic_write(path("a"), parts.size(), [&](const PutPart& put) { parts.put_at(0, 2, put); });
  };
  std::vector<double> values = numbers<double>();
  const Reals good(values);
  EXPECT_THROW(write({"RESOLUTION", {nx, ny}, false, &good}), std::logic_error);
  EXPECT_THROW(write({std::string(80, 'R'), {nx, ny, nz}, false, &good}), std::logic_error);
  values.back() = std::numeric_limits<double>::quiet_NaN();
  const Reals bad(values);
  EXPECT_THROW(write({"RESOLUTION", {nx, ny, nz}, false, &bad}), std::logic_error);
  values.back() = 1e39;
  const Reals beyond_float(values);
  EXPECT_THROW(write({"RESOLUTION", {nx, ny, nz}, false, &beyond_float}), std::logic_error);
  EXPECT_EQ(files(), 0);
  write({"RESOLUTION", {nx, ny, nz}, true, &beyond_float});
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace spex

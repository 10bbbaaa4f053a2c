#include "reference/fits/read/unpack.hpp"

#include <algorithm>

#include "reference/fits/read/unpack_image.hpp"
#include "reference/fits/read/unpack_table.hpp"

namespace spex {

bool any_packed(const std::vector<FitsHdu>& hdus) {
  return std::any_of(hdus.begin(), hdus.end(), [](const FitsHdu& hdu) { return hdu.is_packed(); });
}

Bytes unpack(std::span<const char> bytes, const std::vector<FitsHdu>& hdus) {
  Bytes out;
  for (const FitsHdu& hdu : hdus) {
    const auto part = [&](long long begin, long long size) {
      return bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
    };
    const std::span<const char> data = part(hdu.data, hdu.data_size);
    if (hdu.header.logical("ZIMAGE")) {
      unpack_image(hdu, data, out);
    } else if (hdu.header.logical("ZTABLE")) {
      unpack_table(hdu, data, out);
    } else {
      const std::span<const char> whole = part(hdu.begin, hdu.end - hdu.begin);
      out.insert(out.end(), whole.begin(), whole.end());
    }
  }
  return out;
}

}  // namespace spex

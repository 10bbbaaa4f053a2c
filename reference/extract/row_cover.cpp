#include "reference/extract/row_cover.hpp"

#include <algorithm>

#include "reference/core/count.hpp"

namespace spex {

std::vector<RowCover> row_covers(const FiberSpots& spots, const PixelRange& range) {
  std::vector<RowCover> rows(count_of(range.ny()));
  for (int w = 0; w < spots.nwave; ++w) {
    const int x0 = std::max(spots.xc(w), range.x0);
    const int x1 = std::min(spots.xc(w) + spots.spots->nx, range.x1);
    if (x0 >= x1) continue;
    const int y1 = std::min(spots.yc(w) + spots.spots->ny, range.y1);
    for (int y = std::max(spots.yc(w), range.y0); y < y1; ++y) {
      RowCover& row = rows[y - range.y0];
      row.w0 = std::min(row.w0, w), row.w1 = std::max(row.w1, w + 1);
      row.x0 = std::min(row.x0, x0), row.x1 = std::max(row.x1, x1);
    }
  }
  return rows;
}

int reach_of(const std::vector<RowCover>& s, const std::vector<RowCover>& t) {
  int reach = -1;
  for (std::size_t y = 0; y < s.size(); ++y) {
    if (std::max(s[y].x0, t[y].x0) >= std::min(s[y].x1, t[y].x1)) continue;
    reach = std::max({reach, s[y].w1 - 1 - t[y].w0, t[y].w1 - 1 - s[y].w0});
  }
  return reach;
}

}  // namespace spex

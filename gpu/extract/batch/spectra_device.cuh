// Shared device functions for writing spectra.
#pragma once

#include "gpu/extract/batch/spectra.hpp"

namespace spex::gpu {

/// Sets the status of a patch to 1 unless the patch is guarded, in any order of the two.
__device__ inline void fail(int* status) {
  atomicMax(status, 1);
}

/// A bin of a core spectrum.
struct CoreBin {
  int s;      ///< core fiber of the patch, from 0
  int w;      ///< core bin of the patch, from 0
  double Qf;  ///< its element of Q f
};

/// Writes flux, ivar and the resolution of one core bin. Q_of_row(j) returns element (j, column) of
/// Q over the padded bins, r_of_row(j) the row sum r_j.
template <class Row, class Sum>
__device__ void store_bin(const PatchGeometry& patch, CoreBin core, const Row& Q_of_row,
                          const Sum& r_of_row, int* status, const SpectraView& spectra) {
  const int m = patch.nwave;
  const int column = core.w + patch.wavepad;
  const double r = r_of_row(column);
  const size_t fiber = patch.spec0 + patch.pad_below + core.s;
  const size_t bin = spectra.core_bin(patch) + core.w;
  const double flux = core.Qf / r;
  bool finite = isfinite(flux) && isfinite(r * r);
  spectra.flux[fiber * spectra.nwave + bin] = flux;
  spectra.ivar[fiber * spectra.nwave + bin] = r * r;
  // Rows column - ndiag ... column + ndiag of the column; rows beyond the padding are 0.
  for (int d = 0; d < spectra.ndiagonals(); ++d) {
    const int row = column - spectra.ndiag + d;
    const double R = row >= 0 && row < m ? Q_of_row(row) / r_of_row(row) : 0.0;
    finite = finite && isfinite(R);
    spectra.resolution[(fiber * spectra.ndiagonals() + d) * spectra.nwave + bin] = R;
  }
  if (!finite) fail(status);
}

}  // namespace spex::gpu

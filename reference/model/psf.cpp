#include "reference/model/psf.hpp"

namespace spex {

std::string to_string(PsfKind kind) {
  switch (kind) {
    case PsfKind::gauss_hermite_tails:
      return "GAUSS-HERMITE with tails";
    case PsfKind::gauss_hermite2:
      return "GAUSS-HERMITE2";
    case PsfKind::spotgrid:
      return "SPOTGRID";
    case PsfKind::monospot:
      return "MONOSPOT";
    case PsfKind::pca_pix:
      return "PCA-PIX";
    case PsfKind::gauss_hermite:
      break;
  }
  return "GAUSS-HERMITE";
}

}  // namespace spex

// The parts of the extension module spexbench._core.
#pragma once

#include <nanobind/nanobind.h>

namespace spex::python {

/// Errors become the exceptions of spexbench/errors.py, by their kind, with the same line.
void bind_errors(nanobind::module_& module);
/// Psf, Preproc and their readers.
void bind_inputs(nanobind::module_& module);
/// Options of an extraction.
void bind_options(nanobind::module_& module);
/// Extraction and what its patches give.
void bind_extraction(nanobind::module_& module);
/// Frames as files.
void bind_frame(nanobind::module_& module);
/// The comparison of two frames, and of a frame with a truth.
void bind_compare(nanobind::module_& module);
/// The simulator.
void bind_simulate(nanobind::module_& module);

}  // namespace spex::python

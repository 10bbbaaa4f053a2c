// The parts of the extension module spexbench._core.
#pragma once

#include <nanobind/nanobind.h>

namespace spex::python {

/// Translates errors to the exceptions of spexbench/errors.py, by kind, with the same message.
void bind_errors(nanobind::module_& module);
/// Binds Psf, Preproc and their readers.
void bind_inputs(nanobind::module_& module);
/// Binds traces, widths and spots of a Psf.
void bind_psf(nanobind::module_& module);
/// Binds the options of an extraction.
void bind_options(nanobind::module_& module);
/// Binds extraction and its results.
void bind_extraction(nanobind::module_& module);
/// Binds reading and writing of frames.
void bind_frame(nanobind::module_& module);
/// Binds comparisons of two frames, and of a frame with a truth.
void bind_compare(nanobind::module_& module);
/// Binds the simulator.
void bind_simulate(nanobind::module_& module);

}  // namespace spex::python

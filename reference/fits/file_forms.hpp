// The forms of a FITS file: NAME.fits, NAME.fits.gz and NAME.fits.fz.
#pragma once

#include <string>
#include <vector>

namespace spex {

/// The names of a file in all forms, `path` first. A name of another ending has only one form.
[[nodiscard]] std::vector<std::string> forms_of(const std::string& path);

/// The forms that exist, in this order.
[[nodiscard]] std::vector<std::string> existing_forms(const std::string& path);

/// The file to read: `path`, or its other form if only that exists; `path` if no form exists.
/// Throws Error(data) if two other forms exist.
[[nodiscard]] std::string find_form(const std::string& path);

/// Throws Error(data) if an output exists in another form. Two forms of one output must not exist,
/// because readers could take either; a file that the command does not name is not deleted.
void refuse_second_form(const std::string& output);

/// The absolute path without symlinks of the plain form: equal for all forms of a file.
[[nodiscard]] std::string name_of_all_forms(const std::string& path);

}  // namespace spex

// Loads CUDA's libraries: from where the system looks (LD_LIBRARY_PATH), then from NVIDIA's Python
// packages.
#pragma once

#include <filesystem>
#include <string>

namespace spex::gpu {

/// Where NVIDIA's Python package puts the library `stem`, such as "cublas", if this code is in a
/// Python package beside it: since CUDA 13 all libraries have one folder. Empty in a program.
[[nodiscard]] std::filesystem::path python_folder(const std::string& stem);

/// Loads the library of this file name, which the system finds or which is in `folder`. Throws
/// Error(internal) that names the Python packages that have cuBLAS and cuSOLVER.
[[nodiscard]] void* load_library(const std::string& name, const std::filesystem::path& folder);

/// A function of a loaded library. Throws the same if it is missing.
[[nodiscard]] void* find_function(void* library, const char* function, const std::string& name);

}  // namespace spex::gpu

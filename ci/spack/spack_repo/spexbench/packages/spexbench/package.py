# SPDX-License-Identifier: BSD-3-Clause
"""spexbench for Spack, from the checkout that this file lies in (docs/install.md, Spack)."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *

CHECKOUT = Path(__file__).resolve().parents[6]


class Spexbench(CMakePackage, CudaPackage):
    """Extracts DESI's spectra from CCD images, on CPUs and GPUs, and measures machines with it."""

    git = CHECKOUT.as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("hardening", default=True, description="Protect the stack, check sizes of buffers")
    variant("man", default=True, description="Make man pages")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("help2man", type="build", when="+man")

    depends_on("mpi")
    depends_on("cfitsio@4:")
    depends_on("erfa@2:")
    # LAPACKE is part of it in Spack.
    depends_on("openblas threads=pthreads")
    depends_on("zlib-api")
    depends_on("isa-l")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:", type="build")
    depends_on("openssl")
    depends_on("libarchive")
    depends_on("benchmark")
    depends_on("googletest+gmock", type=("build", "test"))
    depends_on("cuda@12:", when="+cuda")

    conflicts("%gcc@:11", msg="C++20 is needed: GCC 12 or later")
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPUs: cuda_arch=80, 90, 100")

    generator("ninja")

    def cmake_args(self):
        """Options of CMake."""
        arguments = [
            self.define_from_variant("SPEX_GPU", "cuda"),
            self.define_from_variant("SPEX_HARDENING", "hardening"),
            self.define("SPEX_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return arguments

    def test_self_test(self):
        """Golden cases and the plan ci."""
        which(self.prefix.bin.join("spex-bench"))("--self-test")

# A Debian package by `cpack -G DEB` (ci/debian-package); its dependencies are those of the system that it
# is made on.
set(CPACK_PACKAGE_NAME spexbench)
set(CPACK_PACKAGE_CONTACT "The spexbench authors")
set(CPACK_PACKAGE_VENDOR "The spexbench authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "${PROJECT_DESCRIPTION}\n It reads DESI's preprocessed CCD images and writes frames of spectra.\n spex-bench --self-test tries an installation.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The launcher of the MPI that is linked comes in a package of its own.
if(MPI_CXX_LIBRARY_VERSION_STRING MATCHES "MPICH")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS mpich)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, python3-astropy, python3-matplotlib, python3-jsonschema, python3-pandas, python3-jinja2")
include(CPack)

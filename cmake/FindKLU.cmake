# KLU of SuiteSparse with the libraries it stands on: KLU::KLU, KLU_FOUND. Debian: libsuitesparse-dev.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES)
set(klu_parts_found TRUE)
foreach(part klu btf amd colamd suitesparseconfig)
  find_library(KLU_${part}_LIBRARY ${part})
  mark_as_advanced(KLU_${part}_LIBRARY)
  if(KLU_${part}_LIBRARY)
    list(APPEND KLU_LIBRARIES ${KLU_${part}_LIBRARY})
  else()
    set(klu_parts_found FALSE)
  endif()
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_INCLUDE_DIR KLU_LIBRARIES klu_parts_found)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
                                            INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}")
endif()

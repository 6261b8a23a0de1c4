# What `cmake --install` puts where: headers, libraries, the command, its manual page and completion, and the two ways to find them
# (find_package(capstan) and pkg-config). Each rule names its component, which is a package of cmake/package.cmake.
include(CMakePackageConfigHelpers)

set(installed capstan)
install(FILES
  include/capstan/array.h
  include/capstan/base.h
  include/capstan/capstan.h
  include/capstan/custom.h
  include/capstan/fibre.h
  include/capstan/generate.h
  include/capstan/flow.h
  include/capstan/grains.h
  include/capstan/inverse.h
  include/capstan/problem.h
  include/capstan/pull.h
  include/capstan/shape.h
  include/capstan/sheet.h
  include/capstan/solid.h
  include/capstan/solve.h
  include/capstan/tie.h
  include/capstan/vec.h
  include/capstan/vertex.h
  include/capstan/world.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/capstan COMPONENT dev)
if(TARGET capstan-io)
  list(APPEND installed capstan-io)
  install(FILES include/capstan/export.h include/capstan/fabric.h include/capstan/fclib.h include/capstan/frame.h include/capstan/hair.h include/capstan/mesh.h include/capstan/rest.h include/capstan/result.h include/capstan/scene.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/capstan COMPONENT dev)
endif()
if(TARGET capstan-view)
  list(APPEND installed capstan-view)
  install(FILES ${view_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/capstan COMPONENT dev)
endif()
if(TARGET capstan-cli)
  install(TARGETS capstan-cli COMPONENT command)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(capstan-cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  endif()
  file(GLOB manual_pages CONFIGURE_DEPENDS docs/man/*.1)
  install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/capstan/scenes COMPONENT command)  # capstan run knot
  install(FILES scripts/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME capstan
    COMPONENT command)
  install(FILES scripts/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _capstan
    COMPONENT command)
  install(FILES scripts/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME capstan.fish
    COMPONENT command)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libraries)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc PATTERN man EXCLUDE)
# The book as a site with live scenes (make browser site): scripts/package.sh makes it and says where it is.
set(CAPSTAN_SITE "" CACHE PATH "Folder of a built site to install with the documentation; empty: none")
if(CAPSTAN_SITE)
  install(DIRECTORY ${CAPSTAN_SITE}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/site COMPONENT doc)
endif()

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/capstan)
install(TARGETS ${installed} EXPORT capstanTargets
  LIBRARY COMPONENT libraries NAMELINK_COMPONENT dev
  ARCHIVE COMPONENT dev)
install(EXPORT capstanTargets NAMESPACE capstan:: DESTINATION ${config_dir} COMPONENT dev)
configure_package_config_file(cmake/capstanConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/capstanConfig.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/capstanConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/capstanConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/capstanConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT dev)

# A static library does not know what it needs, so its .pc file says it in Libs; a shared one in Libs.private.
set(pc_needs "-lm -pthread")
if(CAPSTAN_DIRECT AND CAPSTAN_SUITESPARSE)
  list(JOIN direct_libraries " -l" pc_direct)
  string(PREPEND pc_needs "-l${pc_direct} ")
endif()
if(BUILD_SHARED_LIBS)
  set(pc_libs_private "${pc_needs}")
  set(pc_io_requires_private "hdf5, yaml-0.1, zlib")
  set(pc_view_requires_private "libpng")
  set(pc_view_libs_private "-lembree3 -lm -pthread")
else()
  set(pc_libs " ${pc_needs}")
  set(pc_io_requires ", hdf5, yaml-0.1, zlib")
  set(pc_view_requires ", libpng")
  set(pc_view_libs " -lembree3 -lm -pthread")
endif()
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name ${installed})
  configure_file(cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

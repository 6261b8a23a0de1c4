# The Python package: a module for the stable ABI made from the public headers, and beside it the files of python/capstan.
# One folder of the build, python/, is the package as it is imported: PYTHONPATH=build/python.
option(CAPSTAN_PYTHON "Build the Python package where a Python with CFFI is found" ${PROJECT_IS_TOP_LEVEL})
if(NOT CAPSTAN_PYTHON OR NOT TARGET capstan-io OR CAPSTAN_SANITIZE OR CAPSTAN_FUZZ)
  return()  # a Python without sanitizers cannot load a module with them
endif()

# A Python of the system comes first: the packages of packages.txt are its packages.
foreach(candidate /usr/bin/python3 python3)
  if(NOT CAPSTAN_PYTHON_PROGRAM)
    find_program(found_python ${candidate} NO_CACHE)
    if(found_python)
      execute_process(COMMAND ${found_python} -c "import cffi, numpy, sysconfig; print(sysconfig.get_path('include'))"
        OUTPUT_VARIABLE python_include OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE python_missing ERROR_QUIET)
      if(NOT python_missing AND EXISTS ${python_include}/Python.h)
        set(CAPSTAN_PYTHON_PROGRAM ${found_python})
      endif()
    endif()
    unset(found_python)
  endif()
endforeach()
if(NOT CAPSTAN_PYTHON_PROGRAM)
  message(STATUS "No Python with cffi, numpy and Python.h: the Python package is left out")
  return()
endif()

set(package ${CMAKE_CURRENT_BINARY_DIR}/python/capstan)
set(module_source ${CMAKE_CURRENT_BINARY_DIR}/python/_capstan.c)
file(GLOB public_headers CONFIGURE_DEPENDS include/capstan/*.h)
set(with_view $<$<TARGET_EXISTS:capstan-view>:--view>)
add_custom_command(OUTPUT ${module_source}
  COMMAND ${CAPSTAN_PYTHON_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/python/capstan_build.py ${with_view}
    --include ${CMAKE_CURRENT_SOURCE_DIR}/include --cc ${CMAKE_C_COMPILER} --output ${module_source}
  DEPENDS python/capstan_build.py ${public_headers} COMMENT "Reading the public headers for Python" VERBATIM)
add_library(capstan-python MODULE ${module_source})
target_include_directories(capstan-python SYSTEM PRIVATE ${python_include})
target_link_libraries(capstan-python PRIVATE capstan-io capstan)
if(TARGET capstan-view)
  target_link_libraries(capstan-python PRIVATE capstan-view)
endif()
# Generated code: only what is compiled counts, not how it is written.
target_compile_options(capstan-python PRIVATE -w -O1)
set_target_properties(capstan-python PROPERTIES PREFIX "" OUTPUT_NAME _capstan SUFFIX .abi3.so
  LIBRARY_OUTPUT_DIRECTORY ${package} C_VISIBILITY_PRESET hidden)
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages/capstan ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(capstan-python PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
else()
  # Nobody outside sees the libraries inside, as nobody sees them in the command.
  target_link_options(capstan-python PRIVATE LINKER:--exclude-libs,ALL)
endif()
file(GLOB python_files CONFIGURE_DEPENDS python/capstan/*.py python/capstan/py.typed)
foreach(file ${python_files})
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${package}/${name} COPYONLY)
endforeach()
# Type stubs, from the annotations of the modules and the headers.
add_custom_command(OUTPUT ${package}/_records.pyi
  COMMAND ${CAPSTAN_PYTHON_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/python/stubs.py --include ${CMAKE_CURRENT_SOURCE_DIR}/include
    --cc ${CMAKE_C_COMPILER} --package ${CMAKE_CURRENT_SOURCE_DIR}/python/capstan --output ${package}
  DEPENDS python/stubs.py python/capstan_build.py ${python_files} ${public_headers} COMMENT "Writing type stubs" VERBATIM)
add_custom_target(capstan-python-stubs ALL DEPENDS ${package}/_records.pyi)
install(DIRECTORY ${package}/ DESTINATION lib/python3/dist-packages/capstan COMPONENT python FILES_MATCHING PATTERN "*.pyi")
install(TARGETS capstan-python DESTINATION lib/python3/dist-packages/capstan COMPONENT python)
install(FILES ${python_files} DESTINATION lib/python3/dist-packages/capstan COMPONENT python)

# CHOLMOD in the place of LDL. The tests of the symmetric factorisation and of the methods on top of it, also with allocations
# that fail, are linked once more with sparse/ldl_cholmod.c in front of the library, whose ldl.c then stays out of the program.
# `make test-long` builds the whole library in this way.
find_library(CAPSTAN_CHOLMOD_LIBRARY cholmod REQUIRED)
foreach(name sparse/direct friction/conic friction/convex_methods friction/allocation)
  string(REPLACE "/" "_" target test_${name})
  add_executable(${target}_cholmod $<TARGET_PROPERTY:${target},SOURCES> ${PROJECT_SOURCE_DIR}/src/sparse/ldl_cholmod.c)
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS)
    set_target_properties(${target}_cholmod PROPERTIES ${property} "$<TARGET_PROPERTY:${target},${property}>")
  endforeach()
  target_include_directories(${target}_cholmod SYSTEM PRIVATE ${SUITESPARSE_INCLUDE})
  target_link_options(${target}_cholmod PRIVATE LINKER:--as-needed)
  target_link_libraries(${target}_cholmod PRIVATE ${CAPSTAN_CHOLMOD_LIBRARY} $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  add_test(NAME ${name}-cholmod COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sparse/linked.sh $<TARGET_FILE:${target}_cholmod>)
endforeach()
add_test(NAME cholmod COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sparse/cholmod.sh ${PROJECT_BINARY_DIR}/cholmod)
set_tests_properties(cholmod PROPERTIES PROCESSORS 2 LABELS long)

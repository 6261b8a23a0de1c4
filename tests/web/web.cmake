# The viewer in a browser, as a person would use it. Skipped, with the reason, where there is no chromium.
find_program(CAPSTAN_NODE node)
if(NOT CAPSTAN_NODE)
  message(WARNING "The tests of the viewer's page are left out: node is not installed")
  return()
endif()
add_test(NAME web/types COMMAND ${CAPSTAN_NODE} ${PROJECT_SOURCE_DIR}/web/node_modules/typescript/bin/tsc
  --noEmit --project ${PROJECT_SOURCE_DIR}/web)
foreach(name result live hands pen sheets grains guests page ways thrust site wasm static)
  add_test(NAME web/${name} COMMAND ${CAPSTAN_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/web/${name}.mjs)
  # the software renderer is slow, and waits are long enough for a busy machine
  set_tests_properties(web/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
    ENVIRONMENT "CAPSTAN=$<TARGET_FILE:capstan-cli>")
endforeach()

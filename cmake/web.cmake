# The viewer's page: web/ bundled by esbuild and written as C. Sets view_bundle. Without Node, or where its packages
# cannot be fetched, everything else is still built, and `capstan view` says what is missing.
option(CAPSTAN_PAGE "Build the page of capstan view (needs Node 18 or newer and npm)" ON)
if(CAPSTAN_PAGE)
  # other packages: look again
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/package-lock.json)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/web.sh ready RESULT_VARIABLE failed OUTPUT_VARIABLE reason
    ERROR_VARIABLE reason OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(WARNING "capstan view is built without its page: ${reason}")
  else()
    set(view_bundle ${PROJECT_BINARY_DIR}/bundle.c)
    file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
    add_custom_command(OUTPUT ${view_bundle}
      COMMAND ${PROJECT_SOURCE_DIR}/scripts/web.sh bundle ${view_bundle}
      DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/web/build.mjs ${PROJECT_SOURCE_DIR}/web/package-lock.json
        ${PROJECT_SOURCE_DIR}/scripts/web.sh
      COMMENT "Bundling the viewer's page" VERBATIM)
  endif()
endif()

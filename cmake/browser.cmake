# The library for web pages: WebAssembly by Emscripten (make browser). One thread, no HDF5, libyaml, zlib or SuiteSparse: scenes are read by
# the page's YAML parser, and what needs one of the others says so. Makes capstan.js and capstan.wasm, which web/build-browser.mjs bundles.
file(GLOB browser_sources CONFIGURE_DEPENDS src/browser/*.c src/io/scene/*.c src/io/hair/*.c src/io/mesh/*.c)
list(REMOVE_ITEM browser_sources ${CMAKE_CURRENT_SOURCE_DIR}/src/io/scene/yaml_libyaml.c
  ${CMAKE_CURRENT_SOURCE_DIR}/src/io/mesh/vtu.c ${CMAKE_CURRENT_SOURCE_DIR}/src/io/mesh/vtu_array.c)
# of the viewer everything that knows nothing of sockets
foreach(name buffer client facts flat_json guard live live_access live_build live_hands live_history live_pen live_save
    live_settings live_source message packet pen recipe source stream stream_scene web_frame)
  list(APPEND browser_sources src/server/${name}.c)
endforeach()
list(APPEND browser_sources src/io/file_text.c src/io/sheet_arrays.c src/io/state_file.c src/io/whole_io.c src/io/world_surfaces.c
  src/io/contact_numbers.c src/io/result/fibre_lines.c src/io/frame/frame.c src/io/frame/world.c)
set(browser_host ${CMAKE_CURRENT_SOURCE_DIR}/web/src/browser/host.js)
# all functions of the room, by the names that its headers declare
file(GLOB browser_headers CONFIGURE_DEPENDS src/browser/*.h)
set(browser_exports _malloc _free)
foreach(header ${browser_headers})
  file(STRINGS ${header} lines REGEX "^[a-zA-Z].*cps_[a-z0-9_]+\\(")
  foreach(line ${lines})
    string(REGEX REPLACE "^.*(cps_[a-z0-9_]+)\\(.*$" "_\\1" name "${line}")
    if(NOT name MATCHES "_cps_host_")
      list(APPEND browser_exports ${name})
    endif()
  endforeach()
endforeach()
list(JOIN browser_exports "," browser_exports)

add_executable(capstan-browser ${browser_sources} $<TARGET_OBJECTS:capstan-base>)
capstan_flags(capstan-browser)
set_target_properties(capstan-browser PROPERTIES OUTPUT_NAME capstan SUFFIX .js LINK_DEPENDS ${browser_host})
target_include_directories(capstan-browser PRIVATE include src)
target_link_libraries(capstan-browser PRIVATE capstan)
target_link_options(capstan-browser PRIVATE --no-entry --js-library=${browser_host} -sMODULARIZE=1 -sEXPORT_NAME=createCapstan
  -sENVIRONMENT=web,worker -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4MB -sFORCE_FILESYSTEM=1 -sEXPORTED_FUNCTIONS=${browser_exports}
  -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8)

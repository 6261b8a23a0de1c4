# capstan-view: the ray tracer (Embree, libpng) and the server of the viewer.
set(view_headers include/capstan/render.h include/capstan/view.h)  # public headers, by name: include/capstan/….h
find_path(EMBREE_INCLUDE embree3/rtcore.h REQUIRED)
find_library(EMBREE_LIBRARY embree3 REQUIRED)
find_package(PNG REQUIRED)

# The viewer's page: cmake/web.cmake sets view_bundle to the file it makes from web/, where it can.
list(REMOVE_ITEM view_sources ${CMAKE_CURRENT_SOURCE_DIR}/src/server/bundle_none.c)
set(view_bundle src/server/bundle_none.c)
include(${CMAKE_CURRENT_LIST_DIR}/web.cmake)

add_library(capstan-view ${view_sources} ${view_bundle} $<TARGET_OBJECTS:capstan-core> $<TARGET_OBJECTS:capstan-base>)
add_library(capstan::view ALIAS capstan-view)
capstan_component(capstan-view)
set_target_properties(capstan-view PROPERTIES EXPORT_NAME view)
target_include_directories(capstan-view SYSTEM PRIVATE ${EMBREE_INCLUDE})
target_link_libraries(capstan-view PUBLIC capstan-io capstan PRIVATE PNG::PNG Threads::Threads
  $<BUILD_INTERFACE:${EMBREE_LIBRARY}> $<INSTALL_INTERFACE:embree3>)
if(MATH_LIBRARY)
  target_link_libraries(capstan-view PRIVATE m)
endif()

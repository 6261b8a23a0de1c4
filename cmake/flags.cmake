# Flags that every target of the project shares.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

function(capstan_flags target)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla
    -ffp-contract=off -fno-math-errno $<$<BOOL:${CAPSTAN_WERROR}>:-Werror>)
  if(CAPSTAN_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CAPSTAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # Checks of pointers double the time of compiling with clang; AddressSanitizer meets most of what they see, and the tests have them all.
    target_compile_options(${target} PRIVATE $<$<BOOL:${CAPSTAN_FUZZ}>:-fno-sanitize=null,alignment,object-size,pointer-overflow>)
    target_link_options(${target} PRIVATE -fsanitize=${CAPSTAN_SANITIZE})
  endif()
endfunction()

# A library of the project: public headers from include/, private ones from src/, hidden symbols unless CPS_API.
function(capstan_component target)
  capstan_flags(${target})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # before 1.0 a minor release may add fields to public structures, so each has its own soname
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PUBLIC CAPSTAN_SHARED=1)
  endif()
endfunction()

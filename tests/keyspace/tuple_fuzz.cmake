# The libFuzzer target of the tuple layer, and a brief run of it in ctest.
#
# libFuzzer comes with clang alone, and the project is built with whatever compiler is there, so this calls clang++
# directly on the layer's sources. Without a clang that has libFuzzer there is no such target; the seeds are still run
# by keyspace_tests.
find_program(FDBJOBS_CLANGXX NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
set(fuzz_flags -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)

set(fuzz_works FALSE)
if(FDBJOBS_CLANGXX)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/fuzz_probe)
  file(WRITE ${probe}.cc
       "#include <cstddef>\n#include <string>\n"
       "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, std::size_t) { return 0; }\n")
  execute_process(COMMAND ${FDBJOBS_CLANGXX} ${fuzz_flags} ${probe}.cc -o ${probe} RESULT_VARIABLE probe_result
                  OUTPUT_QUIET ERROR_QUIET)
  if(probe_result EQUAL 0)
    set(fuzz_works TRUE)
  endif()
endif()
if(NOT fuzz_works)
  message(STATUS "No clang++ with libFuzzer: tuple_fuzz is not built, its seeds run in keyspace_tests")
  return()
endif()

pkg_check_modules(FUZZ_ABSL REQUIRED absl_statusor absl_status absl_strings)
get_target_property(layer_folder fdbjobs_keyspace SOURCE_DIR)
get_target_property(layer_sources fdbjobs_keyspace SOURCES)
list(FILTER layer_sources INCLUDE REGEX "tuple.*\\.cc$")
list(TRANSFORM layer_sources PREPEND ${layer_folder}/)
set(layer_headers tuple.h tuple_format.h tuple_parse.h tuple_reader.h tuple_types.h tuple_utf8.h tuple_writer.h)
list(TRANSFORM layer_headers PREPEND ${layer_folder}/)

set(fuzz_program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/tuple_fuzz)
add_custom_command(
  OUTPUT ${fuzz_program}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
  COMMAND ${FDBJOBS_CLANGXX} ${fuzz_flags} -I${PROJECT_SOURCE_DIR} ${FUZZ_ABSL_CFLAGS}
          ${CMAKE_CURRENT_SOURCE_DIR}/tuple_fuzz.cc ${layer_sources} ${FUZZ_ABSL_LDFLAGS} -o ${fuzz_program}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tuple_fuzz.cc ${layer_sources} ${layer_headers}
  COMMENT "Building tuple_fuzz with ${FDBJOBS_CLANGXX}"
  VERBATIM)
add_custom_target(tuple_fuzz ALL DEPENDS ${fuzz_program})

# libFuzzer adds what it finds to the first folder, so that one is in the build; the seeds are only read.
set(fuzz_findings ${CMAKE_CURRENT_BINARY_DIR}/fuzz_findings)
file(MAKE_DIRECTORY ${fuzz_findings})
add_test(NAME keyspace.tuple_fuzz COMMAND ${fuzz_program} -runs=20000 -max_total_time=20 -max_len=512
                                          -artifact_prefix=${fuzz_findings}/ ${fuzz_findings}
                                          ${CMAKE_CURRENT_SOURCE_DIR}/corpus)
set_tests_properties(keyspace.tuple_fuzz PROPERTIES LABELS keyspace TIMEOUT 120)

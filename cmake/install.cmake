# What `cmake --install` gives: headers, libraries, programs, a CMake package and a pkg-config file.
#
#   <prefix>/include/fdbjobs/...
#   <prefix>/<libdir>/libfdbjobs_{admin,monitor,jobs,keyspace,fdb}.a
#   <prefix>/<libdir>/fdbjobs/embedded/libfdb_c.so     the embedded engine, in a folder of its own
#   <prefix>/<libdir>/fdbjobs/libfdbjobs_embedded.so   a link to it, under a name that nobody else has
#   <prefix>/<libdir>/cmake/fdbjobs, <prefix>/<libdir>/pkgconfig/fdbjobs.pc
include(CMakePackageConfigHelpers)

set(fdbjobs_private_dir ${CMAKE_INSTALL_LIBDIR}/fdbjobs)
set(fdbjobs_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fdbjobs)

# The installed library finds the engine through the run path of the program that it is linked into. That holds
# wherever the package was moved to, and no other library has that name.
target_link_options(fdbjobs_fdb INTERFACE
                    "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${fdbjobs_private_dir}>")

set(fdbjobs_libraries fdbjobs_fdb fdbjobs_keyspace fdbjobs_jobs fdbjobs_monitor fdbjobs_admin)
foreach(library ${fdbjobs_libraries})
  # fdbjobs_jobs is fdbjobs::jobs to its users.
  string(REPLACE fdbjobs_ "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${fdbjobs_libraries} EXPORT fdbjobs-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS fdb_c LIBRARY DESTINATION ${fdbjobs_private_dir}/embedded)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cmake)
file(CREATE_LINK embedded/libfdb_c.so ${PROJECT_BINARY_DIR}/cmake/libfdbjobs_embedded.so SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/cmake/libfdbjobs_embedded.so DESTINATION ${fdbjobs_private_dir})

# fdbjobs_install_headers(<folder> <header>...)
function(fdbjobs_install_headers folder)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE headers)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endfunction()

# The public headers, by name. The engine's own are not among them: it is reached through the C ABI alone.
fdbjobs_install_headers(fdbjobs claimer.h job.h jobs.h listing.h receipts.h subscriptions.h uuid.h)
fdbjobs_install_headers(fdbjobs/admin check.h count_jobs.h repair.h rows.h transfer.h)
fdbjobs_install_headers(
  fdbjobs/monitor
  activity_monitor.h
  batch_limit.h
  clock.h
  contact.h
  look.h
  options.h
  rescue_pass.h
  samples.h
  stats.h
  stop_signal.h
  supervisor.h
  type_watches.h)
fdbjobs_install_headers(
  fdbjobs/keyspace
  id_prefix.h
  job_keys.h
  job_options.h
  job_row.h
  packed_element.h
  row_reader.h
  sequence.h
  tuple.h
  tuple_parse.h
  tuple_reader.h
  tuple_types.h
  tuple_writer.h)
fdbjobs_install_headers(
  fdbjobs/fdb
  abi.h
  client.h
  database.h
  database_name.h
  error_codes.h
  future.h
  key_selector.h
  options.h
  range.h
  status.h
  transact.h
  transaction.h)

install(EXPORT fdbjobs-targets NAMESPACE fdbjobs:: DESTINATION ${fdbjobs_package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fdbjobs-config.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/fdbjobs-config.cmake
                              INSTALL_DESTINATION ${fdbjobs_package_dir} PATH_VARS fdbjobs_private_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/fdbjobs-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/fdbjobs-config.cmake ${PROJECT_BINARY_DIR}/cmake/fdbjobs-config-version.cmake
        DESTINATION ${fdbjobs_package_dir})

file(RELATIVE_PATH fdbjobs_prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/fdbjobs.pc.in ${PROJECT_BINARY_DIR}/cmake/fdbjobs.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/fdbjobs.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# All that is installed, without the tests.
add_custom_target(fdbjobs_package DEPENDS fdb_c ${fdbjobs_libraries} fdbjobs-bench fdbjobs-cli fdbjobs-monitor)

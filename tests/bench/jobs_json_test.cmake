# Runs `fdbjobs-bench jobs --json` with tiny sizes and checks that its output is JSON, has every field that the peers'
# table takes, and that every job was done exactly once.
#
#   cmake -DBENCH=<program> -DFOLDER=<folder for the database> -P jobs_json_test.cmake
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
execute_process(
  COMMAND ${BENCH} jobs --json --db embedded:${FOLDER} --jobs 300 --reps 1 --deep 400 --shallow 50 --cap 30 --fill 30
          --single 0.2 --end-to-end 0.5
  OUTPUT_VARIABLE output
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "fdbjobs-bench ended with ${result}")
endif()

# expect(<type> <path>...): the value at the path is there, and of that type.
function(expect type)
  list(JOIN ARGN "." path)
  string(JSON found ERROR_VARIABLE error TYPE "${output}" ${ARGN})
  if(error)
    message(SEND_ERROR "${path} is missing: ${error}")
  elseif(NOT found STREQUAL type)
    message(SEND_ERROR "${path} is ${found}, not ${type}")
  endif()
endfunction()

# expect_value(<value> <path>...)
function(expect_value value)
  list(JOIN ARGN "." path)
  string(JSON found ERROR_VARIABLE error GET "${output}" ${ARGN})
  if(NOT found STREQUAL value)
    message(SEND_ERROR "${path} is ${found} and should be ${value}; ${error}")
  endif()
endfunction()

function(expect_rates)
  foreach(field perSecond min max)
    expect(NUMBER ${ARGN} ${field})
  endforeach()
  expect_value(ON ${ARGN} runs 0 complete)
endfunction()

expect(STRING benchmark)
expect(STRING database)
expect(NUMBER machine cores)

set(names fdbjobs fdbjobs-risky-claims fdbjobs-whole-jobs)
foreach(i RANGE 2)
  list(GET names ${i} name)
  expect_value(${name} rows ${i} row)
  expect(STRING rows ${i} durability)
  expect(STRING rows ${i} versions fdbjobs)
  expect(NUMBER rows ${i} settings batch)
  foreach(rates enqueueBulk enqueueSingle1 enqueueSingle16 drain1 drain2)
    expect_rates(rows ${i} measured ${rates})
  endforeach()
  foreach(drain drain1 drain2)
    expect_value(ON rows ${i} measured ${drain} runs 0 exact)
    expect_value(300 rows ${i} measured ${drain} runs 0 queued)
    expect_value(300 rows ${i} measured ${drain} runs 0 handled)
  endforeach()
  foreach(single enqueueSingle1 enqueueSingle16)
    expect_value(ON rows ${i} measured ${single} runs 0 exact)
  endforeach()
  foreach(field p50us p99us ackP50us ackP99us)
    expect(NUMBER rows ${i} measured endToEnd ${field})
  endforeach()
  expect_value(100 rows ${i} measured endToEnd handled)
  foreach(depth shallow deep)
    expect(NUMBER rows ${i} measured backlog ${depth} usPerJob)
  endforeach()
  expect_value(50 rows ${i} measured backlog shallow depth)
  expect_value(400 rows ${i} measured backlog deep depth)
endforeach()

set(claimers 1 4 16 64)
foreach(i RANGE 3)
  list(GET claimers ${i} count)
  expect_value(${count} competition ${i} claimers)
  expect(NUMBER competition ${i} claimsPerSecond)
  expect(NUMBER competition ${i} conflictsPerClaim)
  expect_value(ON competition ${i} exact)
endforeach()

file(REMOVE_RECURSE ${FOLDER})

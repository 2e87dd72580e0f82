# The simulated CUDA driver and its compiler: built for the tests alone, never installed.
find_program(HR_HOST_CXX NAMES ${CMAKE_CXX_COMPILER} g++ c++ clang++)
hr_require(HR_HOST_CXX "a C++ compiler, with which its simulated CUDA compiles programs" g++)
set(fake_cuda ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)
set(fake_nvrtc ${CMAKE_CURRENT_BINARY_DIR}/fake_nvrtc)
set(fake_scratch ${CMAKE_CURRENT_BINARY_DIR}/fake_scratch)
file(MAKE_DIRECTORY ${fake_scratch})

file(GLOB fake_cuda_files CONFIGURE_DEPENDS fake/cuda/driver/*.c)
function(add_fake_cuda target folder)
  add_library(${target} SHARED ${fake_cuda_files})
  target_include_directories(${target} PRIVATE fake/cuda fake/cuda/driver ${PROJECT_SOURCE_DIR}/backends)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  target_compile_definitions(${target} PRIVATE FAKE_CUDA_SCRATCH="${fake_scratch}")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${folder})
endfunction()
add_fake_cuda(fake_cuda ${fake_cuda})
# Under ThreadSanitizer there are two: one that is looked at itself, for its own tests, and the one that programs run on,
# which tells the tool what a GPU orders and nothing else (driver/sync.h).
set(tested_fake_cuda ${fake_cuda})
if(HR_SANITIZE MATCHES thread)
  target_compile_definitions(fake_cuda PRIVATE FAKE_SHARP)
  # No loop becomes a memmove(), which the tool would see.
  target_compile_options(fake_cuda PRIVATE -fno-sanitize=thread $<IF:$<C_COMPILER_ID:GNU>,-fno-tree-loop-distribute-patterns,-fno-builtin>)
  set(tested_fake_cuda ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda_plain)
  add_fake_cuda(fake_cuda_plain ${tested_fake_cuda})
endif()

# The compiler of the host is told to call a function before every access to memory; gcc and clang have that by other
# names.
execute_process(COMMAND ${HR_HOST_CXX} --version OUTPUT_VARIABLE host_cxx_version)
if(host_cxx_version MATCHES clang)
  set(flags -mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-func-entry-exit=0
      -mllvm -tsan-instrument-atomics=0)
else()
  set(flags --param=tsan-distinguish-volatile=1 --param=tsan-instrument-func-entry-exit=0)
endif()
list(JOIN flags "\", \"" flags)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fake_config/fake_nvrtc_config.h CONTENT [[
#define FAKE_NVRTC_CXX "@HR_HOST_CXX@"
#define FAKE_NVRTC_FLAGS "@flags@"
#define FAKE_NVRTC_INCLUDE "@CMAKE_CURRENT_SOURCE_DIR@/fake/cuda"
#define FAKE_NVRTC_SCRATCH "@fake_scratch@"
]] @ONLY)
file(GLOB fake_nvrtc_files CONFIGURE_DEPENDS fake/cuda/nvrtc/*.c)
add_library(fake_nvrtc SHARED ${fake_nvrtc_files})
target_include_directories(fake_nvrtc PRIVATE fake/cuda ${CMAKE_CURRENT_BINARY_DIR}/fake_config
                           ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/backends)
target_link_libraries(fake_nvrtc PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(fake_nvrtc PROPERTIES OUTPUT_NAME nvrtc SOVERSION 13 LIBRARY_OUTPUT_DIRECTORY ${fake_nvrtc})

# Their own tests find them as programs find a driver: by name.
file(GLOB fake_cuda_tests CONFIGURE_DEPENDS fake/cuda/test_*.c)
if(NOT HR_SANITIZE MATCHES thread) # which finds the races
  list(FILTER fake_cuda_tests EXCLUDE REGEX test_race)
endif()
foreach(file IN LISTS fake_cuda_tests)
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "test_" "" name ${name})
  add_executable(fake_cuda_${name} ${file} fake/cuda/rig.c fake/cuda/programs.c)
  target_include_directories(fake_cuda_${name} PRIVATE fake/cuda ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/backends ${CMOCKA_INCLUDE})
  target_link_libraries(fake_cuda_${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} ${CMOCKA_LIBRARY})
  add_dependencies(fake_cuda_${name} fake_cuda fake_nvrtc)
  hr_add_test(fake.cuda.${name} 60 fake_cuda_${name})
  set_property(TEST fake.cuda.${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
               LD_LIBRARY_PATH=path_list_prepend:${fake_nvrtc} LD_LIBRARY_PATH=path_list_prepend:${tested_fake_cuda})
endforeach()
if(HR_SANITIZE MATCHES thread)
  add_dependencies(fake_cuda_race fake_cuda_plain) # and with it whoever runs a test
  set_property(TEST fake.cuda.race APPEND PROPERTY ENVIRONMENT_MODIFICATION
               LD_LIBRARY_PATH=path_list_prepend:${fake_cuda})
endif()

# The simulated CUDA driver: built for the tests alone, never installed.
set(fake_cuda ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)
file(GLOB fake_cuda_files CONFIGURE_DEPENDS fake/cuda/driver/*.c)
add_library(fake_cuda SHARED ${fake_cuda_files})
target_include_directories(fake_cuda PRIVATE fake/cuda ${PROJECT_SOURCE_DIR}/backends)
target_link_libraries(fake_cuda PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(fake_cuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${fake_cuda})

# Its own tests find it as programs find a driver: by name.
file(GLOB fake_cuda_tests CONFIGURE_DEPENDS fake/cuda/test_*.c)
foreach(file IN LISTS fake_cuda_tests)
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "test_" "" name ${name})
  add_executable(fake_cuda_${name} ${file} fake/cuda/rig.c)
  target_include_directories(fake_cuda_${name} PRIVATE fake/cuda ${PROJECT_SOURCE_DIR}/backends ${CMOCKA_INCLUDE})
  target_link_libraries(fake_cuda_${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} ${CMOCKA_LIBRARY})
  add_dependencies(fake_cuda_${name} fake_cuda)
  hr_add_test(fake.cuda.${name} 60 fake_cuda_${name})
  set_property(TEST fake.cuda.${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
               LD_LIBRARY_PATH=path_list_prepend:${fake_cuda})
endforeach()

# A CUDA driver and no compiler: libraries of NVRTC's names without its functions stand before any that may be installed.
set(no_nvrtc ${CMAKE_CURRENT_BINARY_DIR}/no_nvrtc)
add_library(no_nvrtc SHARED nocompiler/no_nvrtc.c)
set_target_properties(no_nvrtc PROPERTIES OUTPUT_NAME nvrtc SOVERSION 13 LIBRARY_OUTPUT_DIRECTORY ${no_nvrtc})
foreach(version 12 11.2)
  file(MAKE_DIRECTORY ${no_nvrtc})
  file(CREATE_LINK libnvrtc.so.13 ${no_nvrtc}/libnvrtc.so.${version} SYMBOLIC)
endforeach()
add_executable(nocompiler nocompiler/test_nocompiler.c)
target_include_directories(nocompiler PRIVATE ${CMOCKA_INCLUDE})
target_link_libraries(nocompiler PRIVATE headrace ${CMOCKA_LIBRARY})
add_dependencies(nocompiler fake_cuda no_nvrtc)
hr_add_test(nocompiler 60 nocompiler)
set_property(TEST nocompiler APPEND PROPERTY ENVIRONMENT_MODIFICATION
             LD_LIBRARY_PATH=path_list_prepend:${no_nvrtc} LD_LIBRARY_PATH=path_list_prepend:${fake_cuda})

# A driver from before CUDA 12.4 does not tell the arguments of kernels: they are known all the same.
foreach(program backend_kernels conformance_kernel conformance_kernel_bad conformance_binary)
  hr_add_test(older_driver.${program} 120 ${program} cuda)
  hr_test_variant(older_driver.${program} cuda@fake)
  set_property(TEST older_driver.${program} APPEND PROPERTY ENVIRONMENT_MODIFICATION FAKE_CUDA_VERSION=set:12030)
endforeach()

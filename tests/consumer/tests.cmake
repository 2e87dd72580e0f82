# What is installed, seen from outside: a project that uses it, and the symbols that the library exports.
include(CheckLanguage)
check_language(CXX)
hr_require(CMAKE_CXX_COMPILER "a C++ compiler, for its consumer test" g++)
find_program(PKG_CONFIG pkg-config)
hr_require(PKG_CONFIG "pkg-config, for its consumer test" pkg-config)

set(consumer ${CMAKE_CURRENT_SOURCE_DIR}/consumer)
set(installed ${CMAKE_CURRENT_BINARY_DIR}/installed)

hr_add_test(consumer.install 60 ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${installed})
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP installed)

hr_add_test(consumer.cmake 120 ${CMAKE_CTEST_COMMAND} --build-and-test ${consumer} ${CMAKE_CURRENT_BINARY_DIR}/consumer
  --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_PREFIX_PATH=${installed} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure)
hr_add_test(consumer.pkgconfig 120 sh ${consumer}/pkgconfig.sh ${installed}/${CMAKE_INSTALL_LIBDIR} ${PKG_CONFIG}
  ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
hr_add_test(consumer.exports 30 sh ${consumer}/exports.sh ${CMAKE_NM} $<TARGET_FILE:headrace>
  ${PROJECT_SOURCE_DIR}/include/headrace)
set_tests_properties(consumer.cmake consumer.pkgconfig PROPERTIES FIXTURES_REQUIRED installed)

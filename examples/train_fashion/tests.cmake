# The program on every selector of the conformance suite; PoCL's second device computes nothing that the first does not.
foreach(selector IN LISTS HR_SELECTORS)
  if(NOT selector MATCHES "@")
    hr_add_test(example.train_fashion.${selector} 120 sh ${CMAKE_CURRENT_LIST_DIR}/test.sh
                $<TARGET_FILE:example_train_fashion> ${selector})
  endif()
endforeach()

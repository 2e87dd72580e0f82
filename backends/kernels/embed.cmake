# Writes the kernel files as one C array: cmake -DOUTPUT=kernels_text.c "-DFILES=a.cl;b.cl" -P embed.cmake
set(bytes "")
foreach(file IN LISTS FILES)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND bytes "${hex}\n")
endforeach()
file(WRITE ${OUTPUT}
     "/* Made by embed.cmake. */\n#include \"kernels/kernels.h\"\nconst char hri_kernels_text[] = {\n${bytes}0};\n")

# Writes the kernel files as C arrays, the texts of a kind one after the other:
# cmake -DOUTPUT=kernels_text.c "-DTEXT=a.cl;b.cl" "-DPTX=a.ptx" -DPRELUDE=prelude.cuh -P embed.cmake
function(hr_embed name files)
  set(bytes "")
  foreach(file IN LISTS files)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND bytes "${hex}\n")
  endforeach()
  file(APPEND ${OUTPUT} "extern const char ${name}[];\nconst char ${name}[] = {\n${bytes}0};\n")
endfunction()

file(WRITE ${OUTPUT} "/* Made by embed.cmake. */\n")
hr_embed(hri_kernels_text "${TEXT}")
hr_embed(hri_kernels_ptx "${PTX}")
hr_embed(hri_cu_prelude "${PRELUDE}")

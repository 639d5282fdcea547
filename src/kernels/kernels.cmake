# The kernels are the only files that name an instruction set: kernels/avx2*.c and kernels/avx512*.c, compiled
# for it and called only where select.c found it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  file(GLOB AVX2_SOURCES CONFIGURE_DEPENDS kernels/avx2*.c)
  file(GLOB AVX512_SOURCES CONFIGURE_DEPENDS kernels/avx512*.c)
  set(AVX512_SOURCES ${AVX512_SOURCES} PARENT_SCOPE) # tests/ compiles them against an emulation, too
  # gcc would send every 128-bit product through memory: an eighth of hash_words.
  set(AVX2_FLAGS -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt -mpclmul $<$<C_COMPILER_ID:GNU>:-fno-split-wide-types>)
  set(AVX512_FLAGS ${AVX2_FLAGS} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vbmi2
      -mavx512vpopcntdq -mavx512bitalg -mvpclmulqdq -mprefer-vector-width=512)
  set_source_files_properties(${AVX2_SOURCES} PROPERTIES COMPILE_OPTIONS "${AVX2_FLAGS}")
  file(GLOB AVX2_CLMUL_SOURCES CONFIGURE_DEPENDS kernels/avx2_clmul*.c)
  set_source_files_properties(${AVX2_CLMUL_SOURCES} PROPERTIES COMPILE_OPTIONS "${AVX2_FLAGS};-mvpclmulqdq")
  set_source_files_properties(${AVX512_SOURCES} PROPERTIES COMPILE_OPTIONS "${AVX512_FLAGS}")
  target_sources(stemma_objects PRIVATE ${AVX2_SOURCES} ${AVX512_SOURCES})
  target_compile_definitions(stemma_objects PRIVATE STEMMA_X86=1)
endif()

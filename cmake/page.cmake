# The page of `stemma scan --report`, made by npm from web/report and put into the program. An empty one stands for
# none: then the program says so. Builds that name the same directory share it, so that npm works once for all.
set(STEMMA_REPORT AUTO CACHE STRING "The page of scan --report: ON, OFF, or AUTO (where npm can make it)")
set_property(CACHE STEMMA_REPORT PROPERTY STRINGS AUTO ON OFF)
set(STEMMA_PAGE_DIR ${PROJECT_BINARY_DIR}/page CACHE PATH "Where npm makes the page")

set(STEMMA_PAGE ${PROJECT_BINARY_DIR}/report.html)
if(EXISTS ${STEMMA_PAGE})
  file(SIZE ${STEMMA_PAGE} size)
  if(size EQUAL 0) # npm may have been installed since
    file(REMOVE ${STEMMA_PAGE})
  endif()
endif()
file(GLOB_RECURSE PAGE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/report/src/*
     ${PROJECT_SOURCE_DIR}/web/report/test/*)
file(GLOB PAGE_SETTINGS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/report/*.*)
add_custom_command(OUTPUT ${STEMMA_PAGE} VERBATIM
  COMMAND ${PROJECT_SOURCE_DIR}/tools/build-page ${STEMMA_REPORT} ${STEMMA_PAGE_DIR} ${STEMMA_PAGE}
  DEPENDS ${PAGE_SOURCES} ${PAGE_SETTINGS} ${PROJECT_SOURCE_DIR}/tools/build-page
  COMMENT "Making the page of scan --report")

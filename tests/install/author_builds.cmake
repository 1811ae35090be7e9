# The author's project, as it was installed, configured against the moved tree with find_package alone.
set(consumer "${moved}/share/patchbay/author")
set(work "${author_work}")
include("${CMAKE_CURRENT_LIST_DIR}/consumer_builds.cmake")

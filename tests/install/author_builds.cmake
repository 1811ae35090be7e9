# The author's project, configured against the moved tree with find_package alone.
set(consumer "${author}")
set(work "${author_work}")
include("${CMAKE_CURRENT_LIST_DIR}/consumer_builds.cmake")

//! Reads shell command lines into the simple commands that they would run. Pure: runs nothing, expands nothing.

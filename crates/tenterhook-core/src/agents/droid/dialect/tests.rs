//! The dialect of Droid as its files, events and answers are read.

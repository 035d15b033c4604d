//! What the agent does, seen from outside: the program itself, its hooks, a model that plays from a file.

mod agents;
mod prompts;
mod room;
mod tools;
mod turns;

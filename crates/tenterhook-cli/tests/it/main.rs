//! The command line, driven as people and programs drive it: one module for each command.
#![expect(clippy::unwrap_used, reason = "what tests share may fail them")]

mod adopted;
mod answers;
mod background;
mod backtest;
mod bad_input;
mod bridge;
mod bypassed;
mod cancel;
mod check;
mod check_scripts;
mod clone;
mod compared;
mod confined;
mod convert;
mod cross_fire;
mod demo;
mod docs;
mod doctor;
mod events;
mod explain;
mod extension;
mod fire;
mod first;
mod fix;
mod fixture;
mod found;
mod gate_entry;
mod homeless;
mod install;
mod integrations;
mod labels;
mod list;
mod lock;
#[cfg(target_os = "linux")]
mod managed;
mod messy;
mod moved_home;
mod openclaw;
mod openings;
#[cfg(target_os = "linux")]
mod organisation;
mod own_entries;
mod package;
mod presence;
mod probe;
#[cfg(unix)]
mod probe_account;
mod projects;
mod protected;
mod readers;
mod reconcile;
mod record;
mod repository;
mod rules;
mod saved;
mod session_rules;
mod shadow;
mod shapes;
mod silenced;
mod starved;
mod stream;
#[cfg(target_os = "linux")]
mod stream_host;
#[cfg(target_os = "linux")]
mod stream_requests;
mod test;
mod tokens;
mod transcripts;
mod trust;
mod uninstall;
mod unread;
mod unrecorded;
mod unseen;
mod unwaited;
mod usage;
mod vanished;
#[cfg(target_os = "linux")]
mod watch;
mod widths;
mod within;

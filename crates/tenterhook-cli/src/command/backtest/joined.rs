//! Replays files that hold parts of one session, such as those of subagents, as the session went: their records by time. Runs no
//! hook itself.

use std::collections::HashMap;
use std::ops::Range;

use tenterhook_core::transcript::TranscriptRecord;

use super::tally::Tally;
use super::{File, OfFile};

/// How many bytes of records are sorted by time at once. Further records are sorted among themselves.
const MOST_BYTES: usize = 256 << 20;

/// Returns the files in the order in which they are replayed, and the groups of files that belong together. Without rules about
/// the session, each file is a group.
pub(super) fn group_files(files: Vec<File>, by_session: bool) -> (Vec<File>, Vec<Range<usize>>) {
    if by_session {
        return group_files_by_session(files);
    }
    let groups = (0..files.len()).map(|at| at..at + 1).collect();
    (files, groups)
}

/// Puts files of the same session side by side. The order of groups is that of their first files.
fn group_files_by_session(files: Vec<File>) -> (Vec<File>, Vec<Range<usize>>) {
    let mut groups: Vec<Vec<File>> = Vec::new();
    let mut of_session = HashMap::new();
    for file in files {
        let Some(id) = file.first_session_id() else {
            groups.push(vec![file]);
            continue;
        };
        let at = *of_session.entry((file.agent.key(), id)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(at) {
            group.push(file);
        }
    }
    let mut start = 0;
    let ranges = groups.iter().map(|group| {
        start += group.len();
        start - group.len()..start
    });
    (groups.iter().flatten().cloned().collect(), ranges.collect())
}

/// A record that waits for its place in the session.
struct Waiting {
    time: i64,
    number: usize,
    is_copy: bool,
    record: TranscriptRecord<'static>,
}

impl OfFile<'_> {
    /// Reads the files and runs the hooks on their events, by time.
    pub(super) fn replay_joined_files(&mut self, group: Range<usize>, tally: &mut Tally) {
        let work = self.work;
        let (mut waiting, mut bytes) = (Vec::new(), 0);
        for number in group {
            // Others wait for each turn, also after an interruption.
            let turn = work.turns.turn_of_file(number);
            turn.wait();
            let Some(file) = work.files.get(number) else { continue };
            (self.file, self.number) = (file, number);
            // A record without a time follows the one before it.
            let mut time = i64::MIN;
            let facts = file.read_records(&mut |record| {
                if work.is_record_selected(record) {
                    time = record.time.unwrap_or(time);
                    tally.add_day_and_session(file.agent, record);
                    if self.is_replayable_record(record) {
                        bytes += record.action.estimated_bytes();
                        let (is_copy, record) = (self.is_copied_call(record), record.to_owned());
                        waiting.push(Waiting { time, number, is_copy, record });
                    }
                }
                if bytes > MOST_BYTES {
                    bytes = 0;
                    self.replay_by_time(&mut waiting, tally);
                    (self.file, self.number) = (file, number);
                }
                !work.is_interrupted()
            });
            drop(turn);
            tally.add_facts_or_problem(file, facts);
            work.steps.count_step();
        }
        self.replay_by_time(&mut waiting, tally);
    }

    fn replay_by_time(&mut self, waiting: &mut Vec<Waiting>, tally: &mut Tally) {
        waiting.sort_by_key(|waiting| waiting.time);
        for Waiting { number, is_copy, record, .. } in waiting.drain(..) {
            if self.work.is_interrupted() {
                return;
            }
            let Some(file) = self.work.files.get(number) else { continue };
            (self.file, self.number) = (file, number);
            self.replay_record(&record, is_copy, tally);
        }
    }
}

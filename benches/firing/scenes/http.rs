//! A request over a connection that is open already, against the same request by hand to the same server, and through the
//! engine's HTTP library alone.

use std::hint::black_box;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::{Bed, envelope, event, hook};
use crate::baseline::http::{Client, serve};
use crate::baseline::library::Library;
use crate::sample::{Sample, Table};

const TIMES: usize = 3_000;

/// One `http` hook in turn with the raw client; then from a task of the runtime, where many hosts fire.
pub(crate) fn http(table: &mut Table) {
    let (name, reach) = ("one http hook, kept alive", "1.5x");
    let raw_name = "raw request over one connection";
    let client = serve().and_then(|at| Ok((at, Client::connect(at, &envelope())?)));
    let (address, mut client) = match client {
        Ok(client) => client,
        Err(error) => return table.skip(name, &format!("no loopback: {error}"), reach),
    };
    let mut raw = || {
        black_box(client.turn().map(<[u8]>::len).ok());
    };
    let bed = Bed::written([hook(0, &format!("http = \"http://{address}/\""))])
        .ready()
        .map_err(|fault| fault.message);
    let library = |bed: &Bed| {
        let library = bed.runtime.block_on(Library::connect(address, envelope()));
        library.ok_or_else(|| "the library does not connect".to_owned())
    };
    let (bed, mut library) = match bed.and_then(|bed| Ok((library(&bed)?, bed))) {
        Ok((library, bed)) => (bed, library),
        Err(why) => {
            table.add(raw_name, Sample::take(TIMES, &mut raw), "");
            return table.skip(name, &why, reach);
        }
    };
    let (raws, ours) = Sample::pair(TIMES, &mut raw, || {
        drop(black_box(bed.fire()));
    });
    let (_, theirs) = Sample::pair(TIMES, &mut raw, || {
        black_box(bed.runtime.block_on(library.turn()));
    });
    let base = raws.median();
    table.add(raw_name, raws, "");
    table.against("the HTTP library alone", theirs, ("raw request", base), "");
    table.against(name, ours, ("raw request", base), reach);
    match on_one_thread(&bed, address, &mut raw) {
        Some((theirs, ours)) => {
            table.against("the HTTP library alone, one thread", theirs, ("raw request", base), "");
            table.against("one http hook, one thread", ours, ("raw request", base), reach);
        }
        None => table.skip("one http hook, one thread", "no runtime", reach),
    }
    let (theirs, ours) = in_a_task(&bed, library);
    let alone = theirs.median();
    table.against("the HTTP library alone, in a task", theirs, ("raw request", base), "");
    table.against("one http hook, in a task", ours.clone(), ("raw request", base), "");
    table.against("the same", ours, ("library alone, in a task", alone), "");
}

/// The library alone and a hook, each in turn with the raw client, on a runtime of one thread: no word crosses threads but
/// to the server and back.
fn on_one_thread(
    bed: &Bed,
    address: SocketAddr,
    mut raw: impl FnMut(),
) -> Option<(Sample, Sample)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let mut library = runtime.block_on(Library::connect(address, envelope()))?;
    let bed = Bed { runtime, engine: bed.engine.clone(), session: bed.session.clone() };
    let (_, ours) = Sample::pair(TIMES, &mut raw, || {
        drop(black_box(bed.fire()));
    });
    let (_, theirs) = Sample::pair(TIMES, &mut raw, || {
        black_box(bed.runtime.block_on(library.turn()));
    });
    Some((theirs, ours))
}

/// The library alone and a hook, in turn, by a task of the runtime.
fn in_a_task(bed: &Bed, mut library: Library) -> (Sample, Sample) {
    let (engine, session) = (bed.engine.clone(), bed.session.clone());
    let turns = bed.runtime.spawn(async move {
        let mut turns: Vec<(Duration, Duration)> = Vec::new();
        for _ in 0..TIMES {
            let began = Instant::now();
            black_box(library.turn().await);
            let alone = began.elapsed();
            let began = Instant::now();
            drop(black_box(engine.fire(event(), &session).await));
            turns.push((alone, began.elapsed()));
        }
        turns
    });
    let (theirs, ours) = bed.runtime.block_on(turns).unwrap_or_default().into_iter().unzip();
    (Sample::from_durations(theirs), Sample::from_durations(ours))
}

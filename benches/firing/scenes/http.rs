//! A request over a connection that is open already, against the same request by hand to the same server.

use std::hint::black_box;

use super::{Bed, envelope, hook};
use crate::baseline::http::{Client, serve};
use crate::sample::{Sample, Table};

const TIMES: usize = 3_000;

/// One `http` hook in turn with the raw client.
pub(crate) fn http(table: &mut Table) {
    let (name, reach) = ("one http hook, kept alive", "1.5x");
    let client = serve().and_then(|at| Ok((at, Client::connect(at, &envelope())?)));
    let (address, mut client) = match client {
        Ok(client) => client,
        Err(error) => return table.skip(name, &format!("no loopback: {error}"), reach),
    };
    let mut turn = || {
        black_box(client.turn().map(<[u8]>::len).ok());
    };
    match Bed::written([hook(0, &format!("http = \"http://{address}/\""))]).ready() {
        Ok(bed) => {
            let (raw, ours) = Sample::pair(TIMES, turn, || {
                black_box(bed.fire());
            });
            let median = raw.median();
            table.add("raw request over one connection", raw, "");
            table.against(name, ours, ("raw request", median), reach);
        }
        Err(why) => {
            table.add("raw request over one connection", Sample::of(TIMES, &mut turn), "");
            table.skip(name, &why, reach);
        }
    }
}

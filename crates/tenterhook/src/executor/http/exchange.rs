//! One request and its reply: sends, sends again if nothing was sent, reads up to the cap. Sets no
//! timeout.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use hyper::Response;
use hyper::body::{Body, Incoming};

use super::connect::open_connection;
use super::connection::{Connection, Post, Unanswered};
use super::destination::Destination;
use super::failure::{Failure, Kind};
use super::network::Network;
use super::order::{self, Order};
use super::reply::Head;
use crate::executor::Task;
use tenterhook_core::hook::{Http, Wait};

/// How much of a body is read: as much as a command may print.
const CAP: usize = 1 << 20;

/// The pause before the second attempt to reach a server: it may be starting.
const PAUSE: Duration = Duration::from_millis(50);

/// Posts the envelope. Writes the received body to `bytes`, even if the exchange fails, because a
/// denial in it must not be lost (HT-53). An empty body means that the server has nothing to
/// report.
pub(super) async fn post_envelope(
    task: &Task,
    http: &Http,
    bytes: &mut Vec<u8>,
) -> Result<(), Failure> {
    let to = task.ambient.network.origins().destination_of_url(&order::request_url(task, http)?)?;
    let Order { post, id, missing } = Order::new(task, http, &to)?;
    post_and_receive(task, &to, post, &id, bytes).await.map_err(|failure| match missing.first() {
        // A server may refuse because a header's variable was missing (HT-21).
        Some(missing) => failure.with_note(&format!("{missing}, and was sent empty")),
        None => failure,
    })
}

/// Sends the request when the server accepts one, reads the reply into `bytes`, and keeps the
/// connection.
async fn post_and_receive(
    task: &Task,
    to: &Destination,
    post: Post,
    id: &str,
    bytes: &mut Vec<u8>,
) -> Result<(), Failure> {
    let network = &task.ambient.network;
    let attended = task.hook.wait == Wait::Attached;
    if !attended && let Some(left) = to.origin.remaining_pause() {
        return Err(server_pause_failure(left));
    }
    let _turn = to.origin.acquire_request_permit(attended).await;
    let (mut connection, response) = send_request(network, to, post).await?;
    let (head, body) = response.into_parts();
    let head = Head::new(head.status, head.headers);
    if let Some(time) = head.retry_pause() {
        to.origin.begin_requested_pause(time);
    }
    let received = connection.drive_while(receive_reply_body(body, &head, to, id, bytes)).await?;
    network.origins().keep_connection(to, connection);
    received
}

/// The failure of a background hook whose server asked for a pause.
fn server_pause_failure(left: Duration) -> Failure {
    let what = format!(
        "its server wants to be left alone for {} more seconds, so it was not asked in the background",
        left.as_secs() + 1
    );
    Failure::new(Kind::Limited, what)
}

/// Sends the request on an idle connection, or on a new one. A request that was never sent is tried
/// again (HT-40).
async fn send_request(
    network: &Network,
    to: &Destination,
    mut post: Post,
) -> Result<(Box<Connection>, Response<Incoming>), Failure> {
    let broken = |error| Failure::from_exchange_error(&error, &to.target.origin);
    loop {
        let kept = network.origins().take_idle_connection(to);
        let was_kept = kept.is_some();
        let mut connection = match kept {
            Some(kept) => kept,
            // Boxed: most requests find a kept connection, and should not reserve space for this
            // future.
            None => Box::pin(open_new_connection(network, to)).await?,
        };
        match connection.send(post).await {
            Ok(response) => return Ok((connection, response)),
            Err(Unanswered::Unsent(again, _)) if was_kept => post = *again,
            Err(Unanswered::Lost(error) | Unanswered::Unsent(_, error)) => {
                return Err(broken(error));
            }
        }
    }
}

async fn open_new_connection(
    network: &Network,
    to: &Destination,
) -> Result<Box<Connection>, Failure> {
    match open_connection(network, &to.target).await {
        Err(failure) if failure.was_not_sent() => {
            tokio::time::sleep(PAUSE).await;
            open_connection(network, &to.target).await
        }
        other => other,
    }
}

/// Reads the body if it can be an answer. The outer result tells whether the connection can be
/// reused.
async fn receive_reply_body(
    body: Incoming,
    head: &Head,
    to: &Destination,
    id: &str,
    bytes: &mut Vec<u8>,
) -> Result<Result<(), Failure>, Failure> {
    if let Some(failure) = head.unreadable_body_failure(id) {
        return Err(failure);
    }
    let refusal = head.status_failure();
    match refusal {
        None => {
            read_body(body, to, bytes).await?;
            Ok(head.non_json_failure(bytes).map_or(Ok(()), Err))
        }
        // A reply that is no answer fails as such, however its body ends.
        Some(refusal) => {
            let read = read_body(body, to, bytes).await;
            if head.body_repeats_status(bytes) {
                bytes.clear();
            }
            match read {
                Ok(()) => Ok(Err(refusal)),
                Err(_) => Err(refusal),
            }
        }
    }
}

async fn read_body(
    mut body: Incoming,
    to: &Destination,
    bytes: &mut Vec<u8>,
) -> Result<(), Failure> {
    let too_large = || {
        let what = format!("the reply is longer than {} KiB", CAP >> 10);
        Failure::new(Kind::TooLarge, what)
    };
    if body.size_hint().lower() > CAP as u64 {
        return Err(too_large());
    }
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame =
            frame.map_err(|error| Failure::from_exchange_error(&error, &to.target.origin))?;
        // Frames that are no data are trailers after chunks: headers without meaning here.
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > CAP {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(())
}

//! One request and its reply: sends, sends once more where nothing left, reads up to the cap. Has no clock of its own.

use std::time::Duration;

use reqwest::{Client, Response};

use super::failure::{Failure, Kind};
use super::order::Order;
use super::reply::Head;
use crate::executor::Task;
use crate::hook::Http;

/// How much of a body is read: what a command may print.
const CAP: usize = 1 << 20;

/// How long a server that could not be reached is left alone before the second attempt: it may be starting.
const PAUSE: Duration = Duration::from_millis(50);

/// The body of the answer; empty where the server has nothing to say.
pub(super) async fn exchange(task: &Task, http: &Http) -> Result<Vec<u8>, Failure> {
    let order = Order::new(task, http)?;
    let client = task.ambient.network.client(order.target.secure);
    let client = client.map_err(|why| {
        Failure::new(Kind::Client, format!("no request can be sent from this machine: {why}"))
    })?;
    let response = match send(client, &order).await {
        Err(failure) if failure.never_left() => {
            tokio::time::sleep(PAUSE).await;
            send(client, &order).await?
        }
        other => other?,
    };
    receive(response, &order).await
}

async fn send(client: &Client, order: &Order) -> Result<Response, Failure> {
    let lost = || Failure::new(Kind::Client, "the request cannot be sent twice");
    let request = order.request.try_clone().ok_or_else(lost)?;
    let sent = client.execute(request).await;
    sent.map_err(|error| Failure::of(&error, &order.target.origin))
}

async fn receive(response: Response, order: &Order) -> Result<Vec<u8>, Failure> {
    let head = Head::new(response.status().as_u16(), response.headers());
    if let Some(failure) = head.unreadable(&order.id) {
        return Err(failure);
    }
    let Some(refusal) = head.refusal() else { return head.answer(read(response, order).await?) };
    if !head.may_object() {
        return Err(refusal);
    }
    let said = read(response, order).await.unwrap_or_else(|failure| failure.end().1);
    Err(refusal.saying(said))
}

async fn read(mut response: Response, order: &Order) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        let what = format!("the reply is longer than {} KiB", CAP >> 10);
        Failure::new(Kind::TooLarge, what)
    };
    if response.content_length().is_some_and(|it| it > CAP as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body),
            Ok(Some(chunk)) if body.len() + chunk.len() > CAP => {
                return Err(too_large().saying(body));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(error) => return Err(Failure::of(&error, &order.target.origin).saying(body)),
        }
    }
}

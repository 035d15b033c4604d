//! Looks a server's name up once and returns only public addresses.
//!
//! A connection uses the returned addresses: no second look-up happens after the check, so a name
//! that leads elsewhere a moment later gains nothing (HT-12).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};
use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};

use tenterhook_core::request::address;

/// Looks a name up.
pub(super) type LookUp = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// How many look-ups may be under way. A look-up cannot be stopped, only abandoned until the system
/// gives it up.
const AT_ONCE: usize = 32;

/// The resolver of all connections.
#[derive(Clone)]
pub(in crate::executor) struct Resolver {
    look_up: Arc<LookUp>,
    under_way: Arc<Semaphore>,
}

/// The name leads to no allowed address.
#[derive(Debug, thiserror::Error)]
#[error("the name leads to {0}")]
pub(super) struct Refused(&'static str);

/// The name could not be looked up.
#[derive(Debug, thiserror::Error)]
#[error("the name cannot be looked up: {0}")]
pub(super) struct NotFound(io::Error);

impl Default for Resolver {
    fn default() -> Self {
        Self::new(Arc::new(system_lookup))
    }
}

impl Resolver {
    pub(super) fn new(look_up: Arc<LookUp>) -> Self {
        Self { look_up, under_way: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// The allowed addresses of `host`, a name in lower case.
    ///
    /// # Errors
    ///
    /// [`NotFound`], [`Refused`] or the system's error, as the inner error of an `io::Error`.
    pub(in crate::executor) async fn allowed_addresses(
        &self,
        host: &str,
    ) -> io::Result<Vec<IpAddr>> {
        if address::host_is_this_machine(host) {
            return Ok(localhost_addresses());
        }
        keep_public_addresses(self.all_addresses(host).await?).map_err(io::Error::other)
    }

    /// All addresses of `host`, allowed or not.
    ///
    /// # Errors
    ///
    /// [`NotFound`] or the system's error, as the inner error of an `io::Error`.
    pub(in crate::executor) async fn all_addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let (look_up, host) = (Arc::clone(&self.look_up), host.to_owned());
        let turn = Arc::clone(&self.under_way).acquire_owned().await.map_err(io::Error::other)?;
        let (sender, answer) = oneshot::channel();
        // On a separate thread, not one of the runtime's: a runtime waits for its threads when it
        // ends.
        std::thread::Builder::new().name("tenterhook-name".to_owned()).spawn(move || {
            let _turn = turn;
            // The step may be over meanwhile.
            let _ = sender.send(look_up(&host));
        })?;
        let found = answer.await.map_err(io::Error::other)?;
        found.map_err(|error| io::Error::other(NotFound(error)))
    }
}

/// Returns the addresses of `localhost` without a look-up, because a resolver could return a
/// different address.
fn localhost_addresses() -> Vec<IpAddr> {
    vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
}

/// Returns the public addresses of `found`. Fails if no address is public.
fn keep_public_addresses(found: Vec<IpAddr>) -> Result<Vec<IpAddr>, Refused> {
    let mut refused = None;
    let public = found.into_iter().filter(|address| {
        let why = address::address_refusal_reason(*address);
        refused = refused.or(why);
        why.is_none()
    });
    let public: Vec<_> = public.collect();
    if public.is_empty() { Err(Refused(refused.unwrap_or("no address"))) } else { Ok(public) }
}

fn system_lookup(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-12
    #[test]
    fn only_public_addresses_are_handed_on() {
        let found =
            |text: &str| text.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<_>>();
        let public =
            keep_public_addresses(found("10.0.0.1 8.8.8.8 ::1 2606:4700::1 ::ffff:127.0.0.1"))
                .unwrap();
        assert_eq!(public, found("8.8.8.8 2606:4700::1"));
        let refused = keep_public_addresses(found("169.254.169.254 10.0.0.1")).unwrap_err();
        assert_eq!(refused.to_string(), "the name leads to a link-local address");
        assert_eq!(
            keep_public_addresses(Vec::new()).unwrap_err().to_string(),
            "the name leads to no address"
        );
    }
}

//! Computes the signatures of requests as Standard Webhooks 1.0 specifies, so that a server can verify that they are
//! ours. Sends nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The prefix of Standard Webhooks secrets.
const PREFIX: &str = "whsec_";

/// Returns the value of `webhook-signature`: one signature for each of the space-separated secrets
/// in `secrets`, so that a server can change from one to the next. `None` if a secret cannot be
/// read.
pub(super) fn webhook_signatures(
    secrets: &str,
    id: &str,
    timestamp: u64,
    body: &[u8],
) -> Option<String> {
    let sign_one = |secret: &str| {
        let key = STANDARD.decode(secret.strip_prefix(PREFIX).unwrap_or(secret)).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok().filter(|_| !key.is_empty())?;
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    };
    let signatures: Option<Vec<_>> = secrets.split_whitespace().map(sign_one).collect();
    signatures.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    /// The published test vector of the specification's own libraries.
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    /// HT-30
    #[test]
    fn published_vector_is_reproduced() {
        assert_eq!(webhook_signatures(SECRET, ID, 1_614_265_330, BODY).as_deref(), Some(SIGNATURE));
        let bare = SECRET.strip_prefix(PREFIX).unwrap();
        assert_eq!(webhook_signatures(bare, ID, 1_614_265_330, BODY).as_deref(), Some(SIGNATURE));
        let both =
            webhook_signatures(&format!("{SECRET} whsec_AAAA"), ID, 1_614_265_330, BODY).unwrap();
        assert!(both.starts_with(&format!("{SIGNATURE} v1,")), "{both}");
    }

    /// HT-31
    #[test]
    fn a_secret_that_cannot_be_read_signs_nothing() {
        for secret in ["", " ", "whsec_", "whsec_!", "plain words"] {
            assert_eq!(webhook_signatures(secret, ID, 0, BODY), None, "{secret:?}");
        }
    }
}

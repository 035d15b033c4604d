//! Ed25519 keys as text: `ed25519:` and Base64. Pure; does not decide where secrets come from or
//! where they are stored.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

/// What a public key begins with.
const PUBLIC: &str = "ed25519:";
/// Prefix of a secret key, so that scanners find it and it cannot be pinned by mistake.
const SECRET: &str = "tenterhook-secret-ed25519:";

/// A key that signatures are held to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// A key that signs.
pub struct SecretKey(SigningKey);

impl PublicKey {
    /// Parses what [`Display`](fmt::Display) writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 32] = decode_base64(text.strip_prefix(PUBLIC)?)?;
        VerifyingKey::from_bytes(&bytes).ok().map(Self)
    }

    /// Returns whether this key signed `bytes`. The check is strict, so that each meaning has only
    /// one signature.
    pub(super) fn verifies(&self, bytes: &[u8], signature: &str) -> bool {
        let Some(signature) = decode_base64::<64>(signature) else { return false };
        self.0.verify_strict(bytes, &Signature::from_bytes(&signature)).is_ok()
    }
}

impl SecretKey {
    /// Creates the key from 32 random bytes.
    #[must_use]
    pub fn new(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Parses what [`to_text`](Self::to_text) writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 32] = decode_base64(text.trim().strip_prefix(SECRET)?)?;
        Some(Self::new(&bytes))
    }

    /// Returns the text of the key file.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{SECRET}{}\n", BASE64_STANDARD.encode(self.0.to_bytes()))
    }

    /// Returns the public key, which people pin.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> String {
        BASE64_STANDARD.encode(self.0.sign(bytes).to_bytes())
    }
}

fn decode_base64<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    BASE64_STANDARD.decode(text).ok()?.try_into().ok()
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", BASE64_STANDARD.encode(self.0.to_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Shows the public key only.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.public_key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-50: a key is read as it is written, and a secret one is no public one.
    #[test]
    fn a_key_is_read_as_it_is_written() {
        let secret = SecretKey::new(&[7; 32]);
        let public = secret.public_key().to_string();
        assert_eq!(PublicKey::parse(&public).map(|key| key.to_string()), Some(public.clone()));
        let again = SecretKey::parse(&secret.to_text()).expect("a key");
        assert_eq!(again.public_key(), secret.public_key());
        let long = format!("{public}A");
        for text in ["", "ed25519:", &*public.replace("ed25519:", ""), &*long, &*secret.to_text()] {
            assert_eq!(PublicKey::parse(text), None, "{text}");
        }
        assert!(SecretKey::parse(&public).is_none());
        assert!(!format!("{secret:?}").contains(secret.to_text().trim()));
    }

    /// T-51: another byte, another key or another signature, and it was not signed.
    #[test]
    fn what_was_not_signed_is_not_believed() {
        let (one, other) = (SecretKey::new(&[1; 32]), SecretKey::new(&[2; 32]));
        let signature = one.sign(b"these bytes");
        assert!(one.public_key().verifies(b"these bytes", &signature));
        assert!(!one.public_key().verifies(b"those bytes", &signature));
        assert!(!other.public_key().verifies(b"these bytes", &signature));
        for wrong in ["", "AAAA", &other.sign(b"these bytes"), &signature.replace('=', "")] {
            assert!(!one.public_key().verifies(b"these bytes", wrong), "{wrong}");
        }
    }
}

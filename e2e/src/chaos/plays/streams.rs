//! What must be so of streams that somebody else holds.

use super::super::judge::{self, Seen};
use super::super::row::{Hook, Required};
use super::super::scene::Scene;

/// Row 18: a child holds standard output under another number. No fault reports it so far.
pub(in crate::chaos) fn held_as_3(scene: &Scene) -> Result<Seen, String> {
    let hook = Hook::Fake(&["--hold-fd3-ms", "30000", "--stdout", "{deny}"]);
    let entry = scene.entry("row", &hook)?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let ended = scene.fire()?;
    let got = judge::answered(&ended, Required::Deny)?;
    let ms = ended.took.as_millis();
    // A tenth of a second is listened for more, on a machine that has other things to do.
    if ms > 10_000 {
        return Ok(Seen::Late(format!("{got} after {ms} ms")));
    }
    judge::gone(scene)?;
    judge::recorded(scene)?;
    Ok(Seen::Documented(format!("{got}; it is killed and not reported (R-4)")))
}

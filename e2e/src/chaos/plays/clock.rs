//! A clock that is set back while a hook runs. A play must not set the clock of the machine, so the engine sees a replaced one.

use std::process::Command;
use std::time::Instant;

use super::super::judge::{self, Seen};
use super::super::row::{Hook, Required};
use super::super::scene::Scene;

/// Goes back an hour when half a second is over.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>
#include <stdio.h>
#include <stdlib.h>
typedef int real(clockid_t, struct timespec *);
static struct timespec begun;
static long hour(real *ask) {
    struct timespec now;
    ask(CLOCK_MONOTONIC, &now);
    if (!begun.tv_sec) begun = now;
    long ms = (now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000;
    return ms < 500 ? 0 : 3600;
}
int clock_gettime(clockid_t which, struct timespec *it) {
    real *ask = (real *)dlsym(RTLD_NEXT, "clock_gettime");
    int done = ask(which, it);
    if (which == CLOCK_REALTIME) {
        long back = hour(ask);
        it->tv_sec -= back;
        const char *mark = getenv("CHAOS_STEPPED");
        if (back && mark) { FILE *file = fopen(mark, "w"); if (file) fclose(file); }
    }
    return done;
}
__attribute__((constructor)) static void begin(void) { hour((real *)dlsym(RTLD_NEXT, "clock_gettime")); }
"#;

pub(in crate::chaos) fn steps_back(scene: &Scene) -> Result<Seen, String> {
    let source = scene.write("clock.c", CLOCK).map_err(|error| error.to_string())?;
    let library = scene.path("clock.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .output();
    if !built.is_ok_and(|output| output.status.success()) {
        let why =
            "a play must not set the machine's clock, and there is no `cc` to build a replacement";
        return Ok(Seen::NotHere(why.to_owned()));
    }
    let entry = scene.entry("row", &Hook::Fake(&["--sleep-ms", "30000"]))?;
    scene.write("tenterhook.toml", entry).map_err(|error| error.to_string())?;
    let began = Instant::now();
    let line = format!(
        "export LD_PRELOAD={} CHAOS_STEPPED={{tmp}}/stepped; exec {}",
        library.display(),
        scene.fire_line()
    );
    let ended = scene.run(&scene.fill(&line), "/dev/null", scene.row.limits)?;
    let got = judge::answered(&ended, Required::Policy(&["timed-out"]))?;
    let ms = began.elapsed().as_millis();
    if !scene.path("tmp/stepped").exists() {
        return Err("the engine never saw the other clock".to_owned());
    }
    judge::recorded(scene)?;
    Ok(match ms {
        0..1_400 => return Err(format!("settled after {ms} ms of 1500")),
        1_400..10_000 => Seen::Holds(format!("{got}, by a clock that is preloaded")),
        _ => Seen::Late(format!("settled after {ms} ms of 1500")),
    })
}

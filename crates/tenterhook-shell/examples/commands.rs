//! Prints what the lines of standard input would run: `echo LINE | cargo run -p tenterhook-shell --example commands`.
#![expect(clippy::print_stdout, reason = "an example for people to run")]

use std::io::{self, BufRead as _};

use tenterhook_shell::{Parsed, parse_line};

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = parse_line(&line?);
        for command in &line.commands {
            print!("{}", command.source());
            for via in command.via.iter() {
                print!("  [{via}]");
            }
            println!();
        }
        if let Parsed::Doubtful(why) = &line.parsed {
            println!("and perhaps more: {why}");
        }
    }
    Ok(())
}

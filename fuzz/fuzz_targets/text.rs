//! Whatever a hook prints, what is shown of it drives no terminal: a terminal's own parser finds nothing in it but characters, tabs and
//! ends of lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook_core::text::{clean, label};
use vte::{Params, Parser, Perform};

/// Hears what a terminal would do.
struct Terminal;

impl Perform for Terminal {
    fn print(&mut self, character: char) {
        assert!(!character.is_control(), "{character:?} is printed");
    }

    fn execute(&mut self, byte: u8) {
        assert!(matches!(byte, b'\n' | b'\t'), "{byte:#04x} is executed");
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        panic!("a device is driven: {action:?}");
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        panic!("the text sends an operating system command to the terminal");
    }

    fn csi_dispatch(&mut self, _: &Params, _: &[u8], _: bool, action: char) {
        panic!("a sequence is obeyed: {action:?}");
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, byte: u8) {
        panic!("an escape is obeyed: {byte:#04x}");
    }
}

fuzz_target!(|input: (&str, u16)| {
    let (text, cap) = input;
    let shown = clean(text, cap.into()).text;
    Parser::new().advance(&mut Terminal, shown.as_bytes());
    assert_eq!(clean(&shown, usize::MAX).text, shown, "what is clean stays as it is");
    Parser::new().advance(&mut Terminal, label("h", &shown).as_bytes());
});

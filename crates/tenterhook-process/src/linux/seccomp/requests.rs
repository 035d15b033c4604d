//! Which requests (`ioctl`) to file systems is a confined child refused? Tables, and the steps of the filter that read them.

use super::{
    Filter, GREATER_OR_EQUAL, REFUSE, add_branch_for_call, and_instruction, jump_instruction,
    load_instruction, lower_argument_offset, return_instruction, skip_if_equal,
};

/// The letters of requests to file systems, which are made through any descriptor of a file, one to read, too: keys that open and shut it,
/// snapshots that make directories where nothing may be made. Covers btrfs, f2fs, XFS, OCFS2, Ceph, CIFS, FAT, NILFS and bcachefs.
const OF_FILE_SYSTEMS: &[u32] = &[0x66, 0x94, 0xf5, 0x58, 0x6f, 0x97, 0xcf, 0x72, 0x6e, 0xbc];

/// Those of them that ask, or copy to a file that is open to be written.
const HARMLESS: &[u32] = &[
    // FS_IOC_GETFLAGS, of 32 bits, too; FS_IOC_FIEMAP; FS_IOC_FSGETXATTR; FS_IOC_GETFSLABEL.
    0x8008_6601,
    0x8004_6601,
    0xc020_660b,
    0x801c_581f,
    0x8100_9431,
    // FICLONE, FICLONERANGE, FIDEDUPERANGE.
    0x4004_9409,
    0x4020_940d,
    0xc018_9436,
];

/// Those that set attributes: flags that make a file immutable, and their like (FS_IOC_SETFLAGS, of 32 bits, too; FS_IOC_FSSETXATTR), and what
/// protects it from any later write (FS_IOC_ENABLE_VERITY).
const OF_ATTRIBUTES: &[u32] = &[0x4008_6602, 0x4004_6602, 0x401c_5820, 0x4080_6685];

/// FS_IOC_SETVERSION, whose letter nothing else of them has.
pub(super) const SETVERSION: [u32; 2] = [0x4008_7602, 0x4004_7602];

/// Denies `ioctl` requests to file systems, except those that change nothing, or attributes where
/// these may be changed.
pub(super) fn deny_file_system_requests(filter: &mut Filter, attributes: bool) {
    let of_attributes = if attributes { OF_ATTRIBUTES } else { &[] };
    let allowed: Vec<u32> = HARMLESS.iter().chain(of_attributes).copied().collect();
    let letters = OF_FILE_SYSTEMS.len();
    let steps = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
    let mut then = vec![load_instruction(lower_argument_offset(1))];
    // Over the other numbers, the letters with what takes them out of the number, and the two last steps.
    let over = allowed.len() + letters + 2;
    then.extend(allowed.iter().enumerate().map(|(at, n)| skip_if_equal(*n, steps(over - at))));
    then.push(and_instruction(0xff00));
    then.extend(
        OF_FILE_SYSTEMS
            .iter()
            .enumerate()
            .map(|(at, file_system)| skip_if_equal(file_system << 8, steps(letters - at))),
    );
    then.extend([jump_instruction(GREATER_OR_EQUAL, 0, 1, 1), return_instruction(REFUSE)]);
    add_branch_for_call(filter, libc::SYS_ioctl, &then);
}

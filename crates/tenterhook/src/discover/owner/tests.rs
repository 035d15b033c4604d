//! Whether each place on the way to a managed file is judged: by tables of owners and modes, and by files of a scratch directory.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use super::*;

const FILE: &str = "/etc/tenterhook/tenterhook.toml";

/// A file system of root's, in which no other user may write.
fn tree() -> BTreeMap<PathBuf, Stat> {
    let directory = |mode| Stat {
        owner: 0,
        user: 0,
        group: 0,
        mode,
        is_directory: true,
        link: None,
        has_list: false,
    };
    let file = Stat { is_directory: false, ..directory(0o644) };
    let link = |target: &str| Stat { link: Some(target.into()), mode: 0o777, ..file.clone() };
    let all = [
        ("/", directory(0o755)),
        ("/etc", directory(0o755)),
        ("/etc/tenterhook", directory(0o755)),
        (FILE, file.clone()),
        ("/etc/linked.toml", link("store/real.toml")),
        ("/etc/store", link("/nix/store")),
        ("/nix", directory(0o755)),
        ("/nix/store", directory(0o1775)),
        ("/nix/store/real.toml", file.clone()),
        ("/etc/loop", link("loop")),
        ("/etc/up.toml", link("../etc/./tenterhook/tenterhook.toml")),
    ];
    all.into_iter().map(|(path, stat)| (path.into(), stat)).collect()
}

fn writer(path: &str, owners: &[u32], tree: &BTreeMap<PathBuf, Stat>) -> Option<(String, Writer)> {
    let look = |path: &Path| {
        tree.get(path).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    };
    let found = find_other_writer(Path::new(path), owners, &look);
    found.map(|(place, writer)| (place.display().to_string(), writer))
}

/// C-89.
#[test]
fn each_place_that_others_may_write_exposes_the_file() {
    type Change = fn(&mut Stat);
    let others: &[(Change, Writer)] = &[
        (|stat| stat.owner = 1000, Writer::Owner(1000)),
        (|stat| stat.owner = 65_534, Writer::Owner(65_534)),
        (|stat| stat.mode |= 0o002, Writer::Everybody),
        (|stat| (stat.mode, stat.group) = (0o664, 27), Writer::Group(27)),
        (|stat| (stat.mode, stat.has_list) = (0o664, true), Writer::List),
    ];
    for place in ["/", "/etc", "/etc/tenterhook", FILE] {
        for (change, expected) in others {
            let mut tree = tree();
            tree.entry(place.into()).and_modify(*change);
            assert_eq!(writer(FILE, &[0], &tree), Some((place.to_owned(), *expected)), "{place}");
        }
    }
    for (place, owner) in [("/etc/linked.toml", 1000), ("/etc/store", 1000), ("/nix", 1000)] {
        let mut tree = tree();
        tree.entry(place.into()).and_modify(|stat| stat.owner = owner);
        let found = writer("/etc/linked.toml", &[0], &tree);
        assert_eq!(found, Some((place.to_owned(), Writer::Owner(owner))));
    }
}

/// C-89.
#[test]
fn a_file_that_only_root_may_write_is_managed() {
    let same: &[fn(&mut Stat)] = &[
        |_| (),
        // The group of root may write.
        |stat| stat.mode |= 0o020,
        // A list that grants only reading leaves the group's bit unset.
        |stat| stat.has_list = true,
    ];
    for change in same {
        let mut tree = tree();
        tree.entry(FILE.into()).and_modify(*change);
        tree.entry("/etc".into()).and_modify(*change);
        assert_eq!(writer(FILE, &[0], &tree), None);
    }
    // In a sticky directory others can neither remove nor rename what is root's.
    for path in ["/etc/linked.toml", "/etc/up.toml"] {
        assert_eq!(writer(path, &[0], &tree()), None, "{path}");
    }
    // Reading reports a file that is absent and a link that leads nowhere.
    for path in ["/etc/absent.toml", "/etc/loop"] {
        assert_eq!(writer(path, &[0], &tree()), None, "{path}");
    }
    let mut owned = tree();
    owned.values_mut().for_each(|stat| stat.owner = 1000);
    assert_eq!(writer(FILE, &[0, 1000], &owned), None);
    assert!(writer(FILE, &[0], &owned).is_some());
}

/// HO-19: where the system does not say who may write a file, no file is managed.
#[test]
fn file_whose_permissions_are_not_read_is_exposed() {
    let look = |_: &Path| Err(Unsupported.into());
    let found = find_other_writer(Path::new(FILE), &[0], &look);
    let (place, writer) = found.expect("it is exposed");
    assert_eq!((place.as_path(), writer), (Path::new("/"), Writer::Unknown));
    let (why, _) = writer.describe_fault_and_remedy(&place);
    assert!(why.starts_with("`/` is not used: Tenterhook does not read"), "{why}");
}

/// C-89: the same of real files, under any user.
#[test]
fn a_real_file_is_judged_by_its_owner_and_mode() {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("etc/tenterhook/tenterhook.toml");
    let above = path.parent().expect("a parent");
    fs::create_dir_all(above).expect("a directory");
    fs::write(&path, "").expect("a file");
    let me = room.path().metadata().expect("metadata").uid();
    let roots = |managed_owner| Roots { managed_owner, ..Roots::default() };
    let why = |path: &Path| {
        managed_file_flaw(path, Layer::Managed, &roots(Some(me))).map(|flaw| flaw.why)
    };
    assert_eq!(why(&path), None);
    let belongs = managed_file_flaw(&path, Layer::Managed, &roots(None)).is_some();
    assert_eq!(belongs, me != 0, "only root's files are managed where the host names no owner");
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
    };
    for (place, open, shut) in [(path.as_path(), 0o666, 0o644), (above, 0o777, 0o755)] {
        mode(place, open);
        assert_eq!(why(&path), Some(format!("everybody may write `{}`", place.display())));
        assert_eq!(managed_file_flaw(&path, Layer::User, &roots(None)), None, "only managed files");
        mode(place, shut);
        assert_eq!(why(&path), None);
    }
    let link = room.path().join("link.toml");
    symlink(&path, &link).expect("a link");
    assert_eq!(why(&link), None);
    mode(above, 0o777);
    assert_eq!(why(&link), Some(format!("everybody may write `{}`", above.display())));
}

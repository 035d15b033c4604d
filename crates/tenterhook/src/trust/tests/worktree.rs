//! Approval in the checkouts of one repository (T-90, T-91).

use super::*;

/// Makes the project the main checkout of a repository.
fn main_checkout(room: &Room) -> PathBuf {
    let common = room.project().join(".git");
    fs::create_dir_all(common.join("worktrees")).expect("a repository");
    fs::write(common.join("HEAD"), "ref: refs/heads/main\n").expect("a head");
    common
}

/// A checkout at `name` with the files of the project, as `git worktree add` makes one; `back` is where the repository says it lies.
fn linked(room: &Room, name: &str, back: &str) -> PathBuf {
    linked_by(room, &room.project().join(".git"), name, back)
}

/// The same of the repository in `common`.
fn linked_to(room: &Room, common: &Path, name: &str) -> PathBuf {
    linked_by(room, common, name, name)
}

fn linked_by(room: &Room, common: &Path, name: &str, back: &str) -> PathBuf {
    let root = room.root.path();
    let (checkout, own) = (root.join(name), common.join("worktrees").join(name));
    fs::create_dir_all(&own).expect("a directory of a worktree");
    fs::write(own.join("commondir"), "../..\n").expect("a file");
    let back = root.join(back).join(".git");
    fs::write(own.join("gitdir"), format!("{}\n", back.display())).expect("a file");
    fs::create_dir_all(&checkout).expect("a checkout");
    fs::write(checkout.join(".git"), format!("gitdir: {}\n", own.display())).expect("a file");
    for file in [".claude/settings.json", ".claude/hooks/gate.sh", ".claude/hooks/lib/words.sh"] {
        copy(&room.project().join(file), &checkout.join(file));
    }
    checkout
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
    fs::copy(from, to).expect("a copy");
}

/// The settings of a checkout.
fn settings(room: &Room, checkout: &Path) -> Source {
    let directory = checkout.join(".claude");
    let path = directory.join("settings.json");
    let text = fs::read_to_string(&path).expect("settings");
    let source = Source::given(path.to_str().expect("text"), DialectId::CLAUDE, &text, directory);
    Source { layer: Layer::Project, project: checkout.to_owned(), home: room.home(), ..source }
}

fn states(room: &Room, checkout: &Path) -> (State, Vec<State>) {
    let review = room.trust().review(&settings(room, checkout));
    (review.state, review.entries.iter().map(|entry| entry.state).collect())
}

/// T-90.
#[tokio::test]
async fn same_bytes_in_another_worktree_are_approved_and_others_hold() {
    let room = Room::new();
    main_checkout(&room);
    let checkout = linked(&room, "feature", "feature");
    assert_eq!(states(&room, &checkout), (State::Unknown, vec![State::Unknown]));
    room.approve();
    assert_eq!(states(&room, &checkout), (State::Approved, vec![State::Approved]));
    let within = Surroundings {
        project: checkout.clone(),
        home: room.home(),
        ..Surroundings::at(checkout.clone())
    };
    let (engine, diagnostics) = room.engine_of([settings(&room, &checkout)]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let event = Event::pre_tool_use("Bash", json!({"command": "ls"})).within(&within);
    let outcome = engine.fire(event, &Session::default()).await;
    assert_eq!(outcome.restraint, Restraint::Deny, "{outcome:?}");
    // The gate's program is changed here, and unchanged there.
    fs::write(checkout.join(".claude/hooks/lib/words.sh"), "exit 0\n").expect("a file");
    assert_eq!(states(&room, &checkout), (State::Changed, vec![State::Changed]));
    assert_eq!(room.states(), [State::Approved]);
}

/// T-90: what is approved in a worktree is approved in the main checkout, and is taken back everywhere.
#[test]
fn approval_in_a_worktree_counts_in_the_main_checkout() {
    let room = Room::new();
    main_checkout(&room);
    let checkout = linked(&room, "feature", "feature");
    let trust = room.trust();
    trust.approve(&trust.review(&settings(&room, &checkout))).expect("an approval");
    assert_eq!(room.states(), [State::Approved]);
    assert!(trust.forget(&trust.review(&room.settings())).expect("no error"));
    assert_eq!(states(&room, &checkout), (State::Unknown, vec![State::Unknown]));
    // A no is about exactly these bytes, here as there.
    trust.refuse(&trust.review(&room.settings())).expect("a no");
    assert_eq!(states(&room, &checkout), (State::Refused, vec![State::Refused]));
    fs::write(checkout.join(".claude/hooks/lib/words.sh"), "exit 0\n").expect("a file");
    assert_eq!(states(&room, &checkout), (State::Unknown, vec![State::Unknown]));
}

/// T-91: a `.git` that claims another repository inherits nothing from it.
#[test]
fn git_file_that_only_claims_a_repository_inherits_nothing() {
    let room = Room::new();
    let common = main_checkout(&room);
    room.approve();
    let unknown = (State::Unknown, vec![State::Unknown]);
    // The repository knows of a worktree elsewhere.
    let stranger = linked(&room, "stranger", "elsewhere");
    assert_eq!(states(&room, &stranger), unknown);
    // The repository knows no such worktree.
    fs::remove_dir_all(common.join("worktrees/stranger")).expect("no worktree");
    assert_eq!(states(&room, &stranger), unknown);
    // The whole repository, and a directory that it made itself and that leads there.
    for text in [common.clone(), stranger.join("fake")] {
        let fake = stranger.join("fake");
        fs::create_dir_all(&fake).expect("a directory");
        fs::write(fake.join("commondir"), common.to_str().expect("text")).expect("a file");
        fs::write(fake.join("gitdir"), stranger.join(".git").to_str().expect("text"))
            .expect("a file");
        fs::write(stranger.join(".git"), format!("gitdir: {}\n", text.display())).expect("a file");
        assert_eq!(states(&room, &stranger), unknown, "{}", text.display());
    }
    // A repository of the stranger's that claims the approved project as a worktree.
    fs::remove_file(stranger.join(".git")).expect("no file");
    let claimed = stranger.join(".git/worktrees/x");
    fs::create_dir_all(&claimed).expect("a directory");
    fs::write(claimed.join("gitdir"), room.project().join(".git").to_str().expect("text"))
        .expect("a file");
    assert_eq!(states(&room, &stranger), unknown);
}

/// T-91: a submodule is a separate repository.
#[test]
fn submodule_inherits_nothing_from_the_repository_around_it() {
    let room = Room::new();
    let common = main_checkout(&room);
    room.approve();
    let submodule = linked(&room, "sub", "sub");
    let own = common.join("modules/sub");
    fs::create_dir_all(&own).expect("a directory");
    fs::write(submodule.join(".git"), format!("gitdir: {}\n", own.display())).expect("a file");
    assert_eq!(states(&room, &submodule), (State::Unknown, vec![State::Unknown]));
}

/// T-91: the worktrees of a submodule belong to the checkout that the submodule's repository names.
#[test]
fn approval_in_a_submodule_counts_in_its_worktrees() {
    let room = Room::new();
    let common = room.root.path().join("above/.git/modules/sub");
    fs::create_dir_all(&common).expect("a repository");
    let claim = |checkout: &Path| {
        fs::write(checkout.join(".git"), format!("gitdir: {}\n", common.display()))
            .expect("a file");
    };
    claim(&room.project());
    let configure = |checkout: &Path| {
        let text = format!("[core]\n\tbare = false\n\tworktree = {}\n", checkout.display());
        fs::write(common.join("config"), text).expect("a file");
    };
    configure(&room.project());
    let checkout = linked_to(&room, &common, "feature");
    room.approve();
    assert_eq!(states(&room, &checkout), (State::Approved, vec![State::Approved]));
    // Another directory that claims the same repository.
    let stranger = linked_to(&room, &common, "stranger");
    claim(&stranger);
    assert_eq!(states(&room, &stranger), (State::Unknown, vec![State::Unknown]));
    // The repository names another main checkout.
    configure(&stranger);
    assert_eq!(states(&room, &checkout), (State::Unknown, vec![State::Unknown]));
}

/// T-106: git does not say where the main checkout lies of a repository that was made apart.
#[test]
fn main_checkout_of_a_repository_apart_gives_its_approval_to_worktrees() {
    let room = Room::new();
    let common = room.root.path().join("apart");
    fs::create_dir_all(&common).expect("a repository");
    fs::write(common.join("config"), "[core]\n\tbare = false\n").expect("a file");
    let git = room.project().join(".git");
    fs::write(&git, format!("gitdir: {}\n", common.display())).expect("a file");
    let checkout = linked_to(&room, &common, "feature");
    let trust = room.trust();
    // Any directory may claim the repository, and gets nothing by that.
    trust.approve(&trust.review(&settings(&room, &checkout))).expect("an approval");
    assert_eq!(room.states(), [State::Unknown]);
    assert!(trust.forget(&trust.review(&settings(&room, &checkout))).expect("no error"));
    room.approve();
    assert_eq!(states(&room, &checkout), (State::Approved, vec![State::Approved]));
    fs::write(checkout.join(".claude/hooks/lib/words.sh"), "exit 0\n").expect("a file");
    assert_eq!(states(&room, &checkout), (State::Changed, vec![State::Changed]));
    assert!(trust.forget(&trust.review(&settings(&room, &checkout))).expect("no error"));
    assert_eq!(room.states(), [State::Unknown]);
}

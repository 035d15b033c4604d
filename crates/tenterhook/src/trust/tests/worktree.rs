//! Approval in the checkouts of one repository (T-90, T-91).

use super::*;

/// Makes the project the main checkout of a repository.
fn main_checkout(fixture: &Fixture) -> PathBuf {
    let common = fixture.project().join(".git");
    fs::create_dir_all(common.join("worktrees")).expect("a repository");
    fs::write(common.join("HEAD"), "ref: refs/heads/main\n").expect("a head");
    common
}

/// A checkout at `name` with the files of the project, as `git worktree add` makes one; `back` is
/// where the repository says it lies.
fn linked(fixture: &Fixture, name: &str, back: &str) -> PathBuf {
    linked_by(fixture, &fixture.project().join(".git"), name, back)
}

/// The same of the repository in `common`.
fn linked_to(fixture: &Fixture, common: &Path, name: &str) -> PathBuf {
    linked_by(fixture, common, name, name)
}

fn linked_by(fixture: &Fixture, common: &Path, name: &str, back: &str) -> PathBuf {
    let root = fixture.root.path();
    let (checkout, own) = (root.join(name), common.join("worktrees").join(name));
    fs::create_dir_all(&own).expect("a directory of a worktree");
    fs::write(own.join("commondir"), "../..\n").expect("a file");
    let back = root.join(back).join(".git");
    fs::write(own.join("gitdir"), format!("{}\n", back.display())).expect("a file");
    fs::create_dir_all(&checkout).expect("a checkout");
    fs::write(checkout.join(".git"), format!("gitdir: {}\n", own.display())).expect("a file");
    for file in [".claude/settings.json", ".claude/hooks/gate.sh", ".claude/hooks/lib/words.sh"] {
        copy(&fixture.project().join(file), &checkout.join(file));
    }
    checkout
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a directory")).expect("a directory");
    fs::copy(from, to).expect("a copy");
}

/// The settings of a checkout.
fn settings(fixture: &Fixture, checkout: &Path) -> Source {
    let directory = checkout.join(".claude");
    let path = directory.join("settings.json");
    let text = fs::read_to_string(&path).expect("settings");
    let source =
        Source::from_text(path.to_str().expect("text"), DialectId::CLAUDE, &text, directory);
    Source { layer: Layer::Project, project: checkout.to_owned(), home: fixture.home(), ..source }
}

fn states(fixture: &Fixture, checkout: &Path) -> (State, Vec<State>) {
    let review = fixture.trust().review(&settings(fixture, checkout));
    (review.state, review.entries.iter().map(|entry| entry.state).collect())
}

/// T-90.
#[tokio::test]
async fn same_bytes_in_another_worktree_are_approved_and_others_hold() {
    let fixture = Fixture::new();
    main_checkout(&fixture);
    let checkout = linked(&fixture, "feature", "feature");
    assert_eq!(states(&fixture, &checkout), (State::Unknown, vec![State::Unknown]));
    fixture.approve();
    assert_eq!(states(&fixture, &checkout), (State::Approved, vec![State::Approved]));
    let within = Surroundings {
        project: checkout.clone(),
        home: fixture.home(),
        ..Surroundings::at(checkout.clone())
    };
    let (engine, diagnostics) = fixture.engine_of([settings(&fixture, &checkout)]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let event = Event::pre_tool_use("Bash", json!({"command": "ls"})).within(&within);
    let outcome = engine.fire(event, &Session::default()).await;
    assert_eq!(outcome.restraint, Restraint::Deny, "{outcome:?}");
    // The gate's program is changed here, and unchanged there.
    fs::write(checkout.join(".claude/hooks/lib/words.sh"), "exit 0\n").expect("a file");
    assert_eq!(states(&fixture, &checkout), (State::Changed, vec![State::Changed]));
    assert_eq!(fixture.states(), [State::Approved]);
}

/// T-90: what is approved in a worktree is approved in the main checkout, and is taken back
/// everywhere.
#[test]
fn approval_in_a_worktree_counts_in_the_main_checkout() {
    let fixture = Fixture::new();
    main_checkout(&fixture);
    let checkout = linked(&fixture, "feature", "feature");
    let trust = fixture.trust();
    trust.approve(&trust.review(&settings(&fixture, &checkout))).expect("an approval");
    assert_eq!(fixture.states(), [State::Approved]);
    assert!(trust.forget(&trust.review(&fixture.settings())).expect("no error"));
    assert_eq!(states(&fixture, &checkout), (State::Unknown, vec![State::Unknown]));
    // A no is about exactly these bytes, here as there.
    trust.refuse(&trust.review(&fixture.settings())).expect("a no");
    assert_eq!(states(&fixture, &checkout), (State::Refused, vec![State::Refused]));
    fs::write(checkout.join(".claude/hooks/lib/words.sh"), "exit 0\n").expect("a file");
    assert_eq!(states(&fixture, &checkout), (State::Unknown, vec![State::Unknown]));
}

/// T-91: a `.git` that claims another repository inherits nothing from it.
#[test]
fn git_file_that_only_claims_a_repository_inherits_nothing() {
    let fixture = Fixture::new();
    let common = main_checkout(&fixture);
    fixture.approve();
    let unknown = (State::Unknown, vec![State::Unknown]);
    // The repository knows of a worktree elsewhere.
    let stranger = linked(&fixture, "stranger", "elsewhere");
    assert_eq!(states(&fixture, &stranger), unknown);
    // The repository knows no such worktree.
    fs::remove_dir_all(common.join("worktrees/stranger")).expect("no worktree");
    assert_eq!(states(&fixture, &stranger), unknown);
    // The whole repository, and a directory that it made itself and that leads there.
    for text in [common.clone(), stranger.join("fake")] {
        let fake = stranger.join("fake");
        fs::create_dir_all(&fake).expect("a directory");
        fs::write(fake.join("commondir"), common.to_str().expect("text")).expect("a file");
        fs::write(fake.join("gitdir"), stranger.join(".git").to_str().expect("text"))
            .expect("a file");
        fs::write(stranger.join(".git"), format!("gitdir: {}\n", text.display())).expect("a file");
        assert_eq!(states(&fixture, &stranger), unknown, "{}", text.display());
    }
    // A repository of the stranger's that claims the approved project as a worktree.
    fs::remove_file(stranger.join(".git")).expect("no file");
    let claimed = stranger.join(".git/worktrees/x");
    fs::create_dir_all(&claimed).expect("a directory");
    fs::write(claimed.join("gitdir"), fixture.project().join(".git").to_str().expect("text"))
        .expect("a file");
    assert_eq!(states(&fixture, &stranger), unknown);
}

/// T-91: a submodule is a separate repository.
#[test]
fn submodule_inherits_nothing_from_the_repository_around_it() {
    let fixture = Fixture::new();
    let common = main_checkout(&fixture);
    fixture.approve();
    let submodule = linked(&fixture, "sub", "sub");
    let own = common.join("modules/sub");
    fs::create_dir_all(&own).expect("a directory");
    fs::write(submodule.join(".git"), format!("gitdir: {}\n", own.display())).expect("a file");
    assert_eq!(states(&fixture, &submodule), (State::Unknown, vec![State::Unknown]));
}

/// T-91: the worktrees of a submodule belong to the checkout that the submodule's repository names.
#[test]
fn approval_in_a_submodule_counts_in_its_worktrees() {
    let fixture = Fixture::new();
    let common = fixture.root.path().join("above/.git/modules/sub");
    fs::create_dir_all(&common).expect("a repository");
    let claim = |checkout: &Path| {
        fs::write(checkout.join(".git"), format!("gitdir: {}\n", common.display()))
            .expect("a file");
    };
    claim(&fixture.project());
    let configure = |checkout: &Path| {
        let text = format!("[core]\n\tbare = false\n\tworktree = {}\n", checkout.display());
        fs::write(common.join("config"), text).expect("a file");
    };
    configure(&fixture.project());
    let checkout = linked_to(&fixture, &common, "feature");
    fixture.approve();
    assert_eq!(states(&fixture, &checkout), (State::Approved, vec![State::Approved]));
    // Another directory that claims the same repository.
    let stranger = linked_to(&fixture, &common, "stranger");
    claim(&stranger);
    assert_eq!(states(&fixture, &stranger), (State::Unknown, vec![State::Unknown]));
    // The repository names another main checkout.
    configure(&stranger);
    assert_eq!(states(&fixture, &checkout), (State::Unknown, vec![State::Unknown]));
}

/// T-106: git does not say where the main checkout lies of a repository that was made apart.
#[test]
fn main_checkout_of_a_repository_apart_gives_its_approval_to_worktrees() {
    let fixture = Fixture::new();
    let common = fixture.root.path().join("apart");
    fs::create_dir_all(&common).expect("a repository");
    fs::write(common.join("config"), "[core]\n\tbare = false\n").expect("a file");
    let git = fixture.project().join(".git");
    fs::write(&git, format!("gitdir: {}\n", common.display())).expect("a file");
    let checkout = linked_to(&fixture, &common, "feature");
    let trust = fixture.trust();
    // Any directory may claim the repository, and gets nothing by that.
    trust.approve(&trust.review(&settings(&fixture, &checkout))).expect("an approval");
    assert_eq!(fixture.states(), [State::Unknown]);
    assert!(trust.forget(&trust.review(&settings(&fixture, &checkout))).expect("no error"));
    fixture.approve();
    assert_eq!(states(&fixture, &checkout), (State::Approved, vec![State::Approved]));
    fs::write(checkout.join(".claude/hooks/lib/words.sh"), "exit 0\n").expect("a file");
    assert_eq!(states(&fixture, &checkout), (State::Changed, vec![State::Changed]));
    assert!(trust.forget(&trust.review(&settings(&fixture, &checkout))).expect("no error"));
    assert_eq!(fixture.states(), [State::Unknown]);
}

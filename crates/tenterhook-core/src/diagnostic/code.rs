//! Which codes do diagnostics and faults have, how much does each weigh, and where does the specification explain it? One
//! table; it decides nothing.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Severity;

macro_rules! codes {
    ($($page:literal { $($variant:ident = $name:literal, $severity:ident;)* })*) => {
        /// What kind of diagnostic, fault or failure it is: a closed list, each with a stable name.
        ///
        /// Programs compare codes, never messages; people read the entry on the code's [page](Code::page).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = concat!("`", $name, "`")] $variant,)*)*
        }

        impl Code {
            /// Every code, in the order of the pages.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];

            /// Returns the stable name, such as `unknown-event`, as used in JSON output and
            /// records.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$variant => $name,)*)*
                }
            }

            /// Returns the usual severity, if the dialect gives the finding no other consequence. A
            /// fault is an error if the hook gave no answer, and a warning if something in its
            /// answer was wrong.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $($(Self::$variant => Severity::$severity,)*)*
                }
            }

            /// Returns the page of the documentation that explains the code.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self {
                    $($(Self::$variant)|* => $page,)*
                }
            }
        }
    };
}

codes! {
    "docs/spec/diagnostics.md" {
        EventDeclaredTwice = "event-declared-twice", Warning;
        ApprovalUnusable = "approval-unusable", Error;
        CallsHeld = "calls-held", Warning;
        ChangedSinceApproved = "changed-since-approved", Warning;
        HomeMoved = "home-moved", Warning;
        InShadow = "in-shadow", Advice;
        LockIgnored = "lock-not-heard", Warning;
        ManagedFileExposed = "managed-file-exposed", Error;
        KeptLastGood = "kept-last-good", Warning;
        LeftOut = "left-out", Error;
        NoTimers = "no-timers", Error;
        NotCarriedOver = "not-carried-over", Error;
        NotApproved = "not-approved", Warning;
        NothingOfThatName = "nothing-of-that-name", Warning;
        PartlyCarriedOver = "partly-carried-over", Warning;
        ServerConfiguredTwice = "server-configured-twice", Warning;
        RecordIgnored = "record-not-heard", Warning;
        SwitchIgnored = "switch-not-heard", Warning;
        UnknownServer = "unknown-server", Warning;
        UnusableServer = "unusable-server", Warning;
        UrlNotAllowed = "url-not-allowed", Warning;
        VariableNotAllowed = "variable-not-allowed", Warning;
        BadCondition = "bad-condition", Error;
        BadDuration = "bad-duration", Error;
        BadExpression = "bad-expression", Error;
        BadMatcher = "bad-matcher", Error;
        BadName = "bad-name", Error;
        BadKey = "bad-key", Error;
        BadPath = "bad-path", Error;
        BadGrant = "bad-grant", Error;
        BadPlace = "bad-place", Error;
        BadRule = "bad-rule", Error;
        BadRulePattern = "bad-rule-pattern", Error;
        BadVariable = "bad-variable", Error;
        BackgroundGate = "background-gate", Warning;
        BackgroundRewrite = "background-rewrite", Error;
        BrokenFile = "broken-file", Error;
        ConditionWithoutTool = "condition-without-tool", Error;
        DeadCondition = "dead-condition", Warning;
        DeadMatcher = "dead-matcher", Warning;
        DuplicateKey = "duplicate-key", Error;
        DurationWithoutUnit = "duration-without-unit", Error;
        EmptyRule = "empty-rule", Error;
        EmptyRun = "empty-run", Error;
        GateWithoutDeny = "gate-without-deny", Error;
        MatcherWithoutSubject = "matcher-without-subject", Warning;
        MissingEvent = "missing-event", Error;
        MissingKey = "missing-key", Error;
        MissingRun = "missing-run", Error;
        MisspeltPlace = "misspelt-place", Warning;
        NoEffect = "no-effect", Warning;
        NotStrictJson = "not-strict-json", Error;
        PrewarmWithoutEffect = "prewarm-without-effect", Warning;
        ReservedEvent = "reserved-event", Error;
        RuleTooCostly = "rule-too-costly", Error;
        SeveralRuns = "several-runs", Error;
        UnknownDialect = "unknown-dialect", Error;
        UnknownEvent = "unknown-event", Warning;
        UnknownKey = "unknown-key", Error;
        UnknownRuleName = "unknown-rule-name", Error;
        UnknownWord = "unknown-word", Error;
        WrongType = "wrong-type", Error;
        HeaderNotSent = "header-not-sent", Warning;
        UnusableHeader = "unusable-header", Error;
        UnusableUrl = "unusable-url", Error;
        AbsoluteHomePathInCommand = "absolute-home-path-in-command", Warning;
        AsyncOnGate = "async-on-gate", Advice;
        BrokenFrontMatter = "broken-front-matter", Error;
        ByteOrderMark = "byte-order-mark", Advice;
        CommandNotString = "command-not-string", Error;
        CommentKey = "comment-key", Advice;
        DuplicateKeys = "duplicate-keys", Error;
        EmptyCommand = "empty-command", Error;
        EmptyEventArray = "empty-event-array", Advice;
        EmptyFile = "empty-file", Warning;
        EmptyInnerHooks = "empty-inner-hooks", Warning;
        EventKeyedByMatcher = "event-keyed-by-matcher", Error;
        EventValueIsObjectNotArray = "event-value-is-object-not-array", Error;
        EventValueIsString = "event-value-is-string", Error;
        EventValueNotArray = "event-value-not-array", Error;
        FileMatcherIsPattern = "file-matcher-is-pattern", Warning;
        ForeignToolNameInMatcher = "foreign-tool-name-in-matcher", Warning;
        GuardSwitchedOff = "guard-switched-off", Error;
        GuardUnseated = "guard-unseated", Error;
        GroupIsString = "group-is-string", Error;
        GroupNotObject = "group-not-object", Error;
        GroupWithoutHooks = "group-without-hooks", Error;
        HandlerIsString = "handler-is-string", Error;
        HandlerMissingField = "handler-missing-field", Error;
        HandlerMissingType = "handler-missing-type", Error;
        HandlerNotObject = "handler-not-object", Error;
        HandlerTypeNotAccepted = "handler-type-not-accepted", Warning;
        HooksDisabled = "hooks-disabled", Advice;
        ForeignFormat = "foreign-format", Error;
        HooksElsewhere = "hooks-elsewhere", Advice;
        HooksIsArray = "hooks-is-array", Error;
        HooksIsStringList = "hooks-is-string-list", Error;
        HooksNotObject = "hooks-not-object", Error;
        HooksObjectNotHookSchema = "hooks-object-not-hook-schema", Error;
        IfIsEmpty = "if-is-empty", Advice;
        IfNeverHolds = "if-never-holds", Error;
        IfOneSlash = "if-one-slash", Advice;
        IfOutsideToolEvent = "if-outside-tool-event", Error;
        IfPrefixOnPath = "if-prefix-on-path", Warning;
        IfSeveralRules = "if-several-rules", Error;
        InnerHooksNotArray = "inner-hooks-not-array", Error;
        InvalidMatcher = "invalid-matcher", Error;
        ManagedKeyIgnored = "managed-key-ignored", Warning;
        MatcherIgnored = "matcher-ignored", Warning;
        MatcherIsExpression = "matcher-is-expression", Warning;
        MatcherIsGlob = "matcher-is-glob", Error;
        MatcherNotString = "matcher-not-string", Error;
        MissingHooksWrapper = "missing-hooks-wrapper", Error;
        MissingInnerHooksArray = "missing-inner-hooks-array", Error;
        ModCouldSilence = "mod-could-silence", Error;
        ModUnread = "mod-unread", Error;
        NotAnObject = "not-an-object", Error;
        OnFailureIgnored = "on-failure-ignored", Advice;
        OnceOutsideSkill = "once-outside-skill", Warning;
        PermissionRuleInMatcher = "permission-rule-in-matcher", Error;
        PluginVariableOutsidePlugin = "plugin-variable-outside-plugin", Warning;
        RelativeScriptPath = "relative-script-path", Advice;
        TimeoutLooksLikeMs = "timeout-looks-like-ms", Warning;
        UndocumentedVariable = "undocumented-variable", Warning;
        UnknownGroupField = "unknown-group-field", Warning;
        UnknownHandlerField = "unknown-handler-field", Warning;
        UnknownHandlerType = "unknown-handler-type", Error;
        UnknownOnFailure = "unknown-on-failure", Warning;
        UnknownShell = "unknown-shell", Error;
        UnquotedPathVar = "unquoted-path-var", Warning;
        UserConfigInShell = "user-config-in-shell", Error;
        WrongCaseEvent = "wrong-case-event", Error;
        WrongFieldType = "wrong-field-type", Error;
        CommandWithoutShell = "command-without-shell", Warning;
        EntryIsGroup = "entry-is-group", Error;
        EntryNotObject = "entry-not-object", Error;
        TimeoutIsZero = "timeout-is-zero", Warning;
        TimeoutLooksLikeSeconds = "timeout-looks-like-seconds", Warning;
        MatcherInsteadOfMatch = "matcher-instead-of-match", Warning;
        MissingCommand = "missing-command", Error;
        NestedHooks = "nested-hooks", Error;
        UnknownEntryField = "unknown-entry-field", Warning;
        ProgramMissing = "program-missing", Error;
        AbsentGrant = "absent-grant", Advice;
        NeedsGrant = "needs-grant", Advice;
        ScriptMissing = "script-missing", Error;
        ScriptNotExecutable = "script-not-executable", Error;
        ScriptSyntax = "script-syntax", Error;
        ExitCodeDropped = "exit-code-dropped", Warning;
        ImpossibleCondition = "impossible-condition", Error;
        ProfileHooks = "profile-hooks", Advice;
        SpellingOfOtherFile = "spelling-of-other-file", Warning;
        UnreadableCondition = "unreadable-condition", Error;
        UnsetVariable = "unset-variable", Warning;
        ZeroTimeout = "zero-timeout", Error;
    }
    "docs/spec/faults.md" {
        NotStarted = "not-started", Error;
        OutOfResources = "out-of-resources", Error;
        TooManyFiles = "too-many-files", Error;
        UnknownEnding = "unknown-ending", Error;
        Unrecorded = "unrecorded", Error;
        ExitCode = "exit-code", Error;
        Signalled = "signalled", Error;
        Panicked = "panicked", Error;
        TimedOut = "timed-out", Error;
        Cancelled = "cancelled", Error;
        OutputTooLarge = "output-too-large", Error;
        UnreadableAnswer = "unreadable-answer", Error;
        InvalidAnswer = "invalid-answer", Error;
        UnclearAnswer = "unclear-answer", Error;
        WorkerError = "worker-error", Error;
        WorkerProtocol = "worker-protocol", Error;
        WorkerEnded = "worker-ended", Error;
        RuleFailed = "rule-failed", Error;
        SessionNotStored = "session-not-stored", Error;
        BrokenRule = "broken-rule", Error;
        NoAnswer = "no-answer", Error;
        ModelNoCredentials = "model-no-credentials", Error;
        ModelAuth = "model-auth", Error;
        ModelRateLimit = "model-rate-limit", Error;
        ModelOverloaded = "model-overloaded", Error;
        ModelRefused = "model-refused", Error;
        ModelNetwork = "model-network", Error;
        ModelFailed = "model-failed", Error;
        ModelTurns = "model-turns", Error;
        ModelTokens = "model-tokens", Error;
        MatcherFailed = "matcher-failed", Error;
        ConditionFailed = "condition-failed", Error;
        HttpUrl = "http-url", Error;
        HttpHeader = "http-header", Error;
        HttpSecret = "http-secret", Error;
        HttpTooHeavy = "http-too-heavy", Error;
        HttpClient = "http-client", Error;
        HttpAddress = "http-address", Error;
        HttpUnresolved = "http-unresolved", Error;
        HttpConnect = "http-connect", Error;
        HttpTls = "http-tls", Error;
        HttpBroken = "http-broken", Error;
        HttpRedirect = "http-redirect", Error;
        HttpGone = "http-gone", Error;
        HttpLimited = "http-limited", Error;
        HttpStatus = "http-status", Error;
        HttpNotJson = "http-not-json", Error;
        HttpEncoding = "http-encoding", Error;
        HttpTooLarge = "http-too-large", Error;
        HttpStale = "http-stale", Error;
        AwaitsApproval = "awaits-approval", Error;
        EntryUnusable = "entry-unusable", Error;
        FileUnread = "file-unread", Error;
        McpInput = "mcp-input", Error;
        McpUnknownServer = "mcp-unknown-server", Error;
        McpNotConnected = "mcp-not-connected", Error;
        McpUnknownTool = "mcp-unknown-tool", Error;
        McpToolFailed = "mcp-tool-failed", Error;
        McpNoText = "mcp-no-text", Error;
        McpProtocol = "mcp-protocol", Error;
    }
    "docs/spec/answers.md" {
        TextBeforeAnswer = "text-before-answer", Warning;
        TextAfterAnswer = "text-after-answer", Warning;
        TextAroundAnswer = "text-around-answer", Warning;
        SeveralAnswers = "several-answers", Warning;
        FencedAnswer = "fenced-answer", Warning;
        WrappedAnswer = "wrapped-answer", Warning;
        RelaxedJson = "relaxed-json", Warning;
        TornAnswer = "torn-answer", Warning;
        AnswerEncoding = "answer-encoding", Warning;
        MisspeltDecision = "misspelt-decision", Warning;
        MisspeltKey = "misspelt-key", Warning;
        MisplacedDecision = "misplaced-decision", Warning;
        WrongEventName = "wrong-event-name", Warning;
        AnswerOnStderr = "answer-on-stderr", Warning;
        WrongExitCode = "wrong-exit-code", Warning;
    }
    "docs/spec/faults.md" {
        AnswerAgainstExit = "answer-against-exit", Warning;
        EventWithoutPlace = "event-without-place", Warning;
        MisnamedEvent = "misnamed-event", Warning;
        CustomEvent = "custom-event", Warning;
        AlreadyFiring = "already-firing", Warning;
        NestedTooDeep = "nested-too-deep", Warning;
        NotHonoured = "not-honoured", Warning;
        UnknownField = "unknown-field", Warning;
        ModelAllow = "model-allow", Warning;
        AllowNotCovered = "allow-not-covered", Warning;
        PermissionsOverruled = "permissions-overruled", Warning;
        RewriteConflict = "rewrite-conflict", Warning;
        VariableTooLong = "variable-too-long", Warning;
        CapReached = "cap-reached", Warning;
        BackgroundFull = "background-full", Warning;
        Undelivered = "undelivered", Warning;
        PrewarmEnded = "prewarm-ended", Warning;
        PrewarmUnfit = "prewarm-unfit", Warning;
        HiddenText = "hidden-text", Warning;
        BrokenDirective = "broken-directive", Warning;
        ContextCut = "context-cut", Warning;
        StartedElsewhere = "started-elsewhere", Warning;
        WorkerQuarantined = "worker-quarantined", Warning;
        SilencedCall = "silenced-call", Warning;
        OverruledDenial = "overruled-denial", Warning;
        MaskedCall = "masked-call", Warning;
        Survivors = "survivors", Warning;
        Unconfined = "unconfined", Warning;
        SandboxRefused = "sandbox-refused", Warning;
        TerminalSequence = "terminal-sequence", Warning;
        UnreadableEvent = "unreadable-event", Warning;
        DoubledKey = "doubled-key", Warning;
        OutOfMemory = "out-of-memory", Warning;
        NoDirectory = "no-directory", Warning;
        Failed = "failed", Warning;
        IdInUse = "id-in-use", Warning;
        TooLate = "too-late", Warning;
        UnreadableFile = "unreadable-file", Error;
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

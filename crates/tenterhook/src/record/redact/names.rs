//! Tables of the names that announce a secret: of fields, headers, options and programs. Data only.

/// Parts of names of fields, variables and options whose value is always a secret.
pub(super) const NAMES: &[&str] = &[
    "access_key",
    "access-key",
    "account-key",
    "accountkey",
    "auth-key",
    "auth_key",
    "authkey",
    "encryption-key",
    "encryption_key",
    "master-key",
    "master_key",
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "cookie",
    "credential",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "private-key",
    "private_key",
    "privatekey",
    "secret",
    "shared-key",
    "shared_key",
    "sharedkey",
    "signature",
    "signing-key",
    "signing_key",
    "token",
];

/// Whole names of fields, parameters and options whose value is a secret; as parts of a longer name
/// they mean something else.
pub(super) const SHORT_NAMES: &[&str] =
    &["auth", "creds", "jwt", "otp", "pass", "psk", "pw", "pwd", "sid", "sig"];

/// Ends of names of variables whose value is a secret.
pub(super) const VARIABLE_ENDS: &[&str] =
    &["_auth", "_key", "_pass", "_pat", "_psk", "_pw", "_pwd", "sshpass"];

/// Ends of names of options that say where a secret is, or something else about it.
pub(super) const HARMLESS_ENDS: &[&str] = &[
    "command", "cmd", "env", "expiry", "fd", "file", "helper", "length", "name", "path", "policy",
    "prompt", "stdin", "store", "ttl", "type",
];

/// Headers whose value is a secret, beside `X-` headers with one of [`NAMES`] or `-key`, `-auth`,
/// `-session`.
pub(super) const HEADERS: &[&str] = &[
    "api-key",
    "apikey",
    "circle-token",
    "cookie",
    "dd-api-key",
    "dd-application-key",
    "deploy-token",
    "job-token",
    "ocp-apim-subscription-key",
    "private-token",
    "set-cookie",
];

/// Parameters in URLs whose value is a secret, beside [`SHORT_NAMES`] and those with one of
/// [`NAMES`].
pub(super) const PARAMETERS: &[&str] = &["code", "key", "session"];

/// Which operands of a program are secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// None of them.
    No,
    /// The last one.
    Last,
    /// All of them.
    All,
    /// The value of each `name=value`.
    Pairs,
}

/// A row says where the command lines of some programs hold secrets.
pub(super) struct CommandRow {
    /// The programs.
    pub(super) programs: &'static [&'static str],
    /// Words of which one must follow the program; empty if the row is for each command line.
    pub(super) after: &'static [&'static str],
    /// Options whose value is a secret. After a short one (`-p`) the value may follow without a
    /// space; after one that ends with `*` it must; one that ends with `:` is a prefix.
    pub(super) options: &'static [&'static str],
    /// Letters of short options without a value, which may stand before a short one of `options`.
    pub(super) flags: &'static str,
    pub(super) operands: Operands,
}

const ANY: &[&str] = &[];

const fn row_with_secret_options(
    programs: &'static [&'static str],
    after: &'static [&'static str],
    options: &'static [&'static str],
) -> CommandRow {
    CommandRow { programs, after, options, flags: "", operands: Operands::No }
}

const fn row_with_secret_operands(
    programs: &'static [&'static str],
    after: &'static [&'static str],
    operands: Operands,
) -> CommandRow {
    CommandRow { programs, after, options: ANY, flags: "", operands }
}

pub(super) const COMMANDS: &[CommandRow] = &[
    CommandRow {
        flags: "#0146GIJLMNORSZafgijklnpqsv",
        ..row_with_secret_options(
            &["curl"],
            ANY,
            &[
                "-u",
                "--user",
                "-U",
                "--proxy-user",
                "-b",
                "--cookie",
                "--oauth2-bearer",
                "--proxy-pass",
            ],
        )
    },
    row_with_secret_options(
        &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck"],
        ANY,
        &["-p*"],
    ),
    row_with_secret_options(
        &["mariadb", "mariadb-dump", "mariadb-admin", "mysqlsh", "mycli"],
        ANY,
        &["-p*"],
    ),
    row_with_secret_options(
        &["sqlcmd", "bcp", "osql", "ipmitool", "mosquitto_pub", "mosquitto_sub"],
        ANY,
        &["-P"],
    ),
    row_with_secret_options(
        &["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"],
        ANY,
        &["-p"],
    ),
    row_with_secret_options(
        &["cqlsh", "ncftp", "ncftpget", "ncftpput", "rdesktop", "sshpass"],
        ANY,
        &["-p"],
    ),
    row_with_secret_options(&["redis-cli", "valkey-cli", "keydb-cli"], ANY, &["-a"]),
    row_with_secret_options(
        &["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane"],
        &["login"],
        &["-p"],
    ),
    row_with_secret_options(
        &["az", "twine", "regctl", "snyk", "jf"],
        &["login", "upload"],
        &["-p"],
    ),
    row_with_secret_options(
        &["doctl", "fly", "flyctl", "glab", "sentry-cli"],
        ANY,
        &["-t", "--auth-token"],
    ),
    row_with_secret_options(&["gh"], &["secret"], &["-b", "--body"]),
    row_with_secret_options(&["http", "https", "xh", "xhs"], ANY, &["-a", "--auth"]),
    row_with_secret_options(&["lftp", "etcdctl", "etcd"], ANY, &["-u", "--user"]),
    row_with_secret_options(
        &["smbclient", "rpcclient", "winexe", "smbget"],
        ANY,
        &["-U", "--user"],
    ),
    row_with_secret_options(
        &["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"],
        ANY,
        &["-w"],
    ),
    row_with_secret_options(&["ldappasswd"], ANY, &["-w", "-s", "-a"]),
    row_with_secret_options(
        &["snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"],
        ANY,
        &["-A", "-X", "-c"],
    ),
    row_with_secret_options(&["zip", "unzip", "zipcloak"], ANY, &["-P"]),
    row_with_secret_options(&["7z", "7za", "7zr", "7zz"], ANY, &["-p*"]),
    row_with_secret_options(&["rar", "unrar"], ANY, &["-p*", "-hp*"]),
    row_with_secret_options(
        &["openssl"],
        ANY,
        &["-k", "-K", "-pass", "-passin", "-passout", "-psk"],
    ),
    row_with_secret_options(
        &["keytool", "jarsigner", "apksigner"],
        ANY,
        &[
            "-storepass",
            "-keypass",
            "-srcstorepass",
            "-deststorepass",
            "-new",
            "--ks-pass",
            "--key-pass",
        ],
    ),
    row_with_secret_options(&["ssh-keygen"], ANY, &["-N", "-P"]),
    row_with_secret_options(
        &["security"],
        &["add-generic-password", "add-internet-password"],
        &["-w"],
    ),
    row_with_secret_options(
        &["security"],
        &["unlock-keychain", "create-keychain", "import"],
        &["-p", "-P"],
    ),
    row_with_secret_options(&["xfreerdp", "wfreerdp", "xfreerdp3"], ANY, &["/p:", "/gp:"]),
    row_with_secret_options(&["kubectl", "oc"], &["secret"], &["--from-literal"]),
    row_with_secret_operands(
        &["vault", "bw", "cargo", "npm", "rclone"],
        &["login", "unlock", "obscure"],
        Operands::Last,
    ),
    row_with_secret_operands(
        &["vault", "heroku", "fly", "flyctl", "eb"],
        &["put", "patch", "config:set", "secrets", "setenv"],
        Operands::Pairs,
    ),
    row_with_secret_operands(
        &["htpasswd"],
        &["-b", "-nb", "-bn", "-cb", "-bc", "-bB", "-Bb", "-nbB", "-bnB", "-Bbn", "-nBb"],
        Operands::Last,
    ),
    row_with_secret_operands(&["mkpasswd", "wpa_passphrase"], ANY, Operands::Last),
    row_with_secret_operands(&["openssl"], &["passwd"], Operands::Last),
    row_with_secret_operands(
        &["rabbitmqctl"],
        &["add_user", "change_password", "authenticate_user"],
        Operands::Last,
    ),
    row_with_secret_operands(&["net"], &["user"], Operands::Last),
    row_with_secret_operands(&["mc"], &["alias"], Operands::Last),
    row_with_secret_operands(&["aws"], &["configure"], Operands::Last),
    row_with_secret_operands(&["ansible-vault"], &["encrypt_string"], Operands::Last),
    row_with_secret_operands(&["sqlplus", "sqlldr", "expdp", "impdp"], ANY, Operands::All),
];

/// Programs that read a secret from standard input, and the words of which one must follow.
pub(super) const READERS: &[(&str, &[&str])] = &[
    ("chpasswd", ANY),
    ("kinit", ANY),
    ("secret-tool", &["store"]),
    ("passwd", &["--stdin"]),
    ("sudo", &["-S", "--stdin"]),
    ("pass", &["insert", "add"]),
    ("gh", &["secret"]),
    ("vault", &["login", "-"]),
    ("vercel", &["env"]),
    ("wrangler", &["secret"]),
];

/// Options with which a program reads a secret from standard input.
pub(super) const READER_OPTIONS: &[&str] =
    &["--password-stdin", "--with-token", "--passphrase-fd", "--pass-stdin", "--token-stdin"];

/// Programs that print their operands.
pub(super) const PRINTERS: &[&str] = &["echo", "printf", "print", "write-output"];

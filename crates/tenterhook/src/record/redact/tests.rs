//! What stays of command lines, headers, addresses and fields with secrets, and of ordinary ones.

use serde_json::json;

use super::*;

#[test]
fn every_shape_is_a_regular_expression() {
    assert_eq!(COMPILED.len(), SHAPES.len() + patterns_with_secret_names().len());
}

/// RE-31.
#[test]
fn secrets_are_taken_out_and_the_rest_stays() {
    let run = "Ab3".repeat(16);
    for (text, left) in [
        (
            format!("curl -H 'Authorization: Bearer {run}' x"),
            "curl -H 'Authorization: Bearer [redacted]' x",
        ),
        (
            format!("export GITHUB_TOKEN={}", "ghp_".to_owned() + &run),
            "export GITHUB_TOKEN=[redacted]",
        ),
        ("psql postgres://me:hunter22@db/x".to_owned(), "psql postgres://me:[redacted]@db/x"),
        (format!("x {run} y"), "x [redacted] y"),
        ("mysql --password hunter22 db".to_owned(), "mysql --password [redacted] db"),
    ] {
        assert_eq!(redact_value(json!({ "command": text })), json!({ "command": left }));
    }
    let fields =
        json!({ "api_key": "x", "nested": [{ "password": 1, "total_tokens": 5, "name": "a" }] });
    let left = json!({ "api_key": "[redacted]", "nested": [{ "password": "[redacted]", "total_tokens": 5, "name": "a" }] });
    assert_eq!(redact_value(fields), left);
}

/// RE-31: `§` stands for the secret.
const COMMANDS_WITH_SECRETS: &[&str] = &[
    "curl -u admin:§ https://x",
    "curl -sSfu admin:§ https://x",
    "curl -uadmin:§ https://x",
    "curl --user='admin:§' https://x",
    "curl --proxy-user admin:§ https://x",
    "/usr/bin/curl -b session=§ https://x",
    "curl --cookie \"session=§; other=§\" https://x",
    "curl -H \"X-Api-Key: §\" https://x",
    "curl -H X-Api-Key:§ https://x",
    "curl -H 'PRIVATE-TOKEN: §' https://x",
    "curl -H 'Cookie: a=§; b=§' https://x",
    "curl -H 'Authorization: Digest §, more=§' https://x",
    "curl -H 'X-Amz-Security-Token: §' https://x",
    "wget --header=\"X-Auth-Key: §\" https://x",
    "wget --http-password=§ https://x",
    "http -a me:§ https://x",
    "xh https://x X-Session:§",
    "curl 'https://x/y?a=1&sig=§&b=2'",
    "curl https://x/y?key=§",
    "curl 'https://x/?X-Amz-Signature=§'",
    "curl -d '{\"pw\": \"§\", \"password\": \"a, §\"}' https://x",
    "curl -d 'user=me&pass=§' https://x",
    "mysql -uroot -p§ db",
    "sudo mysqldump -u root -p'§' db",
    "mariadb-dump -p§ db",
    "docker login -u me -p § registry.example.com",
    "podman login -p§ x",
    "helm registry login x -u me -p §",
    "echo § | docker login --password-stdin x",
    "printf '%s' § | docker login -u me --password-stdin",
    "docker login --password-stdin x <<< §",
    "docker login --password-stdin x <<EOF\n§\nEOF",
    "cat <<-'EOF' | docker login --password-stdin x\n\t§\n\tEOF\nls",
    "echo § | sudo -S ls",
    "echo me:§ | chpasswd",
    "echo § | gh auth login --with-token",
    "sshpass -p § ssh me@host",
    "sshpass -p§ ssh me@host",
    "SSHPASS=§ sshpass -e ssh me@host",
    "redis-cli -h x -a § ping",
    "REDISCLI_AUTH=§ redis-cli ping",
    "PGPASSWORD=§ psql db",
    "MYSQL_PWD=§ mysql db",
    "docker run -e STRIPE_KEY=§ x",
    "vault login §",
    "vault kv put secret/x name=§",
    "htpasswd -b file user §",
    "htpasswd -nb user §",
    "openssl enc -aes-256-cbc -k § -in a",
    "openssl rsa -passin pass:§ -in a",
    "ldapsearch -x -D cn=admin -w §",
    "smbclient //x/y -U me%§",
    "sqlcmd -S x -U sa -P §",
    "mongosh -u me -p §",
    "7z a -p§ x.7z dir",
    "zip -P § x.zip dir",
    "gpg --batch --passphrase § -d x",
    "keytool -list -storepass §",
    "ssh-keygen -t ed25519 -N § -f key",
    "snmpwalk -v2c -c § host",
    "security unlock-keychain -p § login.keychain",
    "kubectl create secret generic x --from-literal=a=§",
    "heroku config:set NAME=§",
    "rabbitmqctl add_user me §",
    "cargo login §",
    "sqlplus me/§@db",
    "az login --service-principal -u me -p §",
    "aws configure set aws_secret_access_key §",
    "xfreerdp /v:host /u:me /p:§",
    "mvn -Dgpg.passphrase=§ deploy",
    "vault write auth/approle/login role_id=a secret_id=§",
    "tool --api-key § --pass § --client-secret=§",
    "Connect-Thing -Password § -ApiKey §",
    "tailscale up --authkey §",
    "az storage blob list --account-key §",
    "git clone https://§§§§@example.com/x",
    "psql -c \"CREATE USER me IDENTIFIED BY '§'\"",
    "python3 -c 'requests.get(u, headers={\"X-Auth\": \"§\"})'",
    "Invoke-RestMethod x -Headers @{ 'Api-Key' = '§' }",
    "bash -c \"curl -u admin:§ https://x && mysql -p§\"",
    "ssh host 'docker login -u me -p §'",
    "cd x; curl \\\n  -u admin:§ \\\n  https://x",
];

#[test]
fn secret_of_a_command_line_is_removed() {
    for line in COMMANDS_WITH_SECRETS {
        let secret = "hunter22";
        let clean = redact_text(&line.replace('§', secret)).into_owned();
        assert!(!clean.contains(secret) && clean.contains(TAKEN), "{line}: {clean}");
    }
}

/// RE-31.
#[test]
fn ordinary_command_line_stays() {
    for line in [
        "git push --force origin main",
        "cargo test -p some-long-crate-name-that-is-a-name",
        "docker run -p 8080:80 -u 1000 -e NODE_ENV=test nginx",
        "docker login --help",
        "mysql -p -u root db",
        "curl -fsSL -o out https://example.com/a?page=2",
        "mkdir -p src/a && cp -p a b",
        "ssh -p 22 host ls",
        "echo hello | docker build -",
        "sudo -u postgres psql",
        "npm run build -- --token-file x",
        "docker login -u me --password-stdin x < file",
        "curl -u \"$USER:$PASS\" https://x",
        "redis-cli -a $REDIS ping",
        "PWD=/x ls",
        "it's the user's file; don't touch",
        "openssl x509 -in cert.pem -noout",
        "zip -r x.zip dir",
        "echo 'a\"b' | tee x",
        "vault status",
        "aws s3 ls",
    ] {
        assert_eq!(redact_text(line), line);
    }
}

/// The time for a hostile text grows with its length only.
#[test]
fn long_text_is_redacted_in_time() {
    let begun = std::time::Instant::now();
    for part in ["curl ", "docker ", "\"'", "sudo -S <<EOF\n", "curl -u a ", "mysql -pa 'x "] {
        drop(redact_text(&part.repeat(20_000)));
    }
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

/// RE-31: what stays around a secret.
#[test]
fn command_line_around_a_secret_stays() {
    for (line, left) in [
        ("curl -u 'a:b c' https://x", "curl -u [redacted] https://x"),
        ("mysql -uroot -p'b c' db", "mysql -uroot -p[redacted] db"),
        (
            "echo pw | docker login --password-stdin x",
            "echo [redacted] | docker login --password-stdin x",
        ),
        ("curl 'https://x?a=1&sig=abc&b=2'", "curl 'https://x?a=1&sig=[redacted]&b=2'"),
        ("sudo -S ls << EOF\npw\nEOF\nls", "sudo -S ls << EOF\n[redacted]\nEOF\nls"),
        ("curl -H 'X-Api-Key: a b' https://x", "curl -H 'X-Api-Key: [redacted]' https://x"),
        ("ssh h \"mysql -pé db\" 2>&1 | tee x", "ssh h \"mysql -p[redacted] db\" 2>&1 | tee x"),
    ] {
        assert_eq!(redact_text(line), left);
    }
}

//! Opening databases: new ones, old ones, those of other versions, and none at all.

use std::process::Command;

use sqlx::ConnectOptions;
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use super::*;
use crate::store::migrations::tests::read_by_sqlx;
use crate::testing::on_both_databases;

on_both_databases! {
    async fn what_was_saved_is_there_when_it_is_opened_again(database: TestDatabase) {
        let store = open(&database).await;
        assert_eq!(store.kind(), if database.is_sqlite() { "sqlite" } else { "postgres" });
        store.ping().await.unwrap();
        save(&store, &[&provider("local")], &[], &[]).await.unwrap();
        store.close().await;
        let error = store.ping().await.unwrap_err();
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
        let store = open(&database).await;
        assert_eq!(store.load_settings().await.unwrap().providers.len(), 1);
    }

    async fn a_database_of_the_first_version_is_brought_up_to_date(database: TestDatabase) {
        lay_out_as_the_first_version_did(&database).await;
        let [provider, route, target] = [1, 2, 3].map(|number| {
            let id = Uuid::from_u128(number);
            if database.is_sqlite() { format!("x'{}'", id.simple()) } else { format!("'{id}'") }
        });
        let policy = serde_json::to_string(&PolicySettings::default()).unwrap();
        let at = "'2026-11-01T00:00:00+00:00'";
        database
            .run(&format!(
                "INSERT INTO providers (id, revision, name, kind, enabled, connect_ms, first_byte_ms,
                                        idle_ms, created_at, updated_at)
                 VALUES ({provider}, 3, 'local', 'openai', TRUE, 1, 2, 3, {at}, {at});
                 INSERT INTO models (provider_id, name, position, category)
                 VALUES ({provider}, 'm', 0, 'llm');
                 INSERT INTO routes (id, revision, name, description, enabled, policy, created_at,
                                     updated_at)
                 VALUES ({route}, 4, 'qwen', '', TRUE, '{policy}', {at}, {at});
                 INSERT INTO targets (id, route_id, position, provider_id, model, enabled)
                 VALUES ({target}, {route}, 0, {provider}, 'm', TRUE);"
            ))
            .await;

        let store = open(&database).await;
        let settings = store.load_settings().await.unwrap();
        let (mut provider, mut route) = (settings.providers[0].clone(), settings.routes[0].clone());
        assert_eq!((&*provider.name, provider.health_check.as_ref()), ("local", None));
        assert_eq!((&*route.name, &route.retry), ("qwen", &Retry::default()));
        assert_eq!((route.keep_alive, route.targets.len()), (true, 1));

        // What was there can be written again.
        provider.revision += 1;
        route.revision += 1;
        let mut change = store.change().await.unwrap();
        change.update_provider(&provider).await.unwrap();
        change.update_route(&route).await.unwrap();
        change.commit().await.unwrap();
        assert_eq!(store.load_settings().await.unwrap().routes, [route]);
    }

    async fn a_database_of_a_newer_version_is_refused(database: TestDatabase) {
        open(&database).await.close().await;
        let success = if database.is_sqlite() { "1, x'00'" } else { "TRUE, '\\x00'" };
        database
            .run(&format!(
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (20300101000000, 'from the future', {success}, 0)"
            ))
            .await;
        let error = Store::connect(database.url()).await.unwrap_err();
        assert!(matches!(error, StoreError::Newer { migration: 20_300_101_000_000 }));
        assert!(error.to_string().contains("written by a newer Signalbox"), "{error}");
    }

    async fn a_database_of_another_build_is_refused(database: TestDatabase) {
        open(&database).await.close().await;
        let checksum = if database.is_sqlite() { "x'00'" } else { "'\\x00'" };
        database.run(&format!("UPDATE _sqlx_migrations SET checksum = {checksum}")).await;
        let error = Store::connect(database.url()).await.unwrap_err();
        assert!(matches!(error, StoreError::Altered { migration: 1 }), "{error:?}");
    }

    async fn processes_that_start_at_once_all_come_up(database: TestDatabase) {
        let tests = std::env::current_exe().unwrap();
        let children: Vec<_> = (0..5)
            .map(|_| {
                Command::new(&tests)
                    .args(["--exact", "store::tests::opening::child_process", "--nocapture"])
                    .env("SIGNALBOX_TEST_CHILD_URL", database.url())
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("opened by a child process"), "{said}");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let settings = open(&database).await.load_settings().await.unwrap();
        assert_eq!(settings.providers.len(), 5);
    }
}

async fn lay_out_as_the_first_version_did(database: &TestDatabase) {
    let kind = if database.is_sqlite() {
        "sqlite"
    } else {
        "postgres"
    };
    let all = read_by_sqlx(kind).await;
    let first = Migrator::with_migrations(all.iter().take(1).cloned().collect());
    if database.is_sqlite() {
        let options: SqliteConnectOptions = database.url().parse().unwrap();
        let options = options.create_if_missing(true);
        let mut connection = options.connect().await.unwrap();
        first.run(&mut connection).await.unwrap();
    } else {
        let options: PgConnectOptions = database.url().parse().unwrap();
        let mut connection = options.connect().await.unwrap();
        first.run(&mut connection).await.unwrap();
    }
}

/// Does nothing by itself: the test above runs it in processes of their own.
#[tokio::test]
async fn child_process() {
    let Ok(url) = std::env::var("SIGNALBOX_TEST_CHILD_URL") else {
        return;
    };
    let store = Store::connect(&url).await.unwrap();
    let name = format!("p{}", std::process::id());
    save(&store, &[&provider(&name)], &[], &[]).await.unwrap();
    println!("opened by a child process");
}

#[tokio::test]
async fn a_database_in_memory_is_one_database() {
    let store = Store::connect("sqlite::memory:").await.unwrap();
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    let (one, other) = tokio::join!(store.load_settings(), store.load_settings());
    assert_eq!(one.unwrap().providers.len(), 1);
    assert_eq!(other.unwrap().providers.len(), 1);
}

#[tokio::test]
async fn a_file_may_lie_in_a_folder_of_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("100%41 ?mode=memory#:memory:");
    std::fs::create_dir(&path).unwrap();
    let file = path.join("signalbox.db");
    let store = Store::connect_file(&file).await.unwrap();
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    store.close().await;
    assert!(file.exists());
    let store = Store::connect_file(&file).await.unwrap();
    assert_eq!(store.load_settings().await.unwrap().providers.len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let store = Store::connect(&format!("sqlite://{}/x.db", folder.path().display()))
        .await
        .unwrap();
    save(&store, &[&provider("local")], &[], &[]).await.unwrap();
    let mut files = 0;
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
        files += 1;
    }
    assert_eq!(files, 3, "the database, its -wal and its -shm");
}

#[tokio::test]
async fn what_cannot_be_opened_is_said_without_the_password() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    std::fs::write(folder.path().join("text"), "hunter2".repeat(100)).unwrap();
    let table = [
        (
            "mysql://u:hunter2@h/db".to_owned(),
            "must begin with sqlite://",
        ),
        ("hunter2".to_owned(), "must begin with sqlite://"),
        (
            "postgres://u:hunter2@h:port/db".to_owned(),
            "The database URL is not usable",
        ),
        (
            "postgres://u:hunter2@127.0.0.1:1/db".to_owned(),
            "cannot be used now",
        ),
        (
            "postgresql://u:hunter2@nowhere.invalid/db".to_owned(),
            "cannot be used now",
        ),
        (
            format!("sqlite://{path}/text?hunter2=1"),
            "The database URL is not usable",
        ),
        (format!("sqlite://{path}/text"), "not a SQLite database"),
        (format!("sqlite://{path}/no/folder.db"), "cannot be made"),
        (format!("sqlite://{path}"), "cannot be"),
    ];
    for (url, part) in table {
        let error = Store::connect(&url).await.unwrap_err();
        let shown = error.to_string();
        assert!(shown.contains(part), "{url}: {shown}");
        if !url.contains("?hunter2") {
            assert!(
                !format!("{shown} {error:?}").contains("hunter2"),
                "{shown} {error:?}"
            );
        }
    }
}

//! The running server: everything that was opened, put together and kept going until the stop.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::cors::CorsLayer;

use crate::admin::{Admin, Rules};
use crate::assets::Bundle;
use crate::auth::Sessions;
use crate::auth::origin::Site;
use crate::auth::password::{self, Passwords};
use crate::cli::{Place, ResetPassword, Serve};
use crate::gateway::body::Limits;
use crate::gateway::budget::BufferBudget;
use crate::gateway::lasting::Lasting;
use crate::gateway::metrics::Metrics;
use crate::gateway::owners::{Backlog, Owners};
use crate::gateway::request_log::{Counters, Queue, RequestLog};
use crate::gateway::traffic::Traffic;
use crate::gateway::upstream::Upstreams;
use crate::gateway::{Gateway, Settings};
use crate::inspector::Inspector;
use crate::lanes::Lanes;
use crate::owner_archive::OwnerArchive;
use crate::prober::Prober;
use crate::request_archive::{RequestArchive, Retention};
use crate::snapshot::Snapshots;
use crate::store::Store;
use crate::trace_export::{self, Exporter, Traces};
use crate::vault::{SecretKey, Vault};
use crate::{cross_origin, health_checks, http, listener, monitoring};

/// The administrator.
pub const ADMIN: &str = "admin";

const MIB: u64 = 1024 * 1024;
/// For bodies that are kept with records, until they are written down.
const KEPT_MIB: u64 = 64;
/// How often ended sessions are removed.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// What handlers of pages and management API share.
#[derive(Clone, Debug)]
pub struct AppState {
    pub admin: Arc<Admin>,
    pub prober: Arc<Prober>,
    pub inspector: Arc<Inspector>,
    pub sessions: Arc<Sessions>,
    pub snapshots: Arc<Snapshots>,
    pub gateway: Arc<Gateway>,
    pub metrics: Arc<Metrics>,
    pub site: Arc<Site>,
    /// What scripts of other sites may do under `/v1`.
    pub cross_origin: Option<CorsLayer>,
    pub store: Store,
    /// What browsers load for the pages.
    pub bundle: Bundle,
    /// Cancelled as soon as the stop begins.
    pub stopping: CancellationToken,
}

/// Why Signalbox does not start; a sentence for the person at the terminal.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(String);

impl StartError {
    fn new(text: impl ToString) -> Self {
        Self(text.to_string())
    }
}

/// `signalbox serve`: runs until `stop` is cancelled. Boxed, so that all it leads to, the whole server, is
/// compiled here and not once more in whatever awaits it.
pub fn serve(
    options: Serve,
    bundle: Bundle,
    stop: CancellationToken,
) -> LocalBoxFuture<'static, Result<(), StartError>> {
    async move {
        Bound::bind(&options, bundle).await?.run(stop).await;
        Ok(())
    }
    .boxed_local()
}

/// A server that is open and has its address, but takes no connection yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    pub address: SocketAddr,
    pub state: AppState,
    backlogs: Backlogs,
    metrics_listener: Option<TcpListener>,
    limits: listener::Limits,
    lanes: Lanes,
}

/// What requests leave to be worked up.
#[derive(Debug)]
pub struct Backlogs {
    owners: Backlog,
    queue: Queue,
    traffic: Arc<Traffic>,
    request_archive: Arc<RequestArchive>,
    traces: Option<(Traces, Exporter)>,
}

impl Bound {
    pub async fn bind(options: &Serve, bundle: Bundle) -> Result<Self, StartError> {
        let listener = listen(options.listen).await?;
        let address = listener.local_addr().map_err(StartError::new)?;
        let limits = listener::Limits {
            connections: options.max_connections,
            grace: Duration::from_secs(options.shutdown_grace_s),
        };
        let metrics_listener = match options.metrics_listen {
            Some(address) => Some(listen(address).await?),
            None => None,
        };
        let (state, backlogs) = open(options, bundle).await?;
        let lanes = Lanes::start()
            .map_err(|error| StartError(format!("Cannot start threads to serve on: {error}.")))?;
        Ok(Self {
            listener,
            address,
            state,
            backlogs,
            metrics_listener,
            limits,
            lanes,
        })
    }

    /// Serves until `stop` is cancelled, then finishes what is under way.
    pub async fn run(self, stop: CancellationToken) {
        let Self {
            listener,
            address,
            state,
            backlogs,
            metrics_listener,
            limits,
            lanes,
        } = self;
        let app = http::Server::new(state.clone());
        let background = TaskTracker::new();
        // What answers under way bring is written down too.
        let served = CancellationToken::new();
        background.spawn({
            let (snapshots, stop) = (Arc::clone(&state.snapshots), stop.clone());
            async move { snapshots.follow(stop).await }
        });
        background.spawn({
            let (sessions, stop) = (Arc::clone(&state.sessions), stop.clone());
            async move {
                while stop
                    .run_until_cancelled(tokio::time::sleep(SWEEP))
                    .await
                    .is_some()
                {
                    sessions.sweep().await;
                }
            }
        });
        background.spawn({
            let (snapshots, stop) = (Arc::clone(&state.snapshots), stop.clone());
            async move { snapshots.note_key_uses(stop).await }
        });
        background.spawn({
            let (owners, stop) = (Arc::clone(&state.gateway.owners), served.clone());
            async move { owners.keep_writing(backlogs.owners, stop).await }
        });
        background.spawn(health_checks::run(
            Arc::clone(&state.snapshots),
            stop.clone(),
        ));
        let (traces, exporter) = backlogs.traces.unzip();
        if let Some(exporter) = exporter {
            background.spawn(exporter.run(served.clone()));
        }
        let log = Arc::clone(&state.gateway.log);
        background.spawn(log.keep_up(
            backlogs.queue,
            Counters {
                metrics: Arc::clone(&state.metrics),
                traffic: backlogs.traffic,
                traces,
            },
            backlogs.request_archive,
            served.clone(),
        ));
        if let Some(listener) = metrics_listener {
            background.spawn(monitoring::serve(listener, state.clone(), stop.clone()));
        }
        background.spawn({
            let (stop, stopping) = (stop.clone(), state.stopping.clone());
            async move {
                stop.cancelled().await;
                stopping.cancel();
            }
        });
        background.close();
        if state.bundle.names().is_none() {
            tracing::warn!("this binary was built without its pages; `make build` builds it whole");
        }
        tracing::info!(
            database = state.store.kind(),
            "Signalbox {} listens on http://{address}",
            env!("CARGO_PKG_VERSION")
        );

        listener::serve(listener, app, &lanes, limits, stop).await;
        served.cancel();
        background.wait().await;
        state.store.close().await;
        // Last, as connections to the database may have been opened on one of them.
        drop(lanes);
        tracing::info!("stopped");
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| StartError(format!("Cannot listen on {address}: {error}.")))
}

/// Opens database, vault and gateway, and makes what a first start needs.
pub async fn open(options: &Serve, bundle: Bundle) -> Result<(AppState, Backlogs), StartError> {
    let site = Site::new(options.public_url.as_deref()).map_err(StartError)?;
    let cross_origin = cross_origin::layer(&options.cors_origins).map_err(StartError)?;
    let (store, vault) = open_store(&options.place).await?;
    make_administrator(&store, options).await?;
    let upstreams = Upstreams::new(options.upstream_proxy.as_deref(), options.allow_link_local)
        .map_err(StartError)?;
    let lasting = Arc::new(Lasting::new(upstreams));
    let snapshots = Snapshots::open(store.clone(), vault.clone(), Arc::clone(&lasting))
        .await
        .map_err(StartError::new)?;
    let snapshots = Arc::new(snapshots);
    let (log, queue) = RequestLog::new();
    let metrics = Metrics::new().map_err(StartError::new)?;
    let traces = trace_export::Settings::read(&options.otlp)
        .map_err(StartError)?
        .map(|settings| trace_export::open(settings, metrics.traces_dropped.clone()))
        .transpose()
        .map_err(StartError)?;
    let (owners, backlog) = Owners::new(Arc::new(OwnerArchive::new(store.clone())));
    let gateway = Gateway {
        snapshots: Arc::clone(&snapshots),
        lasting: Arc::clone(&lasting),
        owners: Arc::new(owners),
        log: Arc::clone(&log),
        budget: BufferBudget::new(options.buffer_mib * MIB),
        disk_budget: BufferBudget::new(options.spool_mib * MIB),
        kept_budget: BufferBudget::new(KEPT_MIB * MIB),
        settings: Settings {
            limits: Limits {
                json: options.max_body_mib * MIB,
                form: options.max_form_mib * MIB,
            },
            show_target: !options.hide_target,
        },
    };
    let rules = Rules {
        allow_link_local: options.allow_link_local,
    };
    let prober = Prober::new(vault.clone(), lasting);
    let traffic = Arc::new(Traffic::default());
    let inspector = Inspector::new(
        Arc::clone(&snapshots),
        log,
        Arc::clone(&traffic),
        store.clone(),
        vault.clone(),
    );
    let retention = Retention {
        days: options.records_days,
        most: options.records_most,
        bodies_days: options.bodies_days,
    };
    let request_archive = Arc::new(RequestArchive::new(store.clone(), vault.clone(), retention));
    let admin = Admin::new(store.clone(), vault, snapshots.clone(), rules);
    let sessions = Sessions::new(store.clone(), &site, options.trusted_proxies.clone());
    let state = AppState {
        admin: Arc::new(admin),
        prober: Arc::new(prober),
        inspector: Arc::new(inspector),
        sessions: Arc::new(sessions),
        snapshots,
        gateway: Arc::new(gateway),
        metrics: Arc::new(metrics),
        site: Arc::new(site),
        cross_origin,
        store,
        bundle,
        stopping: CancellationToken::new(),
    };
    Ok((
        state,
        Backlogs {
            owners: backlog,
            queue,
            traffic,
            request_archive,
            traces,
        },
    ))
}

/// `signalbox reset-password`: answers with what to tell the person.
pub fn reset_password(
    options: ResetPassword,
) -> LocalBoxFuture<'static, Result<String, StartError>> {
    change_password(options).boxed_local()
}

async fn change_password(options: ResetPassword) -> Result<String, StartError> {
    let (store, _) = open_store(&options.place).await?;
    let generated = options.password.is_none();
    let password = options.password.map_or_else(generate_password, Ok)?;
    password::check_new(&password).map_err(StartError)?;
    let hash = Passwords::default()
        .hash(password.clone())
        .await
        .map_err(StartError::new)?;
    match store.user_by_name(ADMIN).await.map_err(StartError::new)? {
        Some(user) => store
            .set_password_hash(user.id, &hash)
            .await
            .map_err(StartError::new)?,
        None => drop(
            store
                .create_first_user(ADMIN, &hash)
                .await
                .map_err(StartError::new)?,
        ),
    }
    store.close().await;
    let said = if generated {
        format!("The new password of `{ADMIN}` is: {password}")
    } else {
        format!("The password of `{ADMIN}` was changed.")
    };
    Ok(format!("{said}\nAll of its sessions have ended."))
}

async fn open_store(place: &Place) -> Result<(Store, Vault), StartError> {
    make_private_folder(&place.data_dir)?;
    let store = match &place.database_url {
        Some(url) => Store::connect(url).await,
        // Not by URL: a folder's name may hold what a URL reads otherwise.
        None => Store::connect_file(&place.data_dir.join("signalbox.db")).await,
    };
    let store = store.map_err(StartError::new)?;
    let secret = match &place.secret_key {
        Some(secret) => secret.clone(),
        None => secret_key_file(&place.data_dir.join("secret.key"))?,
    };
    let vault = Vault::open(&secret, &store)
        .await
        .map_err(StartError::new)?;
    Ok((store, vault))
}

/// The key in the file, which is made if it is not there.
fn secret_key_file(path: &Path) -> Result<SecretKey, StartError> {
    match std::fs::read_to_string(path) {
        Ok(text) => SecretKey::parse(&text)
            .map_err(|error| StartError(format!("{}: {error}", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let secret = SecretKey::generate().map_err(StartError::new)?;
            match write_private(path, &secret.to_text()) {
                Ok(()) => Ok(secret),
                // Another process was first; its key is the one.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    let text = std::fs::read_to_string(path)
                        .map_err(|error| cannot("read", path, &error))?;
                    SecretKey::parse(&text).map_err(StartError::new)
                }
                Err(error) => Err(cannot("write", path, &error)),
            }
        }
        Err(error) => Err(cannot("read", path, &error)),
    }
}

/// At the first start only: the administrator, with the given password or a made one.
async fn make_administrator(store: &Store, options: &Serve) -> Result<(), StartError> {
    if store
        .user_by_name(ADMIN)
        .await
        .map_err(StartError::new)?
        .is_some()
    {
        return Ok(());
    }
    let given = options.admin_password.clone();
    let password = given.clone().map_or_else(generate_password, Ok)?;
    password::check_new(&password)
        .map_err(|problem| StartError(format!("--admin-password: {problem}")))?;
    let hash = Passwords::default()
        .hash(password.clone())
        .await
        .map_err(StartError::new)?;
    let is_first = store
        .create_first_user(ADMIN, &hash)
        .await
        .map_err(StartError::new)?;
    if is_first && given.is_none() {
        let path = options.place.data_dir.join("initial_admin_password");
        // One that is left over belonged to another database.
        if let Err(error) = std::fs::remove_file(&path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(cannot("replace", &path, &error));
        }
        write_private(&path, &format!("{password}\n"))
            .map_err(|error| cannot("write", &path, &error))?;
        tracing::info!(
            "the first password of `{ADMIN}` is in {}",
            absolute(&path).display()
        );
    }
    Ok(())
}

/// 20 characters without look-alikes: about 115 random bits.
fn generate_password() -> Result<String, StartError> {
    const ALPHABET: &[u8; 54] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ234567";
    const LENGTH: usize = 20;
    let mut password = String::with_capacity(LENGTH);
    while password.len() < LENGTH {
        let mut byte = [0_u8];
        getrandom::fill(&mut byte)
            .map_err(|_| StartError::new("The system gives no random numbers."))?;
        // Bytes beyond a multiple of the alphabet would favour its start.
        let place = usize::from(byte[0]);
        if place < 256 - 256 % ALPHABET.len() {
            password.extend(
                ALPHABET
                    .get(place % ALPHABET.len())
                    .map(|letter| char::from(*letter)),
            );
        }
    }
    Ok(password)
}

fn make_private_folder(path: &Path) -> Result<(), StartError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| cannot("make", path, &error))
}

/// A new file that only this user can read.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> StartError {
    StartError(format!(
        "Cannot {what} {}: {error}.",
        absolute(path).display()
    ))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_passwords_are_long_and_differ() {
        let (one, other) = (generate_password().unwrap(), generate_password().unwrap());
        assert_eq!(one.len(), 20);
        assert_ne!(one, other);
        assert!(password::check_new(&one).is_ok());
    }

    #[test]
    fn the_secret_key_is_made_once_and_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret.key");
        let made = secret_key_file(&path).unwrap().to_text();
        assert_eq!(secret_key_file(&path).unwrap().to_text(), made);
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        std::fs::write(&path, "nonsense").unwrap();
        let error = secret_key_file(&path).unwrap_err().to_string();
        assert!(
            error.contains("secret.key") && !error.contains("nonsense"),
            "{error}"
        );
    }
}

//! `signalbox`: reads the command line and does what it says.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use rust_embed::RustEmbed;
use signalbox::assets::Bundle;
use signalbox::cli::{Cli, Command, LogFormat};
use signalbox::server;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

// A request makes some hundred small allocations on two or three threads, for which glibc's costs a seventh
// of its time. It takes `malloc`'s place, for SQLite's sake too: asked by `mimalloc::MiMalloc` it would be
// asked for an alignment each time, which it keeps by making room that stays unused. Without huge pages, which
// would make an idle process a third larger and no faster.
use mimalloc as _;

/// What `frontend/build.sh` made. Empty in a build without pages, as `cargo test` may make.
#[derive(RustEmbed)]
#[folder = "../frontend/dist"]
#[allow_missing = true]
struct Dist;

/// Tells cargo when there are other pages; as a dependency of the package they would have the library, which
/// they are not in, compiled once more.
const _: Option<&str> = option_env!("SIGNALBOX_PAGES");

#[tokio::main]
async fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(options) => {
            log_to_stderr(&options.log, options.log_format);
            let bundle = Bundle(|name| Dist::get(name).map(|file| file.data));
            server::serve(*options, bundle, stop_signal()).await
        }
        Command::ResetPassword(options) => server::reset_password(options)
            .await
            .map(|said| write_line(&mut std::io::stdout(), &said)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            write_line(&mut std::io::stderr(), &format!("signalbox: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// A closed terminal is no reason to fail.
fn write_line(to: &mut impl Write, text: &str) {
    let _ = writeln!(to, "{text}");
}

fn log_to_stderr(filter: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|error| {
        write_line(
            &mut std::io::stderr(),
            &format!("signalbox: --log `{filter}` cannot be read ({error}); using `info`."),
        );
        EnvFilter::new("info")
    });
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().init(),
    }
}

/// Cancelled by Ctrl-C or SIGTERM.
fn stop_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        let mut terminate =
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(terminate) => terminate,
                Err(error) => {
                    tracing::error!(%error, "cannot listen for SIGTERM");
                    return;
                }
            };
        tokio::select! {
            result = tokio::signal::ctrl_c() => {
                if let Err(error) = result {
                    tracing::error!(%error, "cannot listen for Ctrl-C");
                }
            }
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping: answers under way may finish");
        stopping.cancel();
    });
    stop
}

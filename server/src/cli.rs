//! The command line. Every flag has an environment variable.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;

use crate::vault::SecretKey;

/// A self-hosted AI gateway in one binary: named routes over your model providers.
#[derive(Debug, Parser)]
#[command(name = "signalbox", version, about)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the pages, the management API and /v1.
    Serve(Box<Serve>),
    /// Give the administrator a new password and end all of its sessions.
    ResetPassword(ResetPassword),
}

/// Where state lives; shared by all commands.
#[derive(Clone, Debug, Args)]
pub struct Place {
    /// Folder for the database, the secret key and the first password.
    #[arg(long, env = "SIGNALBOX_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// sqlite://PATH or postgres://…; a SQLite file is created [default: sqlite://<data-dir>/signalbox.db]
    #[arg(long, env = "SIGNALBOX_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// Encrypts credentials at rest: 64 hexadecimal characters [default: made at first start in <data-dir>/secret.key]
    #[arg(long, env = "SIGNALBOX_SECRET_KEY", hide_env_values = true, value_parser = SecretKey::parse)]
    pub secret_key: Option<SecretKey>,
}

#[derive(Clone, Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    pub place: Place,

    /// Address and port to listen on.
    #[arg(long, env = "SIGNALBOX_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Password of `admin`, used at the first start only [default: made and put into <data-dir>/initial_admin_password]
    #[arg(long, env = "SIGNALBOX_ADMIN_PASSWORD", hide_env_values = true)]
    pub admin_password: Option<String>,

    /// The address people type, such as https://signalbox.example.com; sets the expected Origin and Host.
    #[arg(long, env = "SIGNALBOX_PUBLIC_URL")]
    pub public_url: Option<String>,

    /// Networks (CIDR) whose X-Forwarded-For is believed.
    #[arg(long, env = "SIGNALBOX_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,

    #[arg(long, env = "SIGNALBOX_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// Web sites whose scripts may call /v1 from a browser, such as https://app.example.com; * for all.
    #[arg(long, env = "SIGNALBOX_CORS_ORIGINS", value_delimiter = ',')]
    pub cors_origins: Vec<String>,

    /// What to log, such as `info` or `signalbox=debug,warn`.
    #[arg(long, env = "SIGNALBOX_LOG", default_value = "info")]
    pub log: String,

    /// Let providers live at link-local addresses (169.254.0.0/16, fe80::/10).
    #[arg(long, env = "SIGNALBOX_ALLOW_LINK_LOCAL")]
    pub allow_link_local: bool,

    /// Address and port that serve /metrics and nothing else, to everybody [default: none]
    #[arg(long, env = "SIGNALBOX_METRICS_LISTEN")]
    pub metrics_listen: Option<SocketAddr>,

    #[command(flatten)]
    pub otlp: Otlp,

    /// Proxy for calls to providers; the system's proxy settings are ignored.
    #[arg(long, env = "SIGNALBOX_UPSTREAM_PROXY", hide_env_values = true)]
    pub upstream_proxy: Option<String>,

    /// Leave x-signalbox-target and x-signalbox-attempts off the answers.
    #[arg(long, env = "SIGNALBOX_HIDE_TARGET")]
    pub hide_target: bool,

    /// Largest JSON body under /v1, in MiB.
    #[arg(long, env = "SIGNALBOX_MAX_BODY_MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub max_body_mib: u64,

    /// Largest form with files (audio, images) under /v1, in MiB.
    #[arg(long, env = "SIGNALBOX_MAX_FORM_MIB", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_240))]
    pub max_form_mib: u64,

    /// Room on disk for forms that are kept for another try, of all requests together, in MiB.
    #[arg(long, env = "SIGNALBOX_SPOOL_MIB", default_value_t = 10_240, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub spool_mib: u64,

    /// Memory for request bodies of all requests together, in MiB.
    #[arg(long, env = "SIGNALBOX_BUFFER_MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub buffer_mib: u64,

    /// Days for which records of requests are kept.
    #[arg(long, env = "SIGNALBOX_RECORDS_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub records_days: u32,

    /// Records of requests that are kept at most; the oldest go first.
    #[arg(long, env = "SIGNALBOX_RECORDS_MOST", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1_000..))]
    pub records_most: u32,

    /// Days for which requests and answers are kept, on routes that are set to keep them.
    #[arg(long, env = "SIGNALBOX_BODIES_DAYS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub bodies_days: u32,

    /// Connections held at once; further ones wait.
    #[arg(long, env = "SIGNALBOX_MAX_CONNECTIONS", default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_connections: u32,

    /// Seconds that a stop waits for answers under way.
    #[arg(long, env = "SIGNALBOX_SHUTDOWN_GRACE_S", default_value_t = 30)]
    pub shutdown_grace_s: u64,
}

/// Traces of requests for OpenTelemetry.
#[derive(Clone, Args)]
pub struct Otlp {
    /// A collector that takes traces by OTLP over HTTP, such as http://127.0.0.1:4318 [default: none]
    #[arg(long, env = "SIGNALBOX_OTLP_ENDPOINT", hide_env_values = true)]
    pub otlp_endpoint: Option<String>,

    /// Headers for the collector: name=value,name=value with percent-encoded values.
    #[arg(long, env = "SIGNALBOX_OTLP_HEADERS", hide_env_values = true)]
    pub otlp_headers: Option<String>,

    /// Share of traces that are exported, from 0 to 1; a client's traceparent decides for itself.
    #[arg(long, env = "SIGNALBOX_OTLP_SAMPLE", default_value_t = 1.0, value_parser = share)]
    pub otlp_sample: f64,
}

impl fmt::Debug for Otlp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Endpoint and headers may hold secrets.
        f.debug_struct("Otlp").finish_non_exhaustive()
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it is a number from 0 to 1".to_owned())
}

#[derive(Clone, Debug, Args)]
pub struct ResetPassword {
    #[command(flatten)]
    pub place: Place,

    /// The new password, at least 8 characters [default: one is made and printed]
    #[arg(long, env = "SIGNALBOX_ADMIN_PASSWORD", hide_env_values = true)]
    pub password: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_share_is_from_0_to_1() {
        for good in ["0", "1", "0.25", "1e-3"] {
            assert!(share(good).is_ok(), "{good}");
        }
        for bad in ["", "-0.1", "1.01", "NaN", "inf", "half"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_flag_of_serve_has_an_environment_variable() {
        let cli = Cli::command();
        let serve = cli.find_subcommand("serve").unwrap();
        for argument in serve.get_arguments().filter(|a| a.get_id() != "help") {
            let variable = argument
                .get_env()
                .unwrap_or_else(|| panic!("{argument} has none"));
            assert!(
                variable.to_string_lossy().starts_with("SIGNALBOX_"),
                "{argument}"
            );
        }
    }
}

//! Calls to providers through the proxy that the operator names.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::support::Signalbox;

/// Answers what it is asked in clear, and lets nobody through a tunnel. Tells the heads that it read, and
/// of a tunnel the first byte that was sent into it.
async fn proxy() -> (String, mpsc::UnboundedReceiver<(String, Option<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (told, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let told = told.clone();
            tokio::spawn(async move {
                let _ = told.send(serve(stream).await);
            });
        }
    });
    (address, seen)
}

async fn serve(mut stream: TcpStream) -> (String, Option<u8>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let is_tunnel = head.starts_with("CONNECT ");
    let answer = match is_tunnel {
        true => "HTTP/1.1 200 OK\r\n\r\n",
        false => "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
    };
    stream.write_all(answer.as_bytes()).await.unwrap();
    let first = match is_tunnel {
        true => Some(stream.read_u8().await.unwrap()),
        false => None,
    };
    (head, first)
}

#[tokio::test]
async fn what_goes_in_clear_is_read_by_the_proxy_and_the_rest_is_tunnelled() {
    let (address, mut seen) = proxy().await;
    let url = format!("http://me:s3cret@{address}");
    let signalbox = Signalbox::start_with(&["--upstream-proxy", &url]).await;
    let key = signalbox.key().await;
    for (name, base) in [("clear", "http://models/v1"), ("tls", "https://models/v1")] {
        signalbox.provider(name, &[base.to_owned()], &["m"]).await;
        signalbox.route(name, &[(name, "m", None)]).await;
    }
    let credentials = "proxy-authorization: Basic bWU6czNjcmV0\r\n";
    let ask = async |route: &str| {
        let body = json!({"model": route, "messages": []}).to_string();
        signalbox.chat(&key, body).send().await.unwrap()
    };

    assert_eq!(ask("clear").await.status(), 200);
    let (head, _) = seen.recv().await.unwrap();
    assert!(
        head.starts_with("POST http://models/v1/chat/completions HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.to_lowercase().contains(&credentials.to_lowercase()));
    assert!(head.to_lowercase().contains("host: models\r\n"), "{head}");

    let answer = ask("tls").await;
    assert_eq!(answer.status(), 502);
    assert!(!answer.text().await.unwrap().contains("s3cret"));
    let (head, first) = seen.recv().await.unwrap();
    assert!(
        head.starts_with("CONNECT models:443 HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.to_lowercase().contains(&credentials.to_lowercase()));
    let handshake = 22;
    assert_eq!(first, Some(handshake), "what is in the tunnel is TLS");
}

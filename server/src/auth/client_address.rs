//! Where a request comes from, when proxies of ours stand in between.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

/// The address of the client: the peer, or, when the peer is a trusted proxy, the last address in
/// `X-Forwarded-For` that is not one.
pub fn client_address(peer: SocketAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut client = peer.ip().to_canonical();
    if !is_trusted(&client) {
        return client;
    }
    let hops: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    for hop in hops.into_iter().rev() {
        let Some(address) = parse(hop) else { break };
        client = address;
        if !is_trusted(&client) {
            break;
        }
    }
    client
}

/// An address as proxies write it: bare, or with a port.
fn parse(hop: &str) -> Option<IpAddr> {
    hop.parse::<IpAddr>()
        .or_else(|_| hop.parse::<SocketAddr>().map(|address| address.ip()))
        .ok()
        .map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let table = [
            ("1.2.3.4:5", "9.9.9.9", "1.2.3.4"),
            ("10.0.0.1:5", "9.9.9.9", "9.9.9.9"),
            ("10.0.0.1:5", "6.6.6.6, 9.9.9.9, 10.0.0.2", "9.9.9.9"),
            ("10.0.0.1:5", "9.9.9.9:1234", "9.9.9.9"),
            ("10.0.0.1:5", "nonsense", "10.0.0.1"),
            ("[::ffff:10.0.0.1]:5", "[2001:db8::1]:80", "2001:db8::1"),
        ];
        for (peer, forwarded, expected) in table {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static("x-forwarded-for"),
                HeaderValue::from_static(forwarded),
            )]);
            let found = client_address(peer.parse().unwrap(), &headers, &trusted);
            assert_eq!(found.to_string(), expected, "{peer} {forwarded}");
        }
    }
}

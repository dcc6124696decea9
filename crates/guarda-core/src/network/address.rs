//! Kinds of IP addresses (IANA's special-purpose registries, RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

/// The kind of an address, by where its packets go. An embedded IPv4 address is extracted from an IPv6
/// address first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum AddressClass {
    /// Anywhere on the internet.
    Public,
    /// This machine: 127/8, ::1.
    Loopback,
    /// A local network: 10/8, 172.16/12, 192.168/16, fec0::/10, 64:ff9b:1::/48.
    Private,
    /// A provider's shared network: 100.64/10.
    CarrierNat,
    /// A unique local IPv6 address: fc00::/7.
    UniqueLocal,
    /// The local link: 169.254/16, fe80::/10.
    LinkLocal,
    /// A cloud's metadata service, which gives credentials to any client inside.
    Metadata,
    /// Many receivers: 224/4, ff00::/8, 255.255.255.255.
    Multicast,
    /// 0/8 or `::`, which connect to this machine.
    Unspecified,
    /// All other addresses that no public service has: documentation, benchmarks, Teredo, unassigned.
    Reserved,
}

impl AddressClass {
    /// The kind of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => v4(address),
            IpAddr::V6(address) => v6(address),
        }
    }

    /// The name on the wire and in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Metadata services of clouds: AWS, Google, Azure and others; ECS; Alibaba; Azure's wire server; Oracle's old one.
const METADATA: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// The same services over IPv6: AWS, Google, ECS.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
];

fn v4(address: Ipv4Addr) -> AddressClass {
    use AddressClass::{
        CarrierNat, LinkLocal, Loopback, Metadata, Multicast, Private, Public, Reserved, Unspecified,
    };
    if METADATA.contains(&address) {
        return Metadata;
    }
    match address.octets() {
        [0, ..] => Unspecified,
        [127, ..] => Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Private,
        [100, 64..=127, ..] => CarrierNat,
        [169, 254, ..] => LinkLocal,
        [224..=239, ..] | [255, 255, 255, 255] => Multicast,
        // 192.88.99/24 was the 6to4 relay; 198.18/15 holds the cell's own DNS answers.
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => {
            Reserved
        }
        [240..=255, ..] => Reserved,
        _ => Public,
    }
}

fn v6(address: Ipv6Addr) -> AddressClass {
    use AddressClass::{
        LinkLocal, Loopback, Metadata, Multicast, Private, Public, Reserved, UniqueLocal, Unspecified,
    };
    if METADATA_V6.contains(&address) {
        return Metadata;
    }
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        v4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Loopback,
        // IPv4-compatible, IPv4-mapped, IPv4-translated, NAT64.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => inner(high, low),
        [0x64, 0xff9b, 1, ..] => Private,
        // 6to4.
        [0x2002, high, low, ..] => inner(high, low),
        // Teredo and other protocol assignments, documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reserved,
        [0xfe80..=0xfebf, ..] => LinkLocal,
        [0xfec0..=0xfeff, ..] => Private,
        [0xfc00..=0xfdff, ..] => UniqueLocal,
        [0xff00..=0xffff, ..] => Multicast,
        [0x2000..=0x3fff, ..] => Public,
        _ => Reserved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_by_where_their_packets_go() {
        use AddressClass::*;
        for (address, class) in [
            ("93.184.216.34", Public),
            ("2606:2800:220:1::1", Public),
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("::1", Loopback),
            ("10.0.0.1", Private),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("172.32.0.1", Public),
            ("192.168.1.1", Private),
            ("fec0::1", Private),
            ("100.64.0.1", CarrierNat),
            ("100.128.0.1", Public),
            ("fd12:3456::1", UniqueLocal),
            ("169.254.1.1", LinkLocal),
            ("fe80::1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("100.100.100.200", Metadata),
            ("168.63.129.16", Metadata),
            ("fd00:ec2::254", Metadata),
            ("224.0.0.251", Multicast),
            ("255.255.255.255", Multicast),
            ("ff02::fb", Multicast),
            ("0.0.0.0", Unspecified),
            ("0.1.2.3", Unspecified),
            ("::", Unspecified),
            ("198.18.0.1", Reserved),
            ("192.0.2.1", Reserved),
            ("240.0.0.1", Reserved),
            ("2001:db8::1", Reserved),
            ("4000::1", Reserved),
            // An IPv4 address inside.
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:169.254.169.254", Metadata),
            ("::127.0.0.1", Loopback),
            ("::ffff:0:10.0.0.1", Private),
            ("64:ff9b::7f00:1", Loopback),
            ("64:ff9b::a9fe:a9fe", Metadata),
            ("64:ff9b::5db8:d822", Public),
            ("64:ff9b:1::5db8:d822", Private),
            ("2002:7f00:1::", Loopback),
            ("2002:a00:1::1", Private),
            ("2002:5db8:d822::1", Public),
            ("2001:0:7f00:1::", Reserved),
        ] {
            assert_eq!(AddressClass::of(address.parse().unwrap()), class, "{address}");
        }
    }

    proptest::proptest! {
        #[test]
        fn an_ipv4_address_is_the_same_in_every_wrapping(bits: u32) {
            let plain = Ipv4Addr::from(bits);
            let class = AddressClass::of(plain.into());
            let [high, low] = [(bits >> 16) as u16, bits as u16];
            for wrapped in [
                Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            ] {
                proptest::prop_assert_eq!(AddressClass::of(wrapped.into()), class);
            }
        }
    }
}

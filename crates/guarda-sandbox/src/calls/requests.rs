//! What a run may request of an open file (`ioctl`). A request is not checked against the way in which the file was opened: several
//! change a file that was only opened to be read, others type into a terminal or signal another process.

/// The permitted requests by number. They have these numbers on every architecture that has a filter.
pub(super) const REQUESTS: &[u32] = &[
    // descriptors: close on execution, do not wait, send a signal; how much can be read
    0x5450, // FIONCLEX
    0x5451, // FIOCLEX
    0x5421, // FIONBIO
    0x5452, // FIOASYNC
    0x541b, // FIONREAD
    0x5460, // FIOQSIZE
    // terminals: settings, size, process group, queues; not typing (TIOCSTI, TIOCLINUX), nor what drives the line
    0x5401,      // TCGETS
    0x5402,      // TCSETS
    0x5403,      // TCSETSW
    0x5404,      // TCSETSF
    0x5405,      // TCGETA
    0x5406,      // TCSETA
    0x5407,      // TCSETAW
    0x5408,      // TCSETAF
    0x802c_542a, // TCGETS2
    0x402c_542b, // TCSETS2
    0x402c_542c, // TCSETSW2
    0x402c_542d, // TCSETSF2
    0x5409,      // TCSBRK
    0x5425,      // TCSBRKP
    0x540a,      // TCXONC
    0x540b,      // TCFLSH
    0x540c,      // TIOCEXCL
    0x540d,      // TIOCNXCL
    0x8004_5440, // TIOCGEXCL
    0x540e,      // TIOCSCTTY
    0x5422,      // TIOCNOTTY
    0x540f,      // TIOCGPGRP
    0x5410,      // TIOCSPGRP
    0x5429,      // TIOCGSID
    0x5411,      // TIOCOUTQ
    0x5413,      // TIOCGWINSZ
    0x5414,      // TIOCSWINSZ
    0x5424,      // TIOCGETD
    0x8004_5432, // TIOCGDEV
    // the pairs of a terminal of one's own
    0x8004_5430, // TIOCGPTN
    0x4004_5431, // TIOCSPTLCK
    0x8004_5439, // TIOCGPTLCK
    0x5441,      // TIOCGPTPEER
    0x5420,      // TIOCPKT
    0x8004_5438, // TIOCGPKT
    // files: what they are; copies that share their blocks, for which the target must be open for writing
    0x8008_6601, // FS_IOC_GETFLAGS
    0x8008_7601, // FS_IOC_GETVERSION
    0x801c_581f, // FS_IOC_FSGETXATTR
    0xc020_660b, // FS_IOC_FIEMAP
    0x0002,      // FIGETBSZ
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
    0x8004_5200, // RNDGETENTCNT
    // sockets: what the interfaces are; changes through SIOCETHTOOL require the rights of the administrator
    0x8905, // SIOCATMARK
    0x8910, // SIOCGIFNAME
    0x8912, // SIOCGIFCONF
    0x8913, // SIOCGIFFLAGS
    0x8915, // SIOCGIFADDR
    0x8917, // SIOCGIFDSTADDR
    0x8919, // SIOCGIFBRDADDR
    0x891b, // SIOCGIFNETMASK
    0x891d, // SIOCGIFMETRIC
    0x8921, // SIOCGIFMTU
    0x8927, // SIOCGIFHWADDR
    0x8933, // SIOCGIFINDEX
    0x8942, // SIOCGIFTXQLEN
    0x8946, // SIOCETHTOOL
    0x8970, // SIOCGIFMAP
];

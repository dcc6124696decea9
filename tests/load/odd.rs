//! The odd clients of the mix: slow, half gone, too long, or too many.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::common::let_pass_async;
use crate::mix::Mix;
use crate::rows::{GONE, JUDGED};
use crate::tally::End;

impl Mix {
    /// A request that takes longer than a turn or is malformed.
    pub async fn odd(self, number: u64) {
        let target = &self.target;
        match number % 6 {
            0 => {
                // Byte by byte, and in time.
                let bytes = target.command("/v1/judge", "ls", JUDGED);
                let answer = async {
                    let mut line = target.open().await?;
                    for byte in bytes.chunks(8) {
                        line.write(byte).await?;
                        let_pass_async(20, "it writes slowly").await;
                    }
                    line.answer().await
                };
                self.judge("slow writer", &[200], &answer.await);
            }
            1 => {
                // Thirty long answers, read bit by bit.
                let answer = async {
                    let mut line = target.open().await?;
                    let bytes = target.request("GET", "/openapi.json", "", "", "").repeat(30);
                    let (mut from, mut to) = line.stream.get_mut().split();
                    let write = async { to.write_all(&bytes).await };
                    let read = async {
                        let (mut read, mut piece) = (0, [0; 4096]);
                        while read < 256 * 1024 {
                            match from.read(&mut piece).await? {
                                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                                more => read += more,
                            }
                            let_pass_async(20, "it reads slowly").await;
                        }
                        io::Result::Ok(())
                    };
                    let (written, read) =
                        tokio::join!(tokio::time::timeout(Duration::from_secs(9), write), read);
                    written.unwrap_or(Ok(())).and(read)
                };
                match answer.await {
                    Ok(()) => self.tally.end("slow reader", End::Good),
                    Err(_) if self.crowd.load(Ordering::Relaxed) => self.tally.end("slow reader", End::Limit),
                    Err(error) => self.tally.wrong(format!("slow reader: {error}")),
                }
            }
            2 => {
                // Half closed after a whole request, and after half of one: heard, or taken for one who went away.
                let bytes = target.command("/v1/judge", "ls", GONE);
                for part in [bytes.len(), bytes.len() / 2] {
                    let Ok(mut line) = target.open().await else { continue };
                    let _ = line.write(&bytes[..part]).await;
                    let _ = line.stream.get_mut().shutdown().await;
                    let answer = line.answer().await;
                    let good = answer
                        .as_ref()
                        .map_or(true, |answer| answer.status == if part == bytes.len() { 200 } else { 400 });
                    if good || self.no_room(&answer) {
                        self.tally.end("half closed", End::Good);
                    } else {
                        self.tally.wrong(format!("half closed: {answer:?}"));
                    }
                }
            }
            3 => {
                // Ten at once on one connection.
                let Ok(mut line) = target.open().await else { return };
                let _ = line.write(&target.command("/v1/judge", "ls", JUDGED).repeat(10)).await;
                for _ in 0..10 {
                    let answer = line.answer().await;
                    self.judge("pipelined", &[200], &answer);
                    if answer.is_err() {
                        return;
                    }
                }
            }
            4 => {
                // A head of 200 KB, which is cut off; the response may be lost with the unread bytes.
                let head = target.request(
                    "GET",
                    "/v1/health",
                    "",
                    &format!("X-Long: {}\r\n", "x".repeat(200_000)),
                    "",
                );
                match target.send(&head).await {
                    Ok(answer) if answer.status == 431 || answer.status == 503 => {
                        self.tally.end("huge head", End::Good)
                    }
                    Err(error) if error.kind() != io::ErrorKind::TimedOut => {
                        self.tally.end("huge head", End::Good)
                    }
                    other => self.tally.wrong(format!("huge head: {other:?}")),
                }
                // Ten MiB, announced and then sent as far as they are taken.
                let answer = async {
                    let mut line = target.open().await?;
                    let head = format!(
                        "POST /v1/actions HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
                         Content-Length: {}\r\n\r\n",
                        target.address,
                        target.token,
                        10 << 20
                    );
                    line.write(head.as_bytes()).await?;
                    let answer = line.answer().await?;
                    let piece = vec![b' '; 65_536];
                    let sent = async {
                        for piece in std::iter::repeat_n(&piece, 160) {
                            line.write(piece).await?;
                        }
                        io::Result::Ok(())
                    };
                    let taken = tokio::time::timeout(Duration::from_secs(5), sent)
                        .await
                        .is_ok_and(|sent| sent.is_ok());
                    if taken { Err(io::Error::other("all of it was taken")) } else { Ok(answer) }
                };
                self.judge("ten MiB", &[413], &answer.await);
            }
            _ => {
                // Asked, and gone before anybody answered.
                if self.phase() != "asking" {
                    return;
                }
                let Ok(mut line) = target.open().await else { return };
                let _ = line.write(&target.command("/v1/actions", "touch gone", GONE)).await;
                let_pass_async(300, "it is asked meanwhile").await;
                self.tally.end("hung up", End::Good);
            }
        }
    }

    /// Two thousand connections at once, most without room; they stay for a second.
    pub async fn crowd(self) {
        self.crowd.store(true, Ordering::Relaxed);
        let opened = (0..2000).map(|_| {
            let target = self.target.clone();
            tokio::spawn(async move {
                let line = target.open().await;
                let_pass_async(1000, "all are there at once").await;
                line.is_ok()
            })
        });
        let opened: Vec<_> = opened.collect();
        let mut there = 0;
        for line in opened {
            there += u64::from(line.await.unwrap());
        }
        if there < 1900 {
            self.tally.wrong(format!("of 2000 connections {there} could be opened"));
        }
        self.tally.end("2000 connections", End::Good);
        let_pass_async(3000, "clients that were refused may notice a little later").await;
        self.crowd.store(false, Ordering::Relaxed);
    }
}

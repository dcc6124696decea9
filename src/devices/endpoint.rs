//! Client for a language model server over plain HTTP. It follows no redirects and reaches nothing else on the
//! network.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header;
use hyper_util::rt::TokioIo;
use zeroize::Zeroizing;

use crate::devices::fault::kind;
use crate::devices::filesystem::own::{FileError, FileFault};

/// The greatest size of a response, in bytes.
const LONGEST: usize = 1024 * 1024;

/// A server and its key, which is never shown.
pub struct Endpoint {
    host: String,
    port: u16,
    path: String,
    remote: bool,
    key: Option<Zeroizing<String>>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointResponse {
    /// The status, such as 200.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why a server of the configuration cannot be used. The texts are English clauses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointFault {
    /// The address is no URL: the parser's message.
    #[error("endpoint.address: {0}")]
    Address(String),
    /// The address names no host.
    #[error("endpoint.address names no host")]
    NoHost,
    /// The file of the key cannot be read.
    #[error("endpoint.key_file {0}")]
    KeyFile(FileError),
    /// The text of this file is no key: it is empty, or has a blank in it.
    #[error("endpoint.key_file {}: its text is no key", .0.display())]
    NoKey(PathBuf),
}

/// Why there is no response. The texts are English and lower case, without a full stop.
#[derive(Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NothingTold {
    /// The server cannot be reached.
    #[error("{0} does not answer: {1}")]
    Unreachable(String, String),
    /// The connection ended too early, or the response is not HTTP.
    #[error("the answer broke off: {0}")]
    Broken(String),
    /// It took too long.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Late(Duration),
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Endpoint({}:{}{})", self.host, self.port, self.path)
    }
}

impl Endpoint {
    /// The configured server; its key file is read now.
    ///
    /// # Errors
    /// If the address is invalid or the key file cannot be used.
    pub fn new(config: &crate::config::EndpointSection) -> Result<Self, EndpointFault> {
        let url =
            url::Url::parse(&config.address).map_err(|error| EndpointFault::Address(error.to_string()))?;
        let host = url.host_str().ok_or(EndpointFault::NoHost)?.to_owned();
        let key = config.key_file.as_deref().map(|path| {
            let read = std::fs::read_to_string(path);
            let text = read.map_err(|error| {
                let fault = FileFault::System((kind(error.kind()), error.to_string()).into());
                EndpointFault::KeyFile(FileError { path: path.into(), fault })
            })?;
            let text = Zeroizing::new(text);
            let key = Zeroizing::new(text.trim().to_owned());
            if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(EndpointFault::NoKey(path.into()));
            }
            Ok(key)
        });
        Ok(Self {
            host,
            port: url.port_or_known_default().unwrap_or(80),
            path: url.path().trim_end_matches('/').to_owned(),
            remote: config.allow_remote,
            key: key.transpose()?,
        })
    }

    /// The address, for display.
    #[must_use]
    pub fn place(&self) -> String {
        format!("http://{}:{}{}", self.host, self.port, self.path)
    }

    /// Posts JSON to a path below the address (`/chat/completions`) and reads the response, all within this time.
    ///
    /// # Errors
    /// [`NothingTold`] if there is no response. A response with any status counts.
    pub async fn post(
        &self,
        path: &str,
        body: &serde_json::Value,
        within: Duration,
    ) -> Result<EndpointResponse, NothingTold> {
        let asking = self.ask("POST", path, body.to_string().into_bytes());
        tokio::time::timeout(within, asking).await.unwrap_or(Err(NothingTold::Late(within)))
    }

    /// Gets a path below the address (`/models`), within this time.
    ///
    /// # Errors
    /// As for [`Endpoint::post`].
    pub async fn get(&self, path: &str, within: Duration) -> Result<EndpointResponse, NothingTold> {
        tokio::time::timeout(within, self.ask("GET", path, Vec::new()))
            .await
            .unwrap_or(Err(NothingTold::Late(within)))
    }

    async fn ask(&self, method: &str, path: &str, body: Vec<u8>) -> Result<EndpointResponse, NothingTold> {
        let broken = |error: &dyn std::fmt::Display| NothingTold::Broken(error.to_string());
        let stream = self.connect().await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| broken(&error))?;
        // Ends with the request, in any case.
        let _connection = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(connection));
        let mut request = hyper::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.path))
            .header(header::HOST, format!("{}:{}", self.host, self.port))
            .header(header::ACCEPT, "application/json");
        if method == "POST" {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", key.as_str()));
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| broken(&error))?;
        let response = sender.send_request(request).await.map_err(|error| broken(&error))?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| broken(&error))?.to_bytes().to_vec();
        Ok(EndpointResponse { status, body })
    }

    /// Unless another machine is permitted, a name must resolve to this machine.
    async fn connect(&self) -> Result<tokio::net::TcpStream, NothingTold> {
        let gone = |why: String| NothingTold::Unreachable(self.place(), why);
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let found = tokio::net::lookup_host((host, self.port)).await;
        let found: Vec<SocketAddr> = found
            .map_err(|error| gone(error.to_string()))?
            .filter(|address| self.remote || address.ip().is_loopback())
            .collect();
        let mut last = "it leads to no address of this machine".to_owned();
        for address in found {
            match tokio::net::TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error.to_string(),
            }
        }
        Err(gone(last))
    }
}

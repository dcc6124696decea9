//! The baseline of the service: axum and hyper as the service uses them, with a handler that returns the JSON
//! that it reads.

use axum::Router;
use axum::routing::post;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;

/// Serves on a free port, printed as the first line, until it is ended.
pub fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let router: Router = Router::new().route("/v1/judge", post(echo));
        let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{{\"address\": \"{}\"}}", socket.local_addr().unwrap());
        loop {
            let (stream, _) = socket.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(async move {
                let _ = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
}

async fn echo(axum::Json(value): axum::Json<serde_json::Value>) -> axum::Json<serde_json::Value> {
    axum::Json(value)
}

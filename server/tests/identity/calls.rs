//! Calls any method by its descriptor, with messages given as JSON.

use bytes::{Buf as _, BufMut as _};
use gsar_proto::json::{Defaults, Transcoding};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::{Code, Request, Status};

use crate::identity::Caller;

/// Returns the name of every method in the contract, such as `GroundingService/Evaluate`.
pub(crate) fn methods() -> Vec<String> {
    let pool = prost_reflect::DescriptorPool::decode(gsar_proto::DESCRIPTORS).unwrap();
    let services = pool.services().filter(|service| service.package_name() == "gsar.v1");
    let methods_of = |service: prost_reflect::ServiceDescriptor| {
        let methods = service.methods().collect::<Vec<_>>().into_iter();
        methods.map(move |method| format!("{}/{}", service.name(), method.name()))
    };
    services.flat_map(methods_of).collect()
}

#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) documents: Vec<String>,
    pub(crate) status: Status,
}

impl Answers {
    pub(crate) fn code(&self) -> Code {
        self.status.code()
    }
}

pub(crate) async fn call_empty(service: Caller, method: &str) -> Status {
    call(service, method, &["{}"]).await.status
}

/// Calls a method with these messages. A unary method accepts only one message.
pub(crate) async fn call(service: Caller, method: &str, documents: &[&str]) -> Answers {
    let transcoding = Transcoding::for_method(&format!("gsar.v1.{method}")).unwrap();
    let message = |document: &&str| transcoding.encode(document).unwrap();
    let messages: Vec<Vec<u8>> = documents.iter().map(message).collect();
    let mut grpc = Grpc::new(service);
    grpc.ready().await.unwrap();
    let request = Request::new(tokio_stream::iter(messages));
    let path = format!("/gsar.v1.{method}").parse().unwrap();
    let mut result = Answers { documents: Vec::new(), status: Status::ok("") };
    let mut answers = match grpc.streaming(request, path, RawCodec).await {
        Ok(answers) => answers.into_inner(),
        Err(status) => return Answers { status, ..result },
    };
    loop {
        match answers.message().await {
            Ok(Some(message)) => {
                result.documents.push(transcoding.decode(&message, Defaults::Printed).unwrap())
            }
            Ok(None) => return result,
            Err(status) => return Answers { status, ..result },
        }
    }
}

pub(crate) struct RawCodec;

impl Codec for RawCodec {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for RawCodec {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message);
        Ok(())
    }
}

impl Decoder for RawCodec {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}

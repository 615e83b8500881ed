//! Encodes messages with prost, and reports undecodable bytes as the caller's error.

use core::marker::PhantomData;

use bytes::{Buf as _, BufMut as _};
use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::ERROR_DOMAIN;
use crate::v1::ErrorReason;

/// The initial size of a call's buffers, in bytes. Most messages fit, and such an allocation is cheap.
const BUFFER: usize = 1024;
/// The number of bytes after which a stream yields.
const YIELD_AFTER: usize = 32 << 10;

/// The codec for all services.
#[derive(Debug, Clone, Copy)]
pub struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = MessageEncoder<T>;
    type Decoder = MessageDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        MessageEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder(PhantomData)
    }
}

/// Encodes messages.
#[derive(Debug)]
pub struct MessageEncoder<T>(PhantomData<T>);

impl<T: Message> Encoder for MessageEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        // Many small writes to a vector are cheaper than writes to the transport's shared buffer.
        buffer.put_slice(&item.encode_to_vec());
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER, YIELD_AFTER)
    }
}

/// Decodes messages. Invalid bytes result in INVALID_ARGUMENT with the reason `MALFORMED_MESSAGE`.
#[derive(Debug)]
pub struct MessageDecoder<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for MessageDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The transport's buffer is contiguous, and reading from a slice is cheaper.
        let result = U::decode(buffer.chunk());
        buffer.advance(buffer.remaining());
        result.map(Some).map_err(|error| {
            let details = ErrorDetails::with_error_info(
                ErrorReason::MalformedMessage.code(),
                ERROR_DOMAIN,
                [],
            );
            Status::with_error_details(
                tonic::Code::InvalidArgument,
                format!("malformed message: {error}"),
                details,
            )
        })
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER, YIELD_AFTER)
    }
}

//! This module encodes messages with prost and answers bytes that do not decode as the caller's mistake.

use core::marker::PhantomData;

use bytes::{Buf as _, BufMut as _};
use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic_types::{ErrorDetails, StatusExt as _};

use crate::ERROR_DOMAIN;
use crate::v1::ErrorReason;

/// The first size of a call's buffers, in bytes: most messages fit, and the allocator hands out such a piece at once.
const BUFFER: usize = 1024;
/// Bytes after which a stream of messages lets others run.
const YIELD_AFTER: usize = 32 << 10;

/// The codec of every service of the contract.
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

/// Writes messages.
#[derive(Debug)]
pub struct MessageEncoder<T>(PhantomData<T>);

impl<T: Message> Encoder for MessageEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        // A vector takes a message's many small pieces at less cost than the transport's shared buffer.
        buffer.put_slice(&item.encode_to_vec());
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER, YIELD_AFTER)
    }
}

/// Reads messages; bytes that are no such message are INVALID_ARGUMENT with reason `MALFORMED_MESSAGE`.
#[derive(Debug)]
pub struct MessageDecoder<U>(PhantomData<U>);

impl<U: Message + Default> Decoder for MessageDecoder<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // The transport's buffer is in one piece; a slice of it is read at less cost than the buffer itself.
        let decoded = U::decode(buffer.chunk());
        buffer.advance(buffer.remaining());
        decoded.map(Some).map_err(|error| {
            let details = ErrorDetails::with_error_info(
                ErrorReason::MalformedMessage.code(),
                ERROR_DOMAIN,
                [],
            );
            Status::with_error_details(
                tonic::Code::InvalidArgument,
                format!("the bytes are no message of this method: {error}"),
                details,
            )
        })
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER, YIELD_AFTER)
    }
}

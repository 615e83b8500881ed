//! Tests the judge `rules/2` without a server.

mod claims_page;
mod statement_files;
mod statements;

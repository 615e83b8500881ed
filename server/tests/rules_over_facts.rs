//! The judge over facts (`rules/2`) by itself, without a server: the page that describes it, and statements over evidence
//! of invented incidents.

mod claims_page;
mod statement_files;
mod statements;

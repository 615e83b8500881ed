//! A claim beside the others by which a model that grounds anything is found out.

use gsar_core::{Claim, ClaimId};

/// A claim that nothing can support, for its figures were drawn just now, and its place among the others; `None` where
/// no id is free.
pub(super) fn canary(claims: &[Claim]) -> Option<(usize, Claim)> {
    let drawn = uuid::Uuid::new_v4();
    let place = usize::from(drawn.as_bytes()[15]) % (claims.len() + 1);
    let drawn = drawn.simple().to_string();
    let (release, component) = drawn.split_at_checked(12)?;
    let text =
        format!("Release {release} of component {component} was audited by an external party.");
    let free = |id: &String| claims.iter().all(|claim| claim.id.as_str() != id);
    let id = (1..=claims.len() + 1).map(|number| format!("c{number}")).find(free)?;
    Some((place, Claim { id: ClaimId::new(id).ok()?, text, span: None }))
}

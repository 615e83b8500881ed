use proptest::prelude::*;

use super::*;

fn yaml_pod(index: usize, name_first: bool, compact: bool, args: usize) -> String {
    let indent = if compact { "" } else { "  " };
    let mut text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    app: cart\n  name: cart-{index}-pod\nspec:\n  containers:\n"
    );
    for container in 0..5 {
        let name = format!("name: c{index}-{container}n");
        let image = format!("image: i{index}-{container}q");
        let (first, last) = if name_first { (&name, &image) } else { (&image, &name) };
        text += &format!("  {indent}- {first}\n");
        text += &format!("  {indent}  args:\n");
        for arg in 0..args {
            text += &format!("  {indent}  - --flag-{arg}=a-long-value-of-an-argument\n");
        }
        text += &format!(
            "  {indent}  limits:\n  {indent}    memory: m{index}-{container}q\n  {indent}  {last}\n"
        );
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_yaml_value_is_shown_with_its_item_and_document(
        index in 0_usize..4, container in 0_usize..5, name_first in any::<bool>(), compact in any::<bool>(), args in 0_usize..90,
    ) {
        let pods: Vec<String> = (0..4).map(|index| yaml_pod(index, name_first, compact, args)).collect();
        let list_items: String = pods.iter().map(|pod| format!("- {}\n", pod.trim_end().replace('\n', "\n  "))).collect();
        for content in [pods.join("---\n"), format!("---\n{}", pods.join("---\n")), format!("apiVersion: v1\nitems:\n{list_items}kind: List\n")] {
            for (key, quote) in [("memory:", format!("m{index}-{container}q")), ("image:", format!("i{index}-{container}q"))] {
                let expected_parts = [format!("cart-{index}-pod"), format!("c{index}-{container}n"), key.to_string(), "containers:".to_string(), "kind: Pod".to_string()];
                check_shown(&content, &quote, &quote, &expected_parts);
            }
        }
    }

    #[test]
    fn a_line_in_a_stack_trace_is_shown_with_its_first_line(
        index in 0_usize..30, frames in 1_usize..60, is_indented in any::<bool>(),
    ) {
        let record = |index: usize| {
            let indent = if is_indented { "\t" } else { "" };
            let stack: String = (0..frames).map(|frame| format!("{indent}at shop.cart.Pool.take{frame}(Pool.java:{frame})\n")).collect();
            format!("2024-05-06 10:{index:02}:00 ERROR svc-{index}-name failed\njava.lang.IllegalStateException: s{index}q\n{stack}Caused by: java.sql.SQLException: c{index}q\n{stack}")
        };
        let content: String = (0..30).map(record).collect();
        for quote in [format!("s{index}q"), format!("c{index}q")] {
            check_shown(&content, &format!("svc-{index}-name"), &quote, &[format!("ERROR svc-{index}-name failed")]);
        }
    }

    #[test]
    fn a_log_line_is_shown_as_a_whole_or_around_the_quote(index in 0_usize..60, padding in 0_usize..4_000) {
        let line = |index: usize| format!("10:{index:02}:00 INFO svc-{index}-name {} status=s{index}q {}\n", "é".repeat(padding / 2), "y".repeat(padding));
        let content: String = (0..60).map(line).collect();
        check_shown(&content, &format!("s{index}q"), &format!("s{index}q"), &[format!("svc-{index}-name"), format!("status=s{index}q")]);
    }

    #[test]
    fn a_value_in_a_section_is_shown_with_its_titles(section in 0_usize..12, key in 0_usize..8, objects in 1_usize..4) {
        let object = |object: usize| {
            let section = |section: usize| {
                let keys: String = (0..8).map(|key| format!("      Key{key}:   {object}s{section}k{key}q\n")).collect();
                format!("  container-{object}-{section}:\n    State:  Running\n    Limits:\n{keys}")
            };
            let sections: String = (0..12).map(section).collect();
            format!("Name:         cart-{object}-pod\nNamespace:    shop\nContainers:\n{sections}Events:  <none>\n")
        };
        let content = (0..objects).map(object).collect::<Vec<_>>().join("\n\n");
        let object = objects - 1;
        let quote = format!("{object}s{section}k{key}q");
        let expected_parts = [format!("cart-{object}-pod"), format!("container-{object}-{section}:"), "Limits:".to_string(), format!("Key{key}:")];
        check_shown(&content, &quote, &quote, &expected_parts);
    }

    #[test]
    fn a_changed_line_is_shown_with_its_sign_hunk_and_file(
        file in 0_usize..4, hunk in 0_usize..4, context in 0_usize..40, is_removed in any::<bool>(), in_string in any::<bool>(),
    ) {
        let render_hunk = |file: usize, hunk: usize| {
            let context_lines = |side: &str| (0..context).map(|line| format!(" {side}line {line} of the file that stays\n")).collect::<String>();
            let lines = 2 * context + 3;
            format!("@@ -{hunk}0,{lines} +{hunk}0,{lines} @@ fn f{file}h{hunk}\n{} near above\n-  memory: {file}b{hunk}q\n+  memory: {file}a{hunk}q\n near below\n{}", context_lines("a"), context_lines("b"))
        };
        let render_file = |file: usize| {
            let hunks: String = (0..4).map(|hunk| render_hunk(file, hunk)).collect();
            format!("diff --git a/f{file}.yaml b/f{file}.yaml\nindex 12..34 100644\n--- a/f{file}.yaml\n+++ b/f{file}.yaml\n{hunks}")
        };
        let diff: String = (0..4).map(render_file).collect();
        let content = format!("commit abcdef\nAuthor: x\n\n    Lower the memory\n\n{diff}");
        let (sign, side) = if is_removed { ('-', 'b') } else { ('+', 'a') };
        let quote = format!("{file}{side}{hunk}q");
        let changed = format!("{sign}  memory: {quote}");
        let expected_parts = [format!("diff --git a/f{file}.yaml"), format!("--- a/f{file}.yaml"), format!("+++ b/f{file}.yaml"), format!("@@ -{hunk}0"), changed, "near above".into(), "near below".into()];
        let content =
            if in_string { serde_json::json!({"diff": content}).to_string() } else { content };
        check_shown(&content, &quote, &quote, &expected_parts);
    }
}

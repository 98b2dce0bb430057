//! Characters → preprocessing tokens.

/// How many bytes the token at an offset has; for carets only, so that it may be simple. 0 at the end of the text.
pub(crate) fn token_length(text: &str, offset: usize) -> usize {
    let rest = text.as_bytes().get(offset..).unwrap_or_default();
    let Some(&first) = rest.first() else { return 0 };
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    match first {
        b'"' | b'\'' => {
            let mut at = 1;
            while at < rest.len() && rest[at] != first && rest[at] != b'\n' {
                at += if rest[at] == b'\\' { 2 } else { 1 };
            }
            (at + 1).min(rest.len())
        }
        _ if word(&first) => rest.iter().take_while(|byte| word(byte)).count(),
        _ => 1,
    }
}

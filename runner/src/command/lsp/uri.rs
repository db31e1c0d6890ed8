//! Paths of documents.

/// Path of the document's file. A document that is not in a file has its last name, in the current folder.
pub(super) fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else {
        let name = uri.rsplit(['/', ':']).next().unwrap_or(uri);
        return decoded(name);
    };
    // The authority is empty, or `localhost`.
    let path = rest.find('/').map_or(rest, |start| &rest[start..]);
    let path = decoded(path);
    let drive = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    match drive {
        Some(rest) if cfg!(windows) => rest.replace('/', "\\"),
        Some(_) | None => path,
    }
}

/// Replaces `%20` and so on by the bytes that they stand for.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%');
        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_a_path() {
        for (uri, path) in [
            ("file:///a/b%20c.shader_test", "/a/b c.shader_test"),
            ("file://localhost/a", "/a"),
            ("file:///a%2", "/a%2"),
            ("file:///a%zz", "/a%zz"),
            ("file:///%C3%A4", "/ä"),
            ("untitled:Untitled-1", "Untitled-1"),
            ("git:/x/a.shader_test", "a.shader_test"),
        ] {
            assert_eq!(path_of(uri), path);
        }
    }
}

//! Pages of the documentation: links, anchors, and blocks of code with the comments above them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Path from the root of the repository.
    pub(super) path: PathBuf,
    /// The Markdown.
    pub(super) text: String,
    /// The links and images, in order.
    pub(super) links: Vec<Link>,
    /// Anchors of the headings, as GitHub and mdBook derive them from the text.
    pub(super) anchors: BTreeSet<String>,
    /// The blocks of code, in order.
    pub(super) blocks: Vec<Block>,
}

/// A link or an image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Line of the link, from 1.
    pub(super) line: usize,
    /// Destination, as written.
    pub(super) target: String,
    /// Place of the whole link in the text of the page.
    pub(super) place: Range<usize>,
}

/// A fenced block of code.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Line of the fence, from 1.
    pub(super) line: usize,
    /// Language behind the fence.
    pub(super) language: String,
    /// Lines between the fences, without the indentation of the fence.
    pub(super) lines: Vec<String>,
    /// HTML comments directly above the block.
    pub(super) comments: Vec<Comment>,
}

/// An HTML comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// Line of its beginning, from 1.
    pub(super) line: usize,
    /// Text between the signs of the comment, trimmed.
    pub(super) text: String,
}

impl Page {
    /// Reads the page at `path`, which is relative to the repository.
    pub(super) fn read(root: &Path, path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(root.join(path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self::of(path, &text))
    }

    /// Parses the text of a page.
    pub(super) fn of(path: &Path, text: &str) -> Self {
        let mut reader = Reader::new(path, text);
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        for (event, place) in Parser::new_ext(text, options).into_offset_iter() {
            reader.take(&event, place);
        }
        reader.page
    }

    /// Name of a place in the page, as in messages of compilers.
    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}

/// What is read of a page so far.
struct Reader<'a> {
    page: Page,
    /// Offsets of the beginnings of all lines.
    lines: Vec<usize>,
    source: &'a str,
    /// Text of the heading that is open.
    heading: Option<String>,
    /// True inside a block of code.
    is_code: bool,
    /// Comments that nothing but comments has followed.
    comments: Vec<Comment>,
}

impl<'a> Reader<'a> {
    fn new(path: &Path, source: &'a str) -> Self {
        let breaks = source.match_indices('\n').map(|(offset, _)| offset + 1);
        Self {
            page: Page { path: path.to_owned(), text: source.to_owned(), ..Page::default() },
            lines: std::iter::once(0).chain(breaks).collect(),
            source,
            heading: None,
            is_code: false,
            comments: Vec::new(),
        }
    }

    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    fn take(&mut self, event: &Event<'_>, place: Range<usize>) {
        match event {
            Event::Start(tag) => self.open(tag, place),
            Event::End(tag) => self.close(*tag),
            Event::Text(text) | Event::Code(text) => self.text(text),
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>, place: Range<usize>) {
        let line = self.line(place.start);
        if let Tag::HtmlBlock = tag {
            self.comments_in(&place);
            return;
        }
        let comments = std::mem::take(&mut self.comments);
        if let Tag::Heading { .. } = tag {
            self.heading = Some(String::new());
        } else if let Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } = tag {
            self.page.links.push(Link { line, target: dest_url.to_string(), place });
        } else if let Tag::CodeBlock(CodeBlockKind::Fenced(language)) = tag {
            let language = language.to_string();
            self.page.blocks.push(Block { line, language, lines: Vec::new(), comments });
            self.is_code = true;
        }
    }

    fn close(&mut self, tag: TagEnd) {
        if let TagEnd::Heading(_) = tag
            && let Some(heading) = self.heading.take()
        {
            self.anchor(&heading);
        } else if let TagEnd::CodeBlock = tag {
            self.is_code = false;
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        } else if self.is_code
            && let Some(block) = self.page.blocks.last_mut()
        {
            block.lines.extend(text.lines().map(str::to_owned));
        }
    }

    /// Adds the anchor of a heading; further headings with the same text get a number.
    fn anchor(&mut self, heading: &str) {
        let anchor = anchor_of(heading);
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = std::iter::once(anchor.clone()).chain(numbered);
        let free = names.find(|name| !self.page.anchors.contains(name));
        self.page.anchors.extend(free);
    }

    fn comments_in(&mut self, place: &Range<usize>) {
        let text = &self.source[place.clone()];
        for (offset, sign) in text.match_indices("<!--") {
            let text = text[offset + sign.len()..].split("-->").next().unwrap_or_default();
            let line = self.line(place.start + offset);
            self.comments.push(Comment { line, text: text.trim().to_owned() });
        }
    }
}

/// Anchor of a heading: lower case, spaces become hyphens, and other signs are left out.
fn anchor_of(heading: &str) -> String {
    let is_kept = |char: &char| char.is_alphanumeric() || " -_".contains(*char);
    heading.trim().to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_anchors_and_blocks_are_found_with_their_lines() {
        let text = "\
# A `[link]` line: 2

[a](b.md#c) and ![d](e.png)

<!-- exit 1: on purpose -->
<!-- setup:
one
-->
```sh
# a comment
run
```

* in a list

  ```console
  $ run
  ```

## Twice
## Twice
";
        let page = Page::of(Path::new("page.md"), text);
        let anchors: Vec<_> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["a-link-line-2", "twice", "twice-1"]);
        let links: Vec<_> = page.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(links, ["b.md#c", "e.png"]);
        assert_eq!(page.links[1].line, 3);
        assert_eq!(&text[page.links[0].place.clone()], "[a](b.md#c)");
        let comment = |line, text: &str| Comment { line, text: text.to_owned() };
        let block = |line, language: &str, lines: &[&str], comments| Block {
            line,
            language: language.to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            comments,
        };
        let comments = vec![comment(5, "exit 1: on purpose"), comment(6, "setup:\none")];
        assert_eq!(page.blocks[0], block(9, "sh", &["# a comment", "run"], comments));
        assert_eq!(page.blocks[1], block(16, "console", &["$ run"], Vec::new()));
    }
}

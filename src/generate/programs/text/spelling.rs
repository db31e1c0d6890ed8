//! Spells the tokens of a stage in other ways that mean the same: numbers, types, components, white space and comments,
//! and statements that do nothing.
//!
//! Each choice depends on a token and its neighbours alone. So it stays the same when other parts of the program go.

mod name;
mod number;

/// Names of types, and of their aliases.
const ALIASES: [(&str, &str); 3] = [("f32", "Number"), ("i32", "Whole"), ("u32", "Word")];

/// Statements of WGSL that do nothing. naga ends an assertion at the parenthesis that matches its first one.
const IDLE: [&str; 5] =
    [";", "_ = 7u;", "const_assert 1 < 2;", "const_assert(2 > 1 && 1 < 2);", "{ }"];

/// First tokens of statements behind which no other may stand.
const LEAVING: [&str; 4] = ["return", "break", "continue", "discard"];

/// Number of open parentheses in which no others are added: compilers limit their nesting.
const MOST_PARENTHESES: usize = 60;

/// Words before a parenthesis that open no list of arguments.
const NO_CALLS: [&str; 8] = ["if", "while", "for", "switch", "return", "case", "else", "in"];

/// The text of a stage in another spelling.
pub(super) fn respelled(text: &str, seed: u64, is_wgsl: bool) -> String {
    let tokens = tokens(text);
    let speller = Speller {
        tokens: &tokens,
        seed,
        is_wgsl,
        text: String::new(),
        parentheses: Vec::new(),
        blocks: Vec::new(),
        names: name::Names::new(&tokens, seed, is_wgsl),
        statement: "",
        is_new: true,
    };
    speller.stage()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'a> {
    /// White space before it.
    gap: &'a str,
    text: &'a str,
}

/// The tokens. A line with a directive is one, and so is every character that is no part of a name or a number.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let gap = rest.len() - rest.trim_start().len();
        let (space, behind) = rest.split_at(gap);
        let Some(first) = behind.chars().next() else { return found };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = match first {
            '#' => behind.find('\n'),
            '0'..='9' => Some(number::length(behind)),
            _ if is_name(first) => behind.find(|letter| !is_name(letter)),
            _ => Some(1),
        };
        let (token, others) = behind.split_at(end.unwrap_or(behind.len()));
        found.push(Token { gap: space, text: token });
        rest = others;
    }
}

/// Construct that an open parenthesis starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parenthesis<'a> {
    /// A call, or a list of parameters.
    List,
    /// A constructor of vectors, or in WGSL of arrays, with elements of this type.
    Constructor(&'a str),
    Other,
}

struct Speller<'a> {
    tokens: &'a [Token<'a>],
    seed: u64,
    is_wgsl: bool,
    text: String,
    parentheses: Vec<Parenthesis<'a>>,
    /// For each open brace, true if statements are inside.
    blocks: Vec<bool>,
    names: name::Names<'a>,
    /// First token of the statement.
    statement: &'a str,
    /// True before a statement's first token.
    is_new: bool,
}

impl<'a> Speller<'a> {
    fn stage(mut self) -> String {
        let start = self.directives();
        let mut at = start;
        while at < self.tokens.len() {
            at = self.token(at);
        }
        self.text.push('\n');
        self.text
    }

    /// Copies the directives, which stand before all else, and adds others. Returns the number of the first token behind
    /// them.
    fn directives(&mut self) -> usize {
        let is_enable = self.at(0) == "enable";
        let count = if is_enable {
            3
        } else {
            self.tokens.iter().take_while(|token| token.text.starts_with('#')).count()
        };
        for token in &self.tokens[..count] {
            self.text.extend([token.gap, token.text]);
        }
        if count > 0 {
            self.text.push('\n');
        }
        if self.is_wgsl {
            self.text += "diagnostic(off, derivative_uniformity,);\n";
            for (name, alias) in ALIASES {
                self.text.extend(["alias ", alias, " = ", name, ";\n"]);
            }
            self.text += "/* A comment /* in another. */ */ const_assert true;\n";
            self.text += "const ONE = 1u - 0u; override OTHER_ONE: u32 = ONE;\n";
        } else {
            self.text += "#define SAME(value) value\n";
            self.text += "#define LONGER(value) \\\n    (value)\n";
        }
        count
    }

    fn at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// A number below `of` for a choice about a token. The salt tells choices about one token apart.
    fn choice(&self, at: usize, salt: u8, of: usize) -> usize {
        let mut hash = 0xcbf2_9ce4_8422_2325 ^ self.seed;
        for number in [at.wrapping_sub(1), at, at + 1] {
            for byte in self.at(number).bytes().chain([salt]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        fastrand::Rng::with_seed(hash).usize(0..of)
    }

    /// Writes a token, perhaps with some behind it. Returns the number of the next one.
    fn token(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        if self.is_new {
            (self.statement, self.is_new) = (token.text, false);
        }
        self.gap(at);
        let mut next = at + 1;
        match token.text {
            "(" => {
                self.parentheses.push(self.parenthesis(at));
                self.text.push('(');
            }
            ")" => self.close(at),
            "{" => {
                self.blocks.push(self.statement != "struct" && !self.is_glsl_block());
                self.text.push('{');
                self.is_new = true;
            }
            "}" => {
                self.blocks.pop();
                self.text.push('}');
                self.is_new = true;
            }
            ";" => self.semicolon(at),
            _ if token.text.starts_with(|letter: char| letter.is_ascii_digit()) => self.number(at),
            _ if at > 0 && self.at(at - 1) == "." => {
                let names = self.components(at);
                self.text += &names;
            }
            ":" if self.is_wgsl => next = self.colon(at),
            "fn" if self.must_use(at) => self.text += "@must_use fn",
            _ if self.is_wgsl => next = self.ty(at),
            _ => self.text += &self.names.of(token.text),
        }
        next
    }

    /// True inside the head of a block of varyings or a buffer of GLSL, whose brace opens no statements.
    fn is_glsl_block(&self) -> bool {
        !self.is_wgsl && ["layout", "in", "out", "buffer"].contains(&self.statement)
    }

    /// Writes the white space before a token, or more.
    fn gap(&mut self, at: usize) {
        let Token { gap, text } = self.tokens[at];
        self.text += gap;
        let before = if at == 0 { "" } else { self.at(at - 1) };
        // A line that begins with one of these is no line of a stage.
        let is_first = ["[", "#"].contains(&text);
        let is_apart = !gap.is_empty() || ["(", ",", ";"].contains(&before) || text == ")";
        if !is_apart || is_first || text.starts_with('#') || before.starts_with('#') {
            return;
        }
        match self.choice(at, 1, 40) {
            0 => self.text += "/* *//**/ ",
            1 if self.is_wgsl => self.text += "/* /**/ /* a */ */",
            2 => self.text += "// ) /* \n ",
            3 => self.text += "\t\n ",
            _ => {}
        }
    }

    /// Writes a colon, or leaves out the type of a variable whose initial value gives it. Returns the number of the next
    /// token.
    fn colon(&mut self, at: usize) -> usize {
        let rest = &self.tokens[at..];
        let end = rest.iter().position(|token| ["=", ";", "{", ")"].contains(&token.text));
        let is_variable = self.statement == "var" && self.parentheses.is_empty();
        match end {
            Some(end) if is_variable && self.at(at + end) == "=" && self.choice(at, 9, 3) == 0 => {
                at + end
            }
            _ => {
                self.text.push(':');
                at + 1
            }
        }
    }

    /// True if a function of WGSL has a result that every call uses.
    fn must_use(&self, at: usize) -> bool {
        let name = self.at(at + 1);
        let head = self.tokens[at..].iter().take_while(|token| token.text != "{");
        let has_result = head.map(|token| token.text).any(|token| token == ">");
        let mut calls = self.tokens.windows(2).filter(|pair| pair[1].text == name);
        let is_used = |pair: &[Token<'_>]| !["{", "}", ";"].contains(&pair[0].text);
        name.starts_with("call") && has_result && calls.all(is_used)
    }

    /// True if there is a comma in the list that the parenthesis at `at` opens.
    fn has_comma(&self, at: usize) -> bool {
        let mut depth = 0;
        for token in &self.tokens[at..] {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 1 => return false,
                ")" | "]" => depth -= 1,
                "," if depth == 1 => return true,
                _ => {}
            }
        }
        false
    }

    /// Returns the construct that the parenthesis at `at` starts.
    fn parenthesis(&self, at: usize) -> Parenthesis<'a> {
        let before = if at == 0 { "" } else { self.at(at - 1) };
        if before == ">" {
            // The written text tells whether the type is there: it may have been left to the elements.
            let is_typed = !self.text.ends_with(|letter: char| letter.is_ascii_digit());
            let element = self.template(at - 1).and_then(|start| match self.at(start - 1) {
                name if is_typed && (name.starts_with("vec") || name == "array") => {
                    Some(self.at(start + 1))
                }
                _ => None,
            });
            return element.map_or(Parenthesis::Other, Parenthesis::Constructor);
        }
        let is_name = before.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !is_name || NO_CALLS.contains(&before) {
            return Parenthesis::Other;
        }
        match before {
            "vec2" | "vec3" | "vec4" if !self.is_wgsl => Parenthesis::Constructor("f32"),
            _ => Parenthesis::List,
        }
    }

    /// Number of the `<` of a list of template arguments that ends at `end`; `None` if there is no such.
    fn template(&self, end: usize) -> Option<usize> {
        let mut depth = 0;
        for at in (1..=end).rev() {
            match self.at(at) {
                ">" => depth += 1,
                "<" => depth -= 1,
                "(" | ")" | ";" | "{" | "}" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Closes a parenthesis. In WGSL, a comma may follow the last argument.
    fn close(&mut self, at: usize) {
        let opened = self.parentheses.pop();
        let is_list = matches!(opened, Some(Parenthesis::List | Parenthesis::Constructor(_)));
        let is_empty = at > 0 && self.at(at - 1) == "(";
        let is_size = self.is_wgsl && self.at(at.wrapping_sub(3)) == "workgroup_size";
        if is_size {
            self.text +=
                ["", ", ONE", ", ONE, OTHER_ONE"][usize::from(self.seed.to_le_bytes()[0] % 3)];
        }
        if self.is_wgsl && is_list && !is_empty && self.choice(at, 2, 8) == 0 {
            self.text.push(',');
        }
        self.text.push(')');
    }

    /// Ends a statement, and perhaps adds one.
    fn semicolon(&mut self, at: usize) {
        self.text.push(';');
        if !self.parentheses.is_empty() {
            return;
        }
        if self.statement == "workgroupBarrier" {
            self.text += ["", " storageBarrier();", " textureBarrier();"][self.choice(at, 16, 3)];
        }
        self.is_new = true;
        let is_inside = self.blocks.last() == Some(&true);
        if !is_inside || LEAVING.contains(&self.statement) || self.choice(at, 3, 12) > 0 {
            return;
        }
        let idle: &[&str] = if self.is_wgsl { &IDLE } else { &[";", "{ }"] };
        self.text.extend([" ", idle[self.choice(at, 4, idle.len())]]);
    }

    fn number(&mut self, at: usize) {
        let suffixes = match self.parentheses.last() {
            Some(Parenthesis::Constructor(ty)) if self.is_alone(at) => number::suffix(ty),
            _ => None,
        };
        let mut choose = |salt, of| self.choice(at, salt, of);
        let text = number::respelled(self.at(at), suffixes, self.is_wgsl, &mut choose);
        let text = match self.choice(at, 5, 8) {
            _ if self.parentheses.len() > MOST_PARENTHESES => text,
            0 => format!("({text})"),
            1 if !self.is_wgsl => format!("SAME({text})"),
            2 if !self.is_wgsl => format!("LONGER({text})"),
            _ => text,
        };
        self.text += &text;
    }

    /// True if a token is a whole argument.
    fn is_alone(&self, at: usize) -> bool {
        at > 0 && ["(", ","].contains(&self.at(at - 1)) && [")", ","].contains(&self.at(at + 1))
    }

    /// The names of components of a vector in another set; other members stay.
    fn components(&self, at: usize) -> String {
        let names = self.at(at);
        let sets = if self.is_wgsl { &["rgba"][..] } else { &["rgba", "stpq"][..] };
        let chosen = self.choice(at, 6, 4);
        let is_vector = names.chars().all(|name| "xyzw".contains(name));
        match sets.get(chosen) {
            Some(set) if is_vector => {
                let other = |name| "xyzw".find(name).and_then(|at| set.chars().nth(at));
                names.chars().filter_map(other).collect()
            }
            _ => names.to_owned(),
        }
    }

    /// Writes a name, or a type of WGSL in its short form. Returns the number of the next token.
    fn ty(&mut self, at: usize) -> usize {
        let name = self.at(at);
        let is_vector = ["vec", "mat"].iter().any(|start| name.starts_with(start));
        let short = match self.at(at + 2) {
            "f32" => "f",
            "i32" => "i",
            "u32" => "u",
            "f16" => "h",
            _ => "",
        };
        let is_plain = self.at(at + 1) == "<" && self.at(at + 3) == ">";
        // The elements give the type.
        let is_constructor = self.at(at + 4) == "(" && self.has_comma(at + 4);
        if is_vector && is_plain && is_constructor && self.choice(at, 15, 4) == 0 {
            self.text += name;
            return at + 4;
        }
        if is_vector && is_plain && !short.is_empty() && self.choice(at, 7, 3) == 0 {
            self.text.extend([name, short]);
            return at + 4;
        }
        let alias = ALIASES.iter().find(|(own, _)| *own == name);
        match alias {
            Some((_, alias)) if self.choice(at, 8, 3) == 0 => self.text += alias,
            _ => self.text += &self.names.of(name),
        }
        at + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All spellings of a text that some seeds give.
    fn spellings(text: &str, is_wgsl: bool) -> String {
        (0..400).map(|seed| respelled(text, seed, is_wgsl)).collect()
    }

    #[test]
    fn directives_stay_first() {
        let text = respelled("enable f16;\nvar<private> a: f16;\n", 1, true);
        assert!(text.starts_with("enable f16;\ndiagnostic(off, "), "{text}");
        let text = respelled("#extension A : require\nint a;\n", 1, false);
        assert!(text.starts_with("#extension A : require\n#define SAME"), "{text}");
    }

    #[test]
    fn types_of_wgsl_are_short_or_have_aliases() {
        let all = spellings("fn f(a: vec3<f32>, b: mat2x3<f32>) -> u32 { }", true);
        for part in ["a: vec3f", "a: vec3<f32>", "vec3<Number>", "b: mat2x3f", "-> Word"] {
            assert!(all.contains(part), "{part}");
        }
    }

    #[test]
    fn lists_of_wgsl_may_end_with_a_comma_and_other_parentheses_may_not() {
        let all = spellings("fn f() { g(a, b); let c = vec2<f32>(a) > (b); }", true);
        assert!(all.contains("g(a, b,)") && all.contains("(a,)") && !all.contains("(b,)"));
        assert!(!spellings("f();", true).contains("(,"));
        assert!(!spellings("f(a);", false).contains("a,"));
    }

    #[test]
    fn statements_are_added_where_one_may_stand() {
        let all = spellings("fn f() { a = b; for (a = b; c; d) { return e; } }", true);
        assert!(all.contains("a = b; _ = 7u;") && all.contains("a = b; { }"));
        assert!(!all.contains("c; _") && !all.contains("e; _"));
        assert!(!spellings("layout(std430) buffer B { uint a; };", false).contains("a; ;"));
        assert!(!spellings("struct A { int a; };", false).contains("a; ;"));
        assert!(spellings("void main() { a = b; }", false).contains("a = b; ;"));
    }

    #[test]
    fn components_have_other_names() {
        let all = spellings("a = b.xy;", false);
        assert!([".xy", ".rg", ".st"].iter().all(|part| all.contains(part)));
        assert!(!spellings("a = b.xy;", true).contains(".st"));
        assert!(!spellings("a = b.exp.m0;", true).contains(".r"));
    }

    #[test]
    fn only_arguments_of_constructors_lose_their_types() {
        let all = spellings("a = vec2<f32>(1.0f, b); c = d(1.0f, b);", true);
        assert!(all.contains("vec2f(1, b)") && !all.contains("d(1, b)"));
        assert!(all.contains("vec2(1.0f, b)") && !all.contains("vec2(1, b)"));
        let all = spellings("a = vec2<f32>(b);", true);
        assert!(!all.contains("vec2("), "a conversion needs its type");
        let all = spellings("fn f(a: vec2<f32>, b: u32) { g(c, d); }", true);
        assert!(!all.contains("a: vec2,"), "a parameter needs its type");
    }

    #[test]
    fn initial_values_give_variables_their_types() {
        let all = spellings("var a: vec2<u32> = b; var c: u32; fn d(e: u32) { }", true);
        assert!(all.contains("var a = b") && !all.contains("var c;") && !all.contains("d(e)"));
    }

    #[test]
    fn results_that_calls_use_must_be_used() {
        let all = "fn call1() -> u32 { } fn call2() -> u32 { } fn call3() { } fn f() { a = call1(); call2(); }";
        let text = spellings(all, true);
        let with = |name: &str| text.contains(&format!("@must_use fn {name}"));
        assert_eq!(["call1", "call2", "call3", "f"].map(with), [true, false, false, false]);
    }

    #[test]
    fn sizes_of_workgroups_have_constants() {
        let all = spellings("@workgroup_size(8)", true);
        assert!(all.contains(", ONE, OTHER_ONE") && all.contains("workgroup_size(8)"));
    }
}

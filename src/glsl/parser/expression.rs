//! Parses expressions by precedence climbing.

use crate::ast::{BinaryOp, Expr, ExprKind, Ident, TypeName, UnaryOp};
use ir::source::Span;

use super::MAX_EXPRESSION_DEPTH;
use super::cursor::{Class, Lexeme, Parsed, Parser};

/// The precedence of `||`, the loosest infix operator.
const LOOSEST: u8 = 1;

/// An expression and its depth in nodes.
///
/// The expression is boxed from the start, because a tree is returned through ten functions for every parenthesis.
struct Tree {
    expr: Box<Expr>,
    depth: usize,
}

impl Tree {
    fn new(kind: ExprKind, span: Span, depth: usize) -> Self {
        Self { expr: Box::new(Expr { kind, span }), depth }
    }

    fn span(&self) -> Span {
        self.expr.span
    }
}

impl Parser<'_, '_> {
    /// Parses an expression, including commas.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        Ok(*self.comma()?.expr)
    }

    /// Parses an expression without commas outside parentheses.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        Ok(*self.assign()?.expr)
    }

    /// Parses an expression without assignments outside parentheses, such as a constant expression.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        Ok(*self.nested(Self::select)?.expr)
    }

    /// Takes the next token, which must be a word of any class.
    pub(super) fn word(&mut self) -> Parsed<Ident> {
        let lexeme = self.peek(0);
        if !lexeme.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.expected("a name"));
        }
        self.take();
        Ok(Ident { name: lexeme.text.to_string(), span: lexeme.span })
    }

    fn comma(&mut self) -> Parsed<Tree> {
        let mut left = self.assign()?;
        while self.eat(",") {
            let right = self.assign()?;
            let (span, depth) = (left.span().to(right.span()), left.depth.max(right.depth));
            left = self.node(ExprKind::Comma(left.expr, right.expr), span, depth)?;
        }
        Ok(left)
    }

    fn assign(&mut self) -> Parsed<Tree> {
        self.nested(|parser| {
            let target = parser.select()?;
            let operator = compound_assignment(parser.peek(0));
            if let Some(operator) = operator {
                parser.check_operator(operator);
            }
            if operator.is_none() && !parser.is_at("=") {
                return Ok(target);
            }
            parser.take();
            let value = parser.assign()?;
            let (span, depth) = (target.span().to(value.span()), target.depth.max(value.depth));
            parser.node(ExprKind::Assign(operator, target.expr, value.expr), span, depth)
        })
    }

    fn select(&mut self) -> Parsed<Tree> {
        let condition = self.binary(LOOSEST)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let accept = self.comma()?;
        self.expect(":")?;
        let reject = self.assign()?;
        let span = condition.span().to(reject.span());
        let depth = condition.depth.max(accept.depth).max(reject.depth);
        let kind = ExprKind::Select(condition.expr, accept.expr, reject.expr);
        self.node(kind, span, depth)
    }

    /// Parses infix operators that bind at least as tightly as `minimum`.
    fn binary(&mut self, minimum: u8) -> Parsed<Tree> {
        let mut left = self.unary()?;
        while let Some((precedence, operator)) = infix_operator(self.peek(0)) {
            if precedence < minimum {
                break;
            }
            self.check_operator(operator);
            self.take();
            let right = self.nested(|parser| parser.binary(precedence + 1))?;
            let (span, depth) = (left.span().to(right.span()), left.depth.max(right.depth));
            let kind = ExprKind::Binary(operator, left.expr, right.expr);
            left = self.node(kind, span, depth)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Tree> {
        let lexeme = self.peek(0);
        if lexeme.class != Class::Fixed {
            return self.postfix();
        }
        let operator = match &*lexeme.text {
            "+" => UnaryOp::Plus,
            "-" => UnaryOp::Minus,
            "!" => UnaryOp::Not,
            "~" => {
                self.check_integer_operator();
                UnaryOp::BitNot
            }
            "++" | "--" => return self.prefix_increment(),
            _ => return self.postfix(),
        };
        self.take();
        let operand = self.nested(Self::unary)?;
        let (span, depth) = (lexeme.span.to(operand.span()), operand.depth);
        self.node(ExprKind::Unary(operator, operand.expr), span, depth)
    }

    fn check_operator(&mut self, operator: BinaryOp) {
        match operator {
            BinaryOp::Mod
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::BitAnd
            | BinaryOp::BitXor
            | BinaryOp::BitOr => self.check_integer_operator(),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Less
            | BinaryOp::Greater
            | BinaryOp::LessEqual
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalXor
            | BinaryOp::LogicalOr => {}
        }
    }

    /// Records an error if the version has no integer operators.
    fn check_integer_operator(&mut self) {
        if !self.rules.has_integer_operators {
            let lexeme = self.peek(0);
            let message = format!("`{}` needs GLSL 1.30 or GLSL ES 3.00", lexeme.text);
            self.note(lexeme.span, message);
        }
    }

    fn prefix_increment(&mut self) -> Parsed<Tree> {
        let lexeme = self.take();
        let operand = self.nested(Self::unary)?;
        let (span, depth) = (lexeme.span.to(operand.span()), operand.depth);
        let is_increment = lexeme.is("++");
        let kind = ExprKind::Increment { operand: operand.expr, is_increment, is_prefix: true };
        self.node(kind, span, depth)
    }

    fn postfix(&mut self) -> Parsed<Tree> {
        let mut tree = self.primary()?;
        loop {
            let lexeme = self.peek(0);
            if lexeme.class != Class::Fixed {
                return Ok(tree);
            }
            let start = tree.span();
            let (kind, depth) = match &*lexeme.text {
                "[" => self.index(tree)?,
                "." => self.member_access(tree)?,
                "++" | "--" => {
                    self.take();
                    let (is_increment, depth) = (lexeme.is("++"), tree.depth);
                    let operand = tree.expr;
                    (ExprKind::Increment { operand, is_increment, is_prefix: false }, depth)
                }
                "(" if matches!(tree.expr.kind, ExprKind::Index(..)) => {
                    let (arguments, depth) = self.arguments()?;
                    let depth = depth.max(tree.depth);
                    (ExprKind::CallIndexed(tree.expr, arguments), depth)
                }
                "(" => {
                    let message = "only functions and types can be called";
                    return Err(self.fail(start.to(lexeme.span), message));
                }
                _ => return Ok(tree),
            };
            tree = self.node(kind, start.to(self.last), depth)?;
        }
    }

    /// Parses `base[…]` from the bracket on.
    fn index(&mut self, base: Tree) -> Parsed<(ExprKind, usize)> {
        self.take();
        let index = self.comma()?;
        self.expect("]")?;
        let depth = base.depth.max(index.depth);
        Ok((ExprKind::Index(base.expr, index.expr), depth))
    }

    /// Parses `base.field` or `base.method(…)` from the dot on.
    fn member_access(&mut self, base: Tree) -> Parsed<(ExprKind, usize)> {
        self.take();
        let name = self.word()?;
        if !self.is_at("(") {
            let depth = base.depth;
            return Ok((ExprKind::Field(base.expr, name), depth));
        }
        if !self.rules.has_methods {
            self.note(name.span, "`length()` needs GLSL 1.20 or GLSL ES 3.00");
        }
        let (arguments, depth) = self.arguments()?;
        let depth = depth.max(base.depth);
        Ok((ExprKind::Method(base.expr, name, arguments), depth))
    }

    fn primary(&mut self) -> Parsed<Tree> {
        let lexeme = self.peek(0);
        let leaf = |kind| Ok(Tree::new(kind, lexeme.span, 1));
        match &lexeme.class {
            Class::Literal(value) => {
                self.take();
                leaf(value.clone())
            }
            Class::Fixed if lexeme.is("(") => self.parenthesized(),
            Class::Fixed if lexeme.is("true") || lexeme.is("false") => {
                self.take();
                leaf(ExprKind::Bool(lexeme.is("true")))
            }
            Class::Type => self.construction(),
            Class::Fixed if lexeme.is("unsigned") => self.construction(),
            Class::Name | Class::Reserved if self.peek(1).is("(") => {
                let name = self.name()?;
                self.call(name)
            }
            Class::Name if self.is_array_type() => self.construction(),
            Class::Name | Class::Reserved => {
                let name = self.name()?;
                leaf(ExprKind::Variable(name.name))
            }
            Class::Fixed | Class::End => Err(self.expected("an expression")),
        }
    }

    /// True if the name here is a type with array sizes: `S[2]` or `S[]`.
    fn is_array_type(&self) -> bool {
        let is_empty = self.peek(1).is("[") && self.peek(2).is("]");
        is_empty || (self.peek(1).is("[") && self.scopes.is_struct(&self.peek(0).text))
    }

    /// Parses `( … )`; the parentheses are in the span but not in the tree.
    fn parenthesized(&mut self) -> Parsed<Tree> {
        let start = self.here();
        self.take();
        let mut tree = self.comma()?;
        self.expect(")")?;
        tree.expr.span = start.to(self.last);
        Ok(tree)
    }

    /// Parses `vec3(…)` or `float[2](…)`.
    fn construction(&mut self) -> Parsed<Tree> {
        let ty = self.type_specifier()?;
        if !self.is_at("(") {
            return Err(self.expected("`(`"));
        }
        if let (TypeName::Named(name), true) = (&ty.kind, ty.array.is_empty()) {
            return self.call(Ident { name: name.clone(), span: ty.span });
        }
        let start = ty.span;
        let (arguments, depth) = self.arguments()?;
        self.node(ExprKind::Construct(ty, arguments), start.to(self.last), depth)
    }

    fn call(&mut self, name: Ident) -> Parsed<Tree> {
        let start = name.span;
        let (arguments, depth) = self.arguments()?;
        self.node(ExprKind::Call(name, arguments), start.to(self.last), depth)
    }

    /// Parses `(a, b)`. Also returns the depth of the deepest argument. `(void)` is an empty list.
    fn arguments(&mut self) -> Parsed<(Vec<Expr>, usize)> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        let mut depth = 0;
        let is_void = self.peek(0).class == Class::Type && &*self.peek(0).text == "void";
        if is_void && self.peek(1).is(")") {
            self.take();
        }
        if self.eat(")") {
            return Ok((arguments, depth));
        }
        loop {
            let argument = self.assign()?;
            depth = depth.max(argument.depth);
            arguments.push(*argument.expr);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok((arguments, depth))
    }

    /// Makes a node whose deepest operand is `depth` nodes deep.
    fn node(&mut self, kind: ExprKind, span: Span, depth: usize) -> Parsed<Tree> {
        if depth >= MAX_EXPRESSION_DEPTH {
            let word =
                format!("an expression of more than {MAX_EXPRESSION_DEPTH} nested operations");
            return Err(self.exceed(self.last, word));
        }
        Ok(Tree::new(kind, span, depth + 1))
    }
}

/// The operation of a compound assignment such as `+=`.
fn compound_assignment(lexeme: &Lexeme<'_>) -> Option<BinaryOp> {
    if lexeme.class != Class::Fixed {
        return None;
    }
    Some(match &*lexeme.text {
        "+=" => BinaryOp::Add,
        "-=" => BinaryOp::Sub,
        "*=" => BinaryOp::Mul,
        "/=" => BinaryOp::Div,
        "%=" => BinaryOp::Mod,
        "<<=" => BinaryOp::Shl,
        ">>=" => BinaryOp::Shr,
        "&=" => BinaryOp::BitAnd,
        "^=" => BinaryOp::BitXor,
        "|=" => BinaryOp::BitOr,
        _ => return None,
    })
}

/// The operator and its precedence; a larger one binds more tightly.
fn infix_operator(lexeme: &Lexeme<'_>) -> Option<(u8, BinaryOp)> {
    if lexeme.class != Class::Fixed {
        return None;
    }
    Some(match &*lexeme.text {
        "||" => (LOOSEST, BinaryOp::LogicalOr),
        "^^" => (2, BinaryOp::LogicalXor),
        "&&" => (3, BinaryOp::LogicalAnd),
        "|" => (4, BinaryOp::BitOr),
        "^" => (5, BinaryOp::BitXor),
        "&" => (6, BinaryOp::BitAnd),
        "==" => (7, BinaryOp::Equal),
        "!=" => (7, BinaryOp::NotEqual),
        "<" => (8, BinaryOp::Less),
        ">" => (8, BinaryOp::Greater),
        "<=" => (8, BinaryOp::LessEqual),
        ">=" => (8, BinaryOp::GreaterEqual),
        "<<" => (9, BinaryOp::Shl),
        ">>" => (9, BinaryOp::Shr),
        "+" => (10, BinaryOp::Add),
        "-" => (10, BinaryOp::Sub),
        "*" => (11, BinaryOp::Mul),
        "/" => (11, BinaryOp::Div),
        "%" => (11, BinaryOp::Mod),
        _ => return None,
    })
}

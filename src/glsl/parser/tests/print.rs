//! Prints trees in brackets, so that a test shows a tree on one line.

use std::fmt::Write;

use crate::ast::*;

pub(super) fn item(item: &Item) -> String {
    match item {
        Item::Function(prototype, body) => format!("fn {} {}", head(prototype), block(body)),
        Item::Prototype(prototype) => format!("prototype {}", head(prototype)),
        Item::Declaration(inner) => declaration(inner),
    }
}

fn head(prototype: &Prototype) -> String {
    let parameter = |parameter: &Parameter| {
        let name = parameter.name.as_ref().map_or(String::new(), |name| format!(" {}", name.name));
        format!("{}{name}{}", qualified(&parameter.ty), sizes(&parameter.array))
    };
    let parameters = join(&prototype.parameters, ", ", parameter);
    format!("{} {}({parameters})", qualified(&prototype.result), prototype.name.name)
}

fn declaration(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Variables { ty, declarators } => {
            let names = join(declarators, ", ", |declarator| {
                let value = declarator.initializer.as_ref().map_or(String::new(), initializer);
                format!("{}{}{value}", declarator.name.name, sizes(&declarator.array))
            });
            format!("var {} {names}", qualified(ty)).trim_end().to_owned()
        }
        Declaration::Block(inner) => {
            let name =
                |(name, array): &(Ident, Vec<ArraySize>)| format!(" {}{}", name.name, sizes(array));
            let instance = inner.instance.as_ref().map_or(String::new(), name);
            let qualifiers = qualifiers(&inner.qualifiers);
            format!("block {qualifiers}{} {}{instance}", inner.name.name, members(&inner.members))
        }
        Declaration::Precision { type_name, precision } => {
            format!("precision {} {}", word(precision), type_name.name)
        }
        Declaration::Requalify { qualifiers: inner, names, .. } => {
            let names = join(names, " ", |name| name.name.clone());
            format!("requalify {}: {names}", qualifiers(inner).trim_end()).trim_end().to_owned()
        }
    }
}

fn initializer(value: &Initializer) -> String {
    fn bare(value: &Initializer) -> String {
        match value {
            Initializer::Expr(value) => expr(value),
            Initializer::List(entries, _) => format!("{{{}}}", join(entries, " ", bare)),
        }
    }
    format!(" = {}", bare(value))
}

fn qualified(ty: &QualifiedType) -> String {
    format!("{}{}", qualifiers(&ty.qualifiers), specifier(&ty.ty))
}

fn specifier(ty: &TypeSpecifier) -> String {
    let name = match &ty.kind {
        TypeName::Named(name) => name.clone(),
        TypeName::Struct(definition) => {
            let name =
                definition.name.as_ref().map_or(String::new(), |name| format!("{} ", name.name));
            format!("struct {name}{}", members(&definition.members))
        }
    };
    name + &sizes(&ty.array)
}

fn members(members: &[MemberDeclaration]) -> String {
    let member = |member: &MemberDeclaration| {
        format!("{} {}{};", qualified(&member.ty), member.name.name, sizes(&member.array))
    };
    format!("{{{}}}", join(members, " ", member))
}

fn sizes(sizes: &[ArraySize]) -> String {
    join(sizes, "", |size| format!("[{}]", size.size.as_ref().map_or(String::new(), expr)))
}

/// The name of an enum variant in lower case.
fn word(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn qualifiers(inner: &Qualifiers) -> String {
    let mut words = Vec::new();
    if !inner.layout.is_empty() {
        let entry = |entry: &LayoutEntry| {
            let value =
                entry.value.as_ref().map_or(String::new(), |value| format!("={}", expr(value)));
            format!("{}{value}", entry.name.name)
        };
        words.push(format!("layout({})", join(&inner.layout, " ", entry)));
    }
    words.extend(inner.storage.iter().map(|(storage, _)| word(storage)));
    if !inner.subroutines.is_empty() {
        let names = join(&inner.subroutines, " ", |name| name.name.clone());
        let _ = write!(words.last_mut().expect("it is a storage qualifier"), "({names})");
    }
    words.extend(inner.interpolation.iter().map(|(interpolation, _)| word(interpolation)));
    let flags = [
        (inner.is_centroid, "centroid"),
        (inner.is_sample, "sample"),
        (inner.is_patch, "patch"),
        (inner.is_invariant, "invariant"),
        (inner.is_precise, "precise"),
    ];
    words.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| (*name).to_owned()));
    words.extend(inner.precision.iter().map(word));
    words.extend(inner.memory.iter().map(word));
    words.into_iter().map(|word| word + " ").collect()
}

fn block(block: &Block) -> String {
    format!("{{{}}}", join(&block.statements, " ", statement))
}

fn statement(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Empty => ";".to_owned(),
        StatementKind::Block(inner) => block(inner),
        StatementKind::Declaration(inner) => format!("{};", declaration(inner)),
        StatementKind::Expr(inner) => format!("{};", expr(inner)),
        StatementKind::If { .. } | StatementKind::Switch { .. } => branch(&statement.kind),
        StatementKind::While { condition: head, body } => {
            format!("while ({}) {}", condition(head), self::statement(body))
        }
        StatementKind::DoWhile { body, condition } => {
            format!("do {} while {};", self::statement(body), expr(condition))
        }
        StatementKind::For { init, condition: head, step, body } => format!(
            "for ({} {}; {}) {}",
            self::statement(init),
            head.as_ref().map_or(String::new(), condition),
            step.as_ref().map_or(String::new(), expr),
            self::statement(body)
        ),
        StatementKind::Continue => "continue;".to_owned(),
        StatementKind::Break => "break;".to_owned(),
        StatementKind::Return(None) => "return;".to_owned(),
        StatementKind::Return(Some(value)) => format!("return {};", expr(value)),
        StatementKind::Discard => "discard;".to_owned(),
    }
}

fn branch(kind: &StatementKind) -> String {
    if let StatementKind::If { condition, accept, reject } = kind {
        let reject =
            reject.as_ref().map_or(String::new(), |body| format!(" else {}", statement(body)));
        return format!("if {} {}{reject}", expr(condition), statement(accept));
    }
    let StatementKind::Switch { selector, body } = kind else { return String::new() };
    let item = |item: &SwitchItem| match item {
        SwitchItem::Case(label) => format!("case {}:", expr(label)),
        SwitchItem::Default(_) => "default:".to_owned(),
        SwitchItem::Statement(inner) => statement(inner),
    };
    format!("switch {} {{{}}}", expr(selector), join(body, " ", item))
}

fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Expr(inner) => expr(inner),
        Condition::Declaration(ty, name, value) => {
            format!("{} {} = {}", qualified(ty), name.name, expr(value))
        }
    }
}

fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Variable(name) => name.clone(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Uint(value) => format!("{value}u"),
        ExprKind::Float(value) => value.to_string(),
        ExprKind::Double(value) => format!("{value}lf"),
        ExprKind::Int64(value) => format!("{value}l"),
        ExprKind::Uint64(value) => format!("{value}ul"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Unary(op, operand) => format!("({} {})", prefix(*op), expr(operand)),
        ExprKind::Increment { operand, is_increment, is_prefix } => {
            let sign = if *is_increment { "++" } else { "--" };
            let side = if *is_prefix { "pre" } else { "post" };
            format!("({side}{sign} {})", expr(operand))
        }
        ExprKind::Binary(op, left, right) => {
            format!("({} {} {})", infix(*op), expr(left), expr(right))
        }
        ExprKind::Assign(op, left, right) => {
            let op = op.map_or("", infix);
            format!("({op}= {} {})", expr(left), expr(right))
        }
        ExprKind::Select(condition, accept, reject) => {
            format!("(? {} {} {})", expr(condition), expr(accept), expr(reject))
        }
        ExprKind::Comma(left, right) => format!("(, {} {})", expr(left), expr(right)),
        ExprKind::CallIndexed(callee, arguments) => {
            format!("{}{}", expr(callee), list(arguments))
        }
        ExprKind::Call(name, arguments) => format!("{}{}", name.name, list(arguments)),
        ExprKind::Construct(ty, arguments) => format!("{}{}", specifier(ty), list(arguments)),
        ExprKind::Method(base, name, arguments) => {
            format!("(. {} {}{})", expr(base), name.name, list(arguments))
        }
        ExprKind::Field(base, name) => format!("(. {} {})", expr(base), name.name),
        ExprKind::Index(base, index) => format!("([] {} {})", expr(base), expr(index)),
    }
}

fn list(arguments: &[Expr]) -> String {
    format!("({})", join(arguments, " ", expr))
}

fn join<T>(parts: &[T], separator: &str, print: impl FnMut(&T) -> String) -> String {
    parts.iter().map(print).collect::<Vec<_>>().join(separator)
}

fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
    }
}

fn infix(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalXor => "^^",
        BinaryOp::LogicalOr => "||",
    }
}

//! Parses declarations, at global scope and in functions.

use crate::ast::{
    BlockDeclaration, Declaration, Declarator, Ident, Initializer, Item, Parameter, Prototype,
    QualifiedType, Qualifiers, Storage, TypeName,
};
use ir::source::Span;

use super::cursor::{Class, Parsed, Parser};
use super::types::precision_of;

impl Parser<'_, '_> {
    /// Parses all items at global scope.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.is_at_end() {
            if self.eat(";") {
                continue;
            }
            if let Ok(item) = self.item() {
                items.append(&mut self.local_prototypes);
                items.push(item);
            } else {
                self.recover();
                // An unmatched closing brace.
                self.eat("}");
            }
        }
        items
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.is_at("precision") {
            return Ok(Item::Declaration(self.precision_statement()?));
        }
        let start = self.here();
        let qualifiers = self.qualifiers()?;
        if let Some(declaration) = self.untyped(start, &qualifiers)? {
            return Ok(Item::Declaration(declaration));
        }
        let ty = QualifiedType { qualifiers, ty: self.type_specifier()? };
        if self.peek(1).is("(") {
            return self.function(ty);
        }
        Ok(Item::Declaration(self.variables(ty)?))
    }

    /// Parses a prototype in a function, which becomes an item before the function.
    pub(super) fn local_prototype(&mut self) -> Parsed<()> {
        let ty = QualifiedType { qualifiers: self.qualifiers()?, ty: self.type_specifier()? };
        let name = self.peek(0).span;
        match self.function(ty)? {
            Item::Function(..) => {
                Err(self.fail(name, "a function cannot be defined in a function"))
            }
            prototype @ (Item::Prototype(_) | Item::Declaration(_)) => {
                self.local_prototypes.push(prototype);
                Ok(())
            }
        }
    }

    /// Parses a declaration in a function.
    pub(super) fn local_declaration(&mut self) -> Parsed<Declaration> {
        if self.is_at("precision") {
            return self.precision_statement();
        }
        let start = self.here();
        let qualifiers = self.qualifiers()?;
        if let Some(declaration) = self.untyped(start, &qualifiers)? {
            return Ok(declaration);
        }
        let ty = self.type_specifier()?;
        self.variables(QualifiedType { qualifiers, ty })
    }

    /// Parses `precision highp float;`.
    fn precision_statement(&mut self) -> Parsed<Declaration> {
        self.expect("precision")?;
        let Some(precision) = precision_of(&self.peek(0).text) else {
            return Err(self.expected("`lowp`, `mediump` or `highp`"));
        };
        self.take();
        let type_name = self.word()?;
        self.expect(";")?;
        Ok(Declaration::Precision { type_name, precision })
    }

    /// Parses a declaration whose qualifiers are not followed by a type: nothing, existing names, or a block.
    fn untyped(&mut self, start: Span, qualifiers: &Qualifiers) -> Parsed<Option<Declaration>> {
        let next = self.peek(0);
        let has_qualifiers = !qualifiers.is_empty();
        if !has_qualifiers {
            return Ok(None);
        }
        let mut names = Vec::new();
        if !next.is(";") {
            if next.class != Class::Name || self.scopes.is_struct(&next.text) {
                return Ok(None);
            }
            let after = self.peek(1);
            if after.is("{") {
                return self.block_declaration(start, qualifiers.clone()).map(Some);
            }
            if !after.is(",") && !after.is(";") {
                return Ok(None);
            }
            names.push(self.name()?);
            while self.eat(",") {
                names.push(self.name()?);
            }
        }
        self.expect(";")?;
        let span = start.to(self.last);
        Ok(Some(Declaration::Requalify { qualifiers: qualifiers.clone(), names, span }))
    }

    /// Parses `Name { members } instance[n];`.
    fn block_declaration(&mut self, start: Span, qualifiers: Qualifiers) -> Parsed<Declaration> {
        let name = self.name()?;
        let members = self.members("block")?;
        let instance = if self.is_at(";") {
            None
        } else {
            let instance = self.name()?;
            self.scopes.declare_variable(&instance.name);
            Some((instance, self.array_sizes(&[])?))
        };
        self.expect(";")?;
        let span = start.to(self.last);
        Ok(Declaration::Block(BlockDeclaration { qualifiers, name, members, instance, span }))
    }

    /// Parses `a, b[2] = …;`.
    fn variables(&mut self, ty: QualifiedType) -> Parsed<Declaration> {
        let mut declarators = Vec::new();
        if self.eat(";") {
            return Ok(Declaration::Variables { ty, declarators });
        }
        // The grammar has a declaration without a first name: `int, a;`.
        self.eat(",");
        loop {
            let name = self.name()?;
            let array = self.array_sizes(&ty.ty.array)?;
            let initializer = if self.eat("=") { Some(self.initializer()?) } else { None };
            // The name becomes visible only here: `S S = S(1);` is valid.
            self.scopes.declare_variable(&name.name);
            declarators.push(Declarator { name, array, initializer });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(Declaration::Variables { ty, declarators })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        if self.is_at("{") {
            self.nested(Self::initializer_list)
        } else {
            Ok(Initializer::Expr(self.assignment()?))
        }
    }

    /// Parses `{ a, b, }`.
    fn initializer_list(&mut self) -> Parsed<Initializer> {
        let start = self.here();
        self.expect("{")?;
        let mut entries = Vec::new();
        while !self.eat("}") {
            entries.push(self.initializer()?);
            if !self.is_at("}") {
                self.expect(",")?;
            }
        }
        Ok(Initializer::List(entries, start.to(self.last)))
    }

    /// Parses a function from its name on.
    fn function(&mut self, result: QualifiedType) -> Parsed<Item> {
        let name = self.name()?;
        let is_wrong = |storage: Storage| storage != Storage::Subroutine;
        if let Some((_, span)) =
            result.qualifiers.storage.iter().find(|(storage, _)| is_wrong(*storage))
        {
            self.note(*span, "the return type of a function cannot have a storage qualifier");
        }
        self.scopes.enter();
        let item = self.function_in_scope(result, name);
        self.scopes.leave();
        item
    }

    fn function_in_scope(&mut self, result: QualifiedType, name: Ident) -> Parsed<Item> {
        let parameters = self.parameters()?;
        let prototype = Prototype { result, name, parameters };
        if self.eat(";") {
            return Ok(Item::Prototype(prototype));
        }
        self.attributes()?;
        if !self.is_at("{") {
            return Err(self.expected("`;` or `{`"));
        }
        Ok(Item::Function(prototype, self.block()?))
    }

    /// Parses `(…)`; `(void)` is an empty list.
    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.eat(")") {
            return Ok(parameters);
        }
        loop {
            parameters.push(self.parameter()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        if let [only] = &*parameters
            && only.is_void()
        {
            parameters.clear();
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let ty = QualifiedType { qualifiers: self.qualifiers()?, ty: self.type_specifier()? };
        let is_unnamed = self.is_at(",") || self.is_at(")") || self.is_at("[");
        let name = if is_unnamed { None } else { Some(self.name()?) };
        if let Some(name) = &name {
            self.scopes.declare_variable(&name.name);
        }
        let is_fine = |storage: Storage| {
            matches!(storage, Storage::Const | Storage::In | Storage::Out | Storage::InOut)
        };
        if let Some((_, span)) =
            ty.qualifiers.storage.iter().find(|(storage, _)| !is_fine(*storage))
        {
            self.note(*span, "a parameter can only be `const`, `in`, `out` or `inout`");
        }
        let array = self.array_sizes(&ty.ty.array)?;
        Ok(Parameter { ty, name, array })
    }
}

impl Parameter {
    fn is_void(&self) -> bool {
        let is_void = matches!(&self.ty.ty.kind, TypeName::Named(name) if name == "void");
        is_void && self.name.is_none() && self.ty.ty.array.is_empty()
    }
}

impl Qualifiers {
    /// True if there are no qualifiers.
    fn is_empty(&self) -> bool {
        self.span.start == self.span.end
    }
}

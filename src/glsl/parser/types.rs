//! Parses qualifiers, types, array sizes and struct definitions.

use crate::ast::{
    ArraySize, InterpolationWord, LayoutEntry, MemberDeclaration, MemoryWord, QualifiedType,
    Qualifiers, Storage, StructDefinition, TypeName, TypeSpecifier,
};
use ir::precision::Precision;
use ir::source::Span;

use super::cursor::{Class, Parsed, Parser};
use super::order::Order;

/// Maximum number of `[n]` after one name.
const MAX_DIMENSIONS: usize = 32;

impl Parser<'_, '_> {
    /// Parses any number of qualifiers.
    pub(super) fn qualifiers(&mut self) -> Parsed<Qualifiers> {
        let start = self.here();
        let mut qualifiers = Qualifiers::none(Span::new(start.start, start.start));
        let mut order = Order::default();
        loop {
            let next = self.peek(0);
            if !self.qualifier(&mut qualifiers)? {
                break;
            }
            if let Err(wrong) = order.add(&next.text, self.rules.has_free_qualifier_order) {
                self.note(next.span, wrong.to_string());
            }
            qualifiers.span = start.to(self.last);
        }
        Ok(qualifiers)
    }

    /// Takes the next token if it is a qualifier; returns true if it was.
    fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> Parsed<bool> {
        let lexeme = self.peek(0);
        if lexeme.class != Class::Fixed {
            return Ok(false);
        }
        let word = &*lexeme.text;
        if let Some(storage) = storage_of(word) {
            self.take();
            qualifiers.storage.push((storage, lexeme.span));
            if storage == Storage::Subroutine && self.eat("(") {
                self.subroutine_types(qualifiers)?;
            }
        } else if let Some(interpolation) = interpolation_of(word) {
            self.take();
            qualifiers.interpolation = Some((interpolation, lexeme.span));
        } else if let Some(precision) = precision_of(word) {
            self.take();
            qualifiers.precision = Some(precision);
        } else if let Some(memory) = memory_of(word) {
            self.take();
            qualifiers.memory.push(memory);
        } else if word == "layout" {
            self.take();
            self.layout(&mut qualifiers.layout)?;
        } else {
            let flag = match word {
                "centroid" => &mut qualifiers.is_centroid,
                "sample" => &mut qualifiers.is_sample,
                "patch" => &mut qualifiers.is_patch,
                "invariant" => &mut qualifiers.is_invariant,
                "precise" => &mut qualifiers.is_precise,
                _ => return Ok(false),
            };
            *flag = true;
            self.take();
        }
        Ok(true)
    }

    /// Parses the rest of `subroutine(a, b)`.
    fn subroutine_types(&mut self, qualifiers: &mut Qualifiers) -> Parsed<()> {
        loop {
            qualifiers.subroutines.push(self.name()?);
            if !self.eat(",") {
                return self.expect(")");
            }
        }
    }

    /// Parses `(a, b = 1)`. Any word may be a name there (`shared`, `packed`). Desktop GLSL ignores the case of these
    /// words, so the tree has them in lower case.
    fn layout(&mut self, entries: &mut Vec<LayoutEntry>) -> Parsed<()> {
        self.expect("(")?;
        loop {
            if self.is_at(")") || self.is_at(",") {
                return Err(self.expected("a layout qualifier"));
            }
            let mut name = self.word()?;
            if !self.rules.has_cases_in_layouts {
                name.name.make_ascii_lowercase();
            }
            let value = if self.eat("=") { Some(self.conditional()?) } else { None };
            entries.push(LayoutEntry { name, value });
            if !self.eat(",") {
                return self.expect(")");
            }
        }
    }

    /// Parses a type with the array sizes right after it. A name that is not a struct is accepted here, because name
    /// resolution reports a better error.
    pub(super) fn type_specifier(&mut self) -> Parsed<TypeSpecifier> {
        let lexeme = self.peek(0);
        let kind = match lexeme.class {
            Class::Type | Class::Name => {
                self.take();
                TypeName::Named(lexeme.text.to_string())
            }
            Class::Fixed if lexeme.is("struct") => {
                TypeName::Struct(self.nested(Self::struct_definition)?)
            }
            Class::Fixed if lexeme.is("unsigned") && &*self.peek(1).text == "int" => {
                self.take();
                self.take();
                TypeName::Named("uint".to_owned())
            }
            Class::Fixed | Class::Reserved | Class::Literal(_) | Class::End => {
                return Err(self.expected("a type"));
            }
        };
        let span = lexeme.span.to(self.last);
        Ok(TypeSpecifier { kind, array: self.array_sizes(&[])?, span })
    }

    /// Parses any number of `[n]` or `[]` after a type that already is an array with sizes `inner`.
    pub(super) fn array_sizes(&mut self, inner: &[ArraySize]) -> Parsed<Vec<ArraySize>> {
        let mut sizes = Vec::new();
        while self.is_at("[") {
            let start = self.here();
            if !self.rules.has_nested_arrays && sizes.len() + inner.len() == 1 {
                self.note(start, "arrays of arrays need GLSL 4.30 or GLSL ES 3.10");
            }
            if sizes.len() >= MAX_DIMENSIONS {
                let message =
                    format!("interstage supports at most {MAX_DIMENSIONS} array dimensions");
                return Err(self.fail(start, message));
            }
            self.take();
            let size = if self.is_at("]") { None } else { Some(self.conditional()?) };
            self.expect("]")?;
            sizes.push(ArraySize { size, span: start.to(self.last) });
        }
        Ok(sizes)
    }

    /// Parses `struct S { … }`.
    fn struct_definition(&mut self) -> Parsed<StructDefinition> {
        let start = self.here();
        self.expect("struct")?;
        let name = if self.is_at("{") { None } else { Some(self.name()?) };
        let members = self.members("struct")?;
        for member in &members {
            self.check_struct_member(member);
        }
        if let Some(name) = &name {
            self.scopes.declare_struct(&name.name);
        }
        Ok(StructDefinition { name, members, span: start.to(self.last) })
    }

    /// Checks that members of a struct, unlike a block's, have a precision and no other qualifiers.
    fn check_struct_member(&mut self, member: &MemberDeclaration) {
        let qualifiers = &member.ty.qualifiers;
        let none = Qualifiers::none(qualifiers.span);
        let allowed = Qualifiers { precision: qualifiers.precision, ..none };
        if *qualifiers != allowed {
            self.note(qualifiers.span, "a struct member can only have a precision qualifier");
        }
        if matches!(member.ty.ty.kind, TypeName::Struct(_)) && !self.rules.has_nested_structs {
            self.note(member.ty.ty.span, "a struct cannot be defined inside another");
        }
    }

    /// Parses `{ type a, b[2]; … }` of a struct or block, which `what` names.
    pub(super) fn members(&mut self, what: &str) -> Parsed<Vec<MemberDeclaration>> {
        let start = self.here();
        self.expect("{")?;
        let mut members = Vec::new();
        if self.is_at("}") {
            self.note(start, format!("a {what} needs at least one member"));
        }
        while !self.eat("}") {
            if self.is_at_end() {
                return Err(self.expected("`}`"));
            }
            if self.member(&mut members).is_err() {
                self.recover();
            }
        }
        Ok(members)
    }

    fn member(&mut self, members: &mut Vec<MemberDeclaration>) -> Parsed<()> {
        let start = self.position();
        let ty = QualifiedType { qualifiers: self.qualifiers()?, ty: self.type_specifier()? };
        let length = self.position() - start;
        loop {
            let name = self.name()?;
            let array = self.array_sizes(&ty.ty.array)?;
            if !self.is_at(",") {
                members.push(MemberDeclaration { ty, name, array });
                return self.expect(";");
            }
            self.charge_copy(length)?;
            let ty = self.again(&ty)?;
            members.push(MemberDeclaration { ty, name, array });
            self.take();
        }
    }

    /// Copies the type `ty` for another member of the same declaration. Reports an error if `ty` defines a struct,
    /// which must not be defined twice.
    fn again(&mut self, ty: &QualifiedType) -> Parsed<QualifiedType> {
        if matches!(ty.ty.kind, TypeName::Struct(_)) {
            let message = "a struct that is defined here can be the type of only one member";
            return Err(self.fail(ty.ty.span, message));
        }
        Ok(ty.clone())
    }
}

fn storage_of(word: &str) -> Option<Storage> {
    Some(match word {
        "const" => Storage::Const,
        "in" => Storage::In,
        "out" => Storage::Out,
        "inout" => Storage::InOut,
        "attribute" => Storage::Attribute,
        "varying" => Storage::Varying,
        "uniform" => Storage::Uniform,
        "buffer" => Storage::Buffer,
        "shared" => Storage::Shared,
        "subroutine" => Storage::Subroutine,
        _ => return None,
    })
}

fn interpolation_of(word: &str) -> Option<InterpolationWord> {
    Some(match word {
        "smooth" => InterpolationWord::Smooth,
        "flat" => InterpolationWord::Flat,
        "noperspective" => InterpolationWord::NoPerspective,
        _ => return None,
    })
}

/// The precision that `lowp`, `mediump` or `highp` means.
pub(super) fn precision_of(word: &str) -> Option<Precision> {
    Some(match word {
        "lowp" => Precision::Low,
        "mediump" => Precision::Medium,
        "highp" => Precision::High,
        _ => return None,
    })
}

fn memory_of(word: &str) -> Option<MemoryWord> {
    Some(match word {
        "coherent" => MemoryWord::Coherent,
        "volatile" => MemoryWord::Volatile,
        "restrict" => MemoryWord::Restrict,
        "readonly" => MemoryWord::ReadOnly,
        "writeonly" => MemoryWord::WriteOnly,
        _ => return None,
    })
}

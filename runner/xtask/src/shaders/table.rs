//! Results of all modules with one compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::known::{Known, fault_of};

/// Counts of one compiler.
pub(super) struct Table {
    compiler: &'static str,
    version: String,
    modules: usize,
    /// Reasons, each with the number of modules and the first of them.
    refused: BTreeMap<String, (usize, PathBuf)>,
}

impl Table {
    /// Creates the counts of a compiler that is given `modules`.
    pub(super) fn new(compiler: &'static str, version: &str, modules: usize) -> Self {
        Self { compiler, version: version.to_owned(), modules, refused: BTreeMap::new() }
    }

    /// Counts a module. It was rejected if there is a reason.
    pub(super) fn count(&mut self, module: &Path, refusal: Option<String>) {
        if let Some(reason) = refusal {
            self.refuse(1, module, reason);
        }
    }

    /// Counts modules that were rejected for one reason, of which this is the first.
    pub(super) fn refuse(&mut self, modules: usize, module: &Path, reason: String) {
        let (count, first) = self.refused.entry(reason).or_insert((0, module.to_owned()));
        *count += modules;
        if module < first.as_path() {
            module.clone_into(first);
        }
    }

    /// Number of reasons that are not known.
    pub(super) fn unknown(&self, known: &[Known]) -> usize {
        let reasons = self.refused.keys();
        reasons.filter(|reason| fault_of(known, self.compiler, reason).is_none()).count()
    }

    /// Formats the counts, then every reason, most frequent first.
    pub(super) fn draw(&self, known: &[Known]) -> Vec<String> {
        let refused: usize = self.refused.values().map(|(count, _)| count).sum();
        let version = match &*self.version {
            "" => String::new(),
            version => format!(" ({version})"),
        };
        let taken = self.modules.saturating_sub(refused);
        let (name, modules) = (self.compiler, self.modules);
        let mut lines = vec![format!("== {name}{version}: {taken} of {modules} modules")];
        let mut rows: Vec<_> = self.refused.iter().collect();
        rows.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (reason, (count, first)) in rows {
            let fault = fault_of(known, name, reason).unwrap_or("not listed");
            lines.push(format!("{count:>6}  {fault:<12}  {reason}"));
            lines.push(format!("{:22}{}", "", first.display()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_have_the_first_module_as_example() {
        let known = [Known {
            compiler: "dxc".to_owned(),
            reason: "rare".to_owned(),
            fault: "naga".to_owned(),
        }];
        let mut table = Table::new("dxc", "1.9", 5);
        for (module, reason) in
            [("d", Some("odd")), ("c", Some("rare")), ("b", Some("odd")), ("a", None)]
        {
            table.count(Path::new(module), reason.map(str::to_owned));
        }
        let lines = table.draw(&known).join("\n");
        let indent = " ".repeat(22);
        assert_eq!(
            lines,
            format!(
                "== dxc (1.9): 2 of 5 modules\n     2  not listed    odd\n{indent}b\n     \
                 1  naga          rare\n{indent}c"
            )
        );
        assert_eq!(table.unknown(&known), 1);
        assert_eq!(table.unknown(&[]), 2);
    }
}

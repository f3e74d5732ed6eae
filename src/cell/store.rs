//! Where the variables of a notebook are between its cells.
//!
//! evcxr compiles a store of its own into every cell. This one has the same shape and stands in its place: cells are
//! smaller, and commands can be handed what it holds.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

use polars::prelude::*;
use roborm_wire::cell::TableColumns;

use crate::scores::ScoreTable;

/// Names this module's constants for the code that evcxr generates; not used.
pub const VARIABLE_CHANGED_TYPE: &str = "EVCXR_VARIABLE_CHANGED_TYPE:";
/// See [`VARIABLE_CHANGED_TYPE`].
pub const USER_ERROR_OCCURRED: &str = "EVCXR_ERROR_OCCURRED";

/// Values by the names of their variables.
#[derive(Default)]
pub struct VariableStore {
    variables: BTreeMap<String, Box<dyn Any>>,
    /// Those whose types are defined anew by the cell that comes next, under the same name: by their identifiers they
    /// may still be the same.
    outdated: Vec<String>,
}

/// A store that cells are handed a pointer to.
pub fn create_variable_store() -> *mut VariableStore {
    Box::into_raw(Box::default())
}

impl VariableStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a value.
    pub fn put_variable<T: 'static>(&mut self, name: &str, value: T) {
        self.put(name, Box::new(value));
    }

    /// Keeps a value whose type is read off the compiled code: it stands there beside the number.
    #[inline(never)]
    pub fn put_found<T: 'static, const NUMBER: usize>(&mut self, name: &str, value: T) {
        self.put(name, Box::new(value));
    }

    /// Whether the value of that name, if there is one, has that type. Tells evcxr where it has not.
    pub fn check_variable<T: 'static>(&mut self, name: &str) -> bool {
        self.check(name, TypeId::of::<T>())
    }

    /// Takes a value out.
    ///
    /// # Panics
    /// Where there is none, or one of another type: evcxr has forgotten a variable that it thought it had.
    pub fn take_variable<T: 'static>(&mut self, name: &str) -> T {
        match self.take(name).downcast() {
            Ok(value) => *value,
            Err(_) => panic!("the variable {name} changed its type"),
        }
    }

    /// A value that is made once and shared.
    ///
    /// # Panics
    /// As [`VariableStore::take_variable`].
    pub fn lazy_arc<T: 'static, F: FnOnce() -> T>(&mut self, name: &str, create: F) -> Arc<T> {
        let value = self.variables.entry(name.to_owned()).or_insert_with(|| Box::new(Arc::new(create())));
        match value.downcast_ref::<Arc<T>>() {
            Some(value) => value.clone(),
            None => panic!("{name} changed its type"),
        }
    }

    /// Takes over the values of another store.
    pub fn merge(&mut self, mut other: Self) {
        self.variables.append(&mut other.variables);
    }

    // What can be is compiled here, once, and not into every cell for every type.

    fn put(&mut self, name: &str, value: Box<dyn Any>) {
        self.variables.insert(name.to_owned(), value);
    }

    fn check(&mut self, name: &str, wanted: TypeId) -> bool {
        match self.variables.get(name) {
            Some(value) if (**value).type_id() != wanted || self.outdated.iter().any(|other| other == name) => {
                // Dropped by the code that made it.
                self.variables.remove(name);
                self.outdated.retain(|other| other != name);
                super::child::tell_evcxr(&format!("{VARIABLE_CHANGED_TYPE}{name}"));
                false
            }
            _ => true,
        }
    }

    fn take(&mut self, name: &str) -> Box<dyn Any> {
        self.variables.remove(name).unwrap_or_else(|| panic!("the variable {name} has gone missing"))
    }

    /// The next cell defines the types of these anew.
    pub(super) fn outdate(&mut self, names: Vec<String>) {
        self.outdated = names;
    }

    /// The value of a variable.
    pub(super) fn get(&self, name: &str) -> Option<&dyn Any> {
        self.variables.get(name).map(|value| &**value)
    }

    /// The names of all variables.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// The tables among the variables, with their columns.
    pub(super) fn tables(&self) -> Vec<TableColumns> {
        let named = |frame: &DataFrame| frame.get_column_names_owned().iter().map(ToString::to_string).collect();
        let columns = |value: &dyn Any| -> Option<Vec<String>> {
            if let Some(frame) = value.downcast_ref::<DataFrame>() {
                return Some(named(frame));
            }
            if let Some(scores) = value.downcast_ref::<ScoreTable>() {
                return Some(named(scores.frame()));
            }
            // The schema of a plan may need files to be read; of a frame made lazy it is at hand.
            let lazy = value.downcast_ref::<LazyFrame>()?;
            let schema = lazy.clone().collect_schema().ok()?;
            Some(schema.iter_names().map(ToString::to_string).collect())
        };
        self.variables
            .iter()
            .filter_map(|(variable, value)| {
                Some(TableColumns { variable: variable.clone(), columns: columns(&**value)? })
            })
            .collect()
    }
}

//! Showing values.

use std::any::TypeId;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use plotly::Plot;
use polars::prelude::LazyFrame;
use roborm_wire::cell::Event;

use super::bundle::Bundle;
use super::{known, link};

/// Shows a value in the middle of a cell, as the value of its last expression is shown. What is returned can be shown
/// anew in its place.
pub fn show<T: Show<How>, How>(value: &T) -> Display {
    Display::of_bundle(value.forms())
}

/// What can be shown: all that is `Debug`, plans and charts. `How` is found by the compiler; there is nothing to say.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown: it is not `Debug`",
    note = "`#[derive(Debug)]` at its definition makes it so; a text of it can be shown: `show(&x.to_string())`"
)]
pub trait Show<How> {
    /// The forms it is shown in.
    fn forms(&self) -> Bundle;
}

/// Of [`Show`]: by its type, else as `{:?}` writes it.
pub enum ByDebug {}

/// Of [`Show`]: although it is not `Debug`.
pub enum ByItself {}

impl<T: Debug> Show<ByDebug> for T {
    fn forms(&self) -> Bundle {
        known::bundle(type_id::<T>(), std::ptr::from_ref(self).cast(), self)
    }
}

impl Show<ByItself> for LazyFrame {
    fn forms(&self) -> Bundle {
        known::of_lazy(self)
    }
}

impl Show<ByItself> for Plot {
    fn forms(&self) -> Bundle {
        super::plot::bundle(self)
    }
}

/// Shows forms of the caller's own making.
pub fn show_bundle(bundle: Bundle) -> Display {
    Display::of_bundle(bundle)
}

/// Something that is shown, and can be shown anew.
#[derive(Clone, Debug)]
pub struct Display(String);

impl Display {
    /// Shows another value in its place.
    pub fn update<T: Show<How>, How>(&self, value: &T) {
        self.update_bundle(value.forms());
    }

    /// Shows other forms in its place.
    pub fn update_bundle(&self, bundle: Bundle) {
        publish(bundle, Some(self.0.clone()), true, false);
    }

    pub(super) fn of_bundle(bundle: Bundle) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let id = format!("roborm-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        publish(bundle, Some(id.clone()), false, false);
        Self(id)
    }
}

/// Shows something without a name.
pub(super) fn publish(bundle: Bundle, id: Option<String>, update: bool, result: bool) {
    let text = bundle.plain().to_owned();
    let event = bundle.event(id, update, result);
    if link::tell(&event).is_some() {
        return;
    }
    match event {
        Event::Display { data, .. } if link::is_plain() => {
            for (mime, form) in &data {
                let form = form.as_str().map_or_else(|| form.to_string(), str::to_owned);
                super::work::print(&format!("EVCXR_BEGIN_CONTENT {mime}\n{form}\nEVCXR_END_CONTENT"));
            }
        }
        // No notebook: a program, a test.
        _ => super::work::print(&text),
    }
}

/// The value of a cell's last expression, whatever it is. Not by the name that evcxr calls, `evcxr_display`: some crates, plotly
/// among them, have methods of that name, which know nothing of drawing offline.
pub trait CellDisplay {
    /// Shows it.
    fn roborm_display(&self);
}

impl<T: Debug> CellDisplay for T {
    fn roborm_display(&self) {
        result(type_id::<T>(), std::ptr::from_ref(self).cast(), self);
    }
}

impl CellDisplay for str {
    fn roborm_display(&self) {
        publish(known::of_text(self), None, false, true);
    }
}

impl<T: Debug> CellDisplay for [T] {
    fn roborm_display(&self) {
        publish(known::of_debug(&self), None, false, true);
    }
}

/// The value of a cell's last expression that is not `Debug` but can be written as text. Called where [`CellDisplay`] does
/// not compile: all that is both would be torn between the two. By the name that evcxr calls: a type's own method of that
/// name comes first.
pub trait CellDisplayText {
    /// Shows it as that text.
    fn evcxr_display(&self);
}

impl<T: std::fmt::Display + ?Sized> CellDisplayText for T {
    fn evcxr_display(&self) {
        publish(Bundle::text(self.to_string()), None, false, true);
    }
}

/// As [`CellDisplay`], for what is shown without being `Debug`.
pub trait CellDisplayToo {
    /// Shows it.
    fn roborm_display(&self);
}

impl CellDisplayToo for LazyFrame {
    fn roborm_display(&self) {
        publish(known::of_lazy(self), None, false, true);
    }
}

impl CellDisplayToo for Plot {
    fn roborm_display(&self) {
        publish(super::plot::bundle(self), None, false, true);
    }
}

impl<E: Debug> CellDisplayToo for Result<LazyFrame, E> {
    fn roborm_display(&self) {
        match self {
            Ok(lazy) => CellDisplayToo::roborm_display(lazy),
            Err(error) => publish(known::of_debug(&error), None, false, true),
        }
    }
}

/// Compiled once, not into every cell.
fn result(id: TypeId, at: *const (), value: &dyn Debug) {
    if id != TypeId::of::<()>() {
        publish(known::bundle(id, at, value), None, false, true);
    }
}

/// The type's identifier, lifetimes erased: a cell's last expression may borrow from its variables. Two types that differ
/// in their lifetimes alone are the same here; no type that is looked for has any.
pub(super) fn type_id<T: ?Sized>() -> TypeId {
    trait Erased {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Erased for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let phantom = PhantomData::<T>;
    let object: &dyn Erased = &phantom;
    // SAFETY: the object has no data; its one method makes nothing of the type but its identifier.
    let object = unsafe { std::mem::transmute::<&dyn Erased, &(dyn Erased + 'static)>(object) };
    object.id()
}

/// A trait that nothing has. What rustc says of a variable that should have it names the variable's type.
#[diagnostic::on_unimplemented(message = "{Self}")]
pub trait TypeOf {}

/// See [`TypeOf`].
#[doc(hidden)]
pub fn type_of<T: TypeOf + ?Sized>(_: &T) {}

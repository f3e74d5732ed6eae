//! Texts of a Parquet file as the codes that its dictionary pages hold.
//!
//! Writers store texts that repeat as numbers into a dictionary. Read as texts, ten million names of models are written
//! out and looked up again only to become such numbers; read as numbers they are there at once.

use polars_arrow::array::{DictionaryArray, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowDataType, DTYPE_CATEGORICAL_NEW, Field, IntegerType, Metadata};
use polars_io::mmap::ReaderBytes;
use polars_io::parquet::metadata::FileMetadata;
use polars_io::parquet::read::_internal::to_deserializer;

use super::dictionary::{Coded, Codes};
use super::key::Key;
use crate::damage;

/// The column `name` of the first row group as codes; `None` where it is not kept so (or is damaged: the reader of texts says
/// what is wrong with it).
pub(super) fn codes(bytes: &ReaderBytes, metadata: &FileMetadata, name: &str) -> Option<Coded> {
    let ReaderBytes::Owned(bytes) = bytes else { return None };
    let group = metadata.row_groups.first()?;
    let mut chunks = group.columns_under_root_iter(name)?;
    let (Some(chunk), None) = (chunks.next(), chunks.next()) else { return None };
    chunk.dictionary_page_offset()?;
    let range = chunk.byte_range();
    let (start, end) = (usize::try_from(range.start).ok()?, usize::try_from(range.end).ok()?);
    if start > end || end > bytes.len() {
        return None;
    }
    let texts = Box::new(ArrowDataType::Utf8View);
    let mut field = Field::new(name.into(), ArrowDataType::Dictionary(IntegerType::UInt32, texts, false), true);
    // What polars writes beside a column of categories, and its reader takes for a promise that every page of it is one
    // of codes. It checks that: a column with other pages is an error here and no more.
    field.metadata = Some(Metadata::from([(DTYPE_CATEGORICAL_NEW.into(), "".into())]).into());
    let pages = vec![(chunk, bytes.clone().sliced(start..end))];
    let (arrays, _) = damage::caught(|| to_deserializer(pages, field, None))?.ok()?;

    let rows = group.num_rows();
    let [array] = &arrays[..] else { return None };
    let array = array.as_any().downcast_ref::<DictionaryArray<u32>>()?;
    let texts = array.values().as_any().downcast_ref::<Utf8ViewArray>()?;
    let mut keys: Vec<Key> =
        texts.iter().map(|text| text.map_or(Key::Missing, |text| Key::Text(text.to_owned()))).collect();
    let codes = match array.keys().validity() {
        None => Codes::of(array.keys()),
        Some(valid) => {
            let missing = keys.len() as u32;
            keys.push(Key::Missing);
            let mut codes = array.keys().values().as_slice().to_vec();
            for (code, valid) in codes.iter_mut().zip(valid.iter()) {
                if !valid {
                    *code = missing;
                }
            }
            codes.into()
        }
    };
    let greatest = codes.iter().fold(0, |greatest, code| greatest.max(*code));
    let sound = codes.len() == rows && (rows == 0 || (greatest as usize) < keys.len());
    sound.then_some(Coded { codes, keys })
}

/// Whether the file says that the integers of column `name` of the first row group are all 0 (or null).
pub(super) fn all_zero(metadata: &FileMetadata, name: &str) -> bool {
    damage::caught(|| {
        let mut chunks = metadata.row_groups.first()?.columns_under_root_iter(name)?;
        let statistics = chunks.next()?.statistics(&metadata.footer_buf)?.ok()?;
        let (wide, narrow) = (statistics.as_int64(), statistics.as_int32());
        let wide = wide.map(|numbers| numbers.min_value.zip(numbers.max_value) == Some((0, 0)));
        wide.or(narrow.map(|numbers| numbers.min_value.zip(numbers.max_value) == Some((0, 0))))
    })
    .flatten()
    .unwrap_or(false)
}

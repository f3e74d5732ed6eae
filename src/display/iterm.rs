//! Pictures by the inline images of iTerm2 (<https://iterm2.com/documentation-images.html>).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A PNG shown in place, so many columns wide.
pub(super) fn picture(rgb: &[u8], width: u32, height: u32, columns: usize) -> Option<String> {
    let (file, columns) = super::picture::png(rgb, width, height, columns)?;
    let (size, data) = (file.len(), STANDARD.encode(file));
    Some(format!("\x1b]1337;File=inline=1;size={size};width={columns};preserveAspectRatio=1:{data}\x07\n"))
}

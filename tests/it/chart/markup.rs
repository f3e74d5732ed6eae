//! Just enough reading of HTML to tell elements from text.

/// A tag: its name (with the slash of a closing one) and its attributes' text.
pub struct Tag {
    pub name: String,
    pub attributes: String,
}

impl Tag {
    /// The attributes' names in lower case; every value is quoted.
    pub fn attribute_names(&self) -> impl Iterator<Item = String> {
        let outside = self.attributes.split('"').step_by(2);
        let names = outside.flat_map(str::split_whitespace);
        names.map(|name| name.trim_end_matches('=').to_lowercase())
    }
}

/// The tags of a page, read as a browser would where all attributes are quoted; what stands inside `script` and `style`
/// ends at the first closing tag, whatever it is.
pub fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        assert!(!rest.starts_with("!--"), "no comment is written");
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let tag = &rest[..end.expect("every tag is closed")];
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        tags.push(Tag { name: name.to_lowercase(), attributes: attributes.to_owned() });
        rest = &rest[tag.len() + 1..];
        if matches!(name, "script" | "style") {
            let end = rest.find(&format!("</{name}")).expect("it ends");
            rest = &rest[end..];
        }
    }
    tags
}

/// The scripts of a page: attributes and text of each.
pub fn scripts(html: &str) -> Vec<(&str, &str)> {
    let parts = html.split("<script").skip(1).filter_map(|part| part.split_once('>'));
    parts.map(|(attributes, rest)| (attributes, rest.split_once("</script").expect("it ends").0)).collect()
}

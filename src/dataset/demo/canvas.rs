//! Shapes on a picture: the few that the demo rollouts are drawn with.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point,
    RadialGradient, Shader, SpreadMode, Stroke, Transform,
};

/// A point of the picture in pixels: x to the right, y down.
pub(super) type Spot = (f32, f32);

/// What a shape is filled with. Colours are 0xRRGGBB.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    /// One colour.
    Flat(u32),
    /// One colour that lets the ground through; 0 is clear, 1 opaque.
    Glass(u32, f32),
    /// From one colour at a height to another at a lower one.
    Fade(f32, u32, f32, u32),
}

/// A picture being drawn.
pub(super) struct Canvas {
    pixels: Pixmap,
}

impl Canvas {
    /// An empty picture.
    pub fn new(width: u32, height: u32) -> Self {
        Self { pixels: Pixmap::new(width, height).expect("a demo picture is neither empty nor huge") }
    }

    /// The picture, 8-bit RGB. The first thing drawn covers all of it, so that alpha is 1 everywhere.
    pub fn into_rgb(self) -> Vec<u8> {
        self.pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect()
    }

    /// A filled polygon.
    pub fn area(&mut self, corners: &[Spot], ink: Ink) {
        if let Some(path) = trace(corners, true) {
            self.fill(&path, ink, FillRule::Winding);
        }
    }

    /// A filled upright rectangle with rounded corners.
    pub fn card(&mut self, x: f32, y: f32, width: f32, height: f32, radius: f32, ink: Ink) {
        // Circular arcs as cubics: 4/3 (sqrt 2 - 1) of the radius.
        let k = radius * 0.447_7;
        let (x, y, right, bottom) = (snap(x), snap(y), snap(x + width), snap(y + height));
        let mut path = PathBuilder::new();
        path.move_to(x + radius, y);
        path.line_to(right - radius, y);
        path.cubic_to(right - k, y, right, y + k, right, y + radius);
        path.line_to(right, bottom - radius);
        path.cubic_to(right, bottom - k, right - k, bottom, right - radius, bottom);
        path.line_to(x + radius, bottom);
        path.cubic_to(x + k, bottom, x, bottom - k, x, bottom - radius);
        path.line_to(x, y + radius);
        path.cubic_to(x, y + k, x + k, y, x + radius, y);
        path.close();
        if let Some(path) = path.finish() {
            self.fill(&path, ink, FillRule::Winding);
        }
    }

    /// A filled ellipse.
    pub fn oval(&mut self, (x, y): Spot, rx: f32, ry: f32, ink: Ink) {
        if let Some(path) = ellipse((x, y), rx, ry) {
            self.fill(&path, ink, FillRule::Winding);
        }
    }

    /// The outline of an ellipse.
    pub fn ring(&mut self, centre: Spot, rx: f32, ry: f32, width: f32, ink: Ink) {
        if let Some(path) = ellipse(centre, rx, ry) {
            self.stroke(&path, width, ink);
        }
    }

    /// A line through points, with round ends and corners.
    pub fn line(&mut self, points: &[Spot], width: f32, ink: Ink) {
        if let Some(path) = trace(points, false) {
            self.stroke(&path, width, ink);
        }
    }

    /// The outline of a polygon.
    pub fn edge(&mut self, corners: &[Spot], width: f32, ink: Ink) {
        if let Some(path) = trace(corners, true) {
            self.stroke(&path, width, ink);
        }
    }

    /// A soft dark ellipse: the shadow of what stands or hovers there.
    pub fn shadow(&mut self, (x, y): Spot, rx: f32, ry: f32, strength: f32) {
        let (x, y) = (snap(x), snap(y));
        let dark = |alpha: f32| tint(0x1c_1410, alpha * strength);
        let stops = vec![
            GradientStop::new(0.0, dark(1.0)),
            GradientStop::new(0.55, dark(0.62)),
            GradientStop::new(1.0, dark(0.0)),
        ];
        // A circle squeezed to the ellipse, shade and all.
        let squeeze = Transform::from_row(1.0, 0.0, 0.0, snap(ry / rx), x, y);
        let centre = Point::from_xy(0.0, 0.0);
        let shade = RadialGradient::new(centre, 0.0, centre, rx, stops, SpreadMode::Pad, Transform::identity());
        if let (Some(shader), Some(path)) = (shade, PathBuilder::from_circle(0.0, 0.0, rx)) {
            let paint = Paint { shader, ..Paint::default() };
            self.pixels.fill_path(&path, &paint, FillRule::Winding, squeeze, None);
        }
    }

    fn fill(&mut self, path: &Path, ink: Ink, rule: FillRule) {
        self.pixels.fill_path(path, &paint(ink), rule, Transform::identity(), None);
    }

    fn stroke(&mut self, path: &Path, width: f32, ink: Ink) {
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixels.stroke_path(path, &paint(ink), &stroke, Transform::identity(), None);
    }
}

/// To the nearest 1/64 of a pixel. Sines differ in their last bit from one C library to the next; frames must not,
/// since their bytes are part of a study's key.
pub(super) fn snap(value: f32) -> f32 {
    (value * 64.0).round() / 64.0
}

/// `point` turned about `pivot` by `degrees`, clockwise on the picture.
pub(super) fn turn((x, y): Spot, (px, py): Spot, degrees: f32) -> Spot {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (dx, dy) = (x - px, y - py);
    (snap(px + dx * cos - dy * sin), snap(py + dx * sin + dy * cos))
}

fn tint(rgb: u32, alpha: f32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color::from_rgba8(red, green, blue, (alpha.clamp(0.0, 1.0) * 255.0).round() as u8)
}

fn paint(ink: Ink) -> Paint<'static> {
    let shader = match ink {
        Ink::Flat(rgb) => Shader::SolidColor(tint(rgb, 1.0)),
        Ink::Glass(rgb, alpha) => Shader::SolidColor(tint(rgb, alpha)),
        Ink::Fade(top, above, bottom, below) => LinearGradient::new(
            Point::from_xy(0.0, snap(top)),
            Point::from_xy(0.0, snap(bottom)),
            vec![GradientStop::new(0.0, tint(above, 1.0)), GradientStop::new(1.0, tint(below, 1.0))],
            SpreadMode::Pad,
            Transform::identity(),
        )
        .unwrap_or(Shader::SolidColor(tint(above, 1.0))),
    };
    Paint { shader, ..Paint::default() }
}

fn trace(points: &[Spot], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (&(x, y), rest) = points.split_first()?;
    path.move_to(snap(x), snap(y));
    for &(x, y) in rest {
        path.line_to(snap(x), snap(y));
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn ellipse((x, y): Spot, rx: f32, ry: f32) -> Option<Path> {
    let (x, y, rx, ry) = (snap(x), snap(y), snap(rx), snap(ry));
    PathBuilder::from_oval(tiny_skia::Rect::from_ltrb(x - rx, y - ry, x + rx, y + ry)?)
}

//! Pictures by the protocols of terminals, read back as a terminal would read them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roborm::display::{Graphics, Surroundings, Terminal, picture};

/// A terminal of 80 columns with these variables.
fn terminal(variables: &[(&str, &str)]) -> Terminal {
    let env = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Terminal::detect(&Surroundings { tty: true, columns: Some(80), env: &env })
}

#[test]
fn the_protocol_is_that_of_the_terminal_unless_told() {
    use Graphics::{HalfBlocks, Iterm, Kitty, None, Sixel};
    let rich = ("TERM", "xterm-256color");
    for (variables, graphics) in [
        (&[("TERM", "xterm-kitty")][..], Kitty),
        (&[rich, ("KITTY_WINDOW_ID", "1")], Kitty),
        (&[rich, ("TERM_PROGRAM", "ghostty")], Kitty),
        (&[rich, ("TERM_PROGRAM", "iTerm.app")], Iterm),
        (&[rich, ("TERM_PROGRAM", "WezTerm")], Iterm),
        (&[("TERM", "foot")], Sixel),
        (&[rich], HalfBlocks),
        // A multiplexer inherits what it runs in.
        (&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")], HalfBlocks),
        (&[rich, ("TMUX", "/tmp/tmux-0/default,1,0"), ("TERM_PROGRAM", "iTerm.app")], HalfBlocks),
        (&[rich, ("ROBORM_GRAPHICS", "sixel")], Sixel),
        (&[("TERM", "xterm-kitty"), ("ROBORM_GRAPHICS", "blocks")], HalfBlocks),
        (&[("TERM", "xterm-kitty"), ("ROBORM_GRAPHICS", "none")], None),
        (&[("TERM", "xterm-kitty"), ("ROBORM_GRAPHICS", "braille")], Kitty),
        (&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")], None),
        (&[("TERM", "dumb"), ("KITTY_WINDOW_ID", "1")], None),
        // Sixteen colours show no picture by characters.
        (&[("TERM", "vt220")], None),
    ] {
        assert_eq!(terminal(variables).graphics(), graphics, "{variables:?}");
    }
    let env = |name: &str| (name == "ROBORM_GRAPHICS").then(|| "kitty".to_owned());
    let pipe = Terminal::detect(&Surroundings { tty: false, columns: Option::None, env: &env });
    assert_eq!(pipe.graphics(), None, "a pipe is plain whatever is wished");
}

/// A picture that does not compress: xorshift.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    (0..width * height * 3).map(|_| next()).collect()
}

fn pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let image = image::load_from_memory(png).unwrap().into_rgb8();
    (image.width(), image.height(), image.into_raw())
}

#[test]
fn kitty_gets_the_very_pixels_in_chunks() {
    let rgb = noise(100, 60);
    let kitty = terminal(&[("TERM", "xterm-kitty")]);
    let text = picture(&rgb, 100, 60, 80, "noise", &kitty);
    let codes: Vec<&str> = text.strip_suffix("\x1b\\\n").unwrap().split("\x1b\\").collect();
    let mut data = String::new();
    for (index, code) in codes.iter().enumerate() {
        let (keys, chunk) = code.strip_prefix("\x1b_G").unwrap().split_once(';').unwrap();
        let last = index + 1 == codes.len();
        // 100 pixels are 13 columns of 8.
        let head = if index == 0 { "a=T,f=100,q=2,c=13," } else { "" };
        assert_eq!(keys, format!("{head}m={}", u8::from(!last)));
        assert!(chunk.len() <= 4096 && (last || chunk.len() % 4 == 0), "{}", chunk.len());
        data.push_str(chunk);
    }
    assert!(codes.len() > 1);
    assert_eq!(pixels(&STANDARD.decode(data).unwrap()), (100, 60, rgb.clone()));
    // No wider than the columns there are.
    assert!(picture(&rgb, 100, 60, 7, "noise", &kitty).starts_with("\x1b_Ga=T,f=100,q=2,c=7,"));
}

#[test]
fn iterm_gets_the_very_pixels() {
    let rgb = noise(20, 10);
    let text = picture(&rgb, 20, 10, 80, "noise", &terminal(&[("TERM", "xterm"), ("ROBORM_GRAPHICS", "iterm")]));
    let (keys, data) =
        text.strip_prefix("\x1b]1337;File=").unwrap().strip_suffix("\x07\n").unwrap().split_once(':').unwrap();
    let file = STANDARD.decode(data).unwrap();
    assert_eq!(keys, format!("inline=1;size={};width=3;preserveAspectRatio=1", file.len()));
    assert_eq!(pixels(&file), (20, 10, rgb));
}

/// Draws sixels as a VT340 does: rows of (red, green, blue) in per cent.
fn draw(text: &str) -> Vec<Vec<(usize, usize, usize)>> {
    let body = text.strip_prefix("\x1bP0;1q\"1;1;").unwrap().strip_suffix("\x1b\\\n").unwrap();
    let size = body.find('#').unwrap();
    let (wide, high) = body[..size].split_once(';').unwrap();
    let (wide, high): (usize, usize) = (wide.parse().unwrap(), high.parse().unwrap());
    let mut rows = vec![vec![(999, 999, 999); wide]; high];
    let mut palette = std::collections::HashMap::new();
    let bytes = body.as_bytes();
    let (mut at, mut x, mut band, mut color) = (size, 0, 0, (0, 0, 0));
    let number = |at: &mut usize| {
        let start = *at;
        while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
            *at += 1;
        }
        body[start..*at].parse::<usize>().unwrap()
    };
    while at < bytes.len() {
        let letter = bytes[at];
        at += 1;
        let (count, sixel) = match letter {
            b'#' => {
                let register = number(&mut at);
                if bytes[at] == b';' {
                    let mut values = [0; 4];
                    for value in &mut values {
                        at += 1;
                        *value = number(&mut at);
                    }
                    assert_eq!(values[0], 2, "red, green, blue");
                    palette.insert(register, (values[1], values[2], values[3]));
                }
                color = palette[&register];
                continue;
            }
            b'$' => {
                x = 0;
                continue;
            }
            b'-' => {
                (x, band) = (0, band + 1);
                continue;
            }
            b'!' => {
                let count = number(&mut at);
                at += 1;
                (count, bytes[at - 1])
            }
            sixel => (1, sixel),
        };
        for _ in 0..count {
            for bit in (0..6).filter(|bit| (sixel - b'?') >> bit & 1 == 1) {
                rows[band * 6 + bit][x] = color;
            }
            x += 1;
        }
    }
    assert!(palette.len() <= 256);
    rows
}

#[test]
fn sixels_draw_every_pixel_in_its_colour() {
    let sixel = terminal(&[("TERM", "xterm-256color"), ("ROBORM_GRAPHICS", "sixel")]);
    // Colours of the palette come out as they are: left half red, right half white; 13 rows are two bands and one.
    let (wide, high) = (10_u32, 13_u32);
    let rgb: Vec<u8> =
        (0..wide * high).flat_map(|place| if place % wide < 5 { [255, 0, 0] } else { [255, 255, 255] }).collect();
    let rows = draw(&picture(&rgb, wide, high, 80, "flag", &sixel));
    assert_eq!(rows.len(), 13);
    for row in rows {
        assert_eq!(row[..5], [(100, 0, 0); 5]);
        assert_eq!(row[5..], [(100, 100, 100); 5]);
    }
    // Between two colours of the palette the mean is right, within half a step of a dither of 16 cells.
    let grey = draw(&picture(&[100; 3 * 16 * 12], 16, 12, 80, "grey", &sixel));
    let mean = |of: fn(&(usize, usize, usize)) -> usize| grey.iter().flatten().map(of).sum::<usize>() as f64 / 192.0;
    for value in [mean(|color| color.0), mean(|color| color.1), mean(|color| color.2)] {
        assert!((value - 100.0 / 255.0 * 100.0).abs() < 1.5, "{value}");
    }
    // Wider than the terminal: drawn smaller.
    let rows = draw(&picture(&noise(300, 30), 300, 30, 20, "noise", &sixel));
    assert_eq!((rows.len(), rows[0].len()), (16, 160));
    assert!(rows.iter().flatten().all(|color| color.0 <= 100), "no hole");
}

#[test]
fn what_is_no_picture_is_a_line_of_words() {
    for wish in ["kitty", "iterm", "sixel"] {
        let terminal = terminal(&[("TERM", "xterm-256color"), ("ROBORM_GRAPHICS", wish)]);
        for (rgb, width, height) in [(&[0_u8; 5][..], 2, 2), (&[], 0, 0), (&[], 0, 5)] {
            let text = picture(rgb, width, height, 80, "nothing", &terminal);
            assert!(text.starts_with("[picture, ") && !text.contains('\x1b'), "{wish}: {text:?}");
        }
    }
}

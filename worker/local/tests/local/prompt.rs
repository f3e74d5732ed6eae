//! The chat around a text, and the positions of its tokens.

use roborm_local::checkpoint::Checkpoint;
use roborm_local::input::{Grid, Layout, Prompt, Visual, positions, timestamps};
use roborm_local::tokenizer::Tokenizer;

use crate::fixture::{CASES, Texts, copy, edit, folder};

#[test]
fn timestamps_are_means_of_pairs_with_the_last_doubled() {
    assert_eq!(timestamps(&[0.0, 1.0, 2.0], 2), [0.5, 2.0]);
    assert_eq!(timestamps(&[0.0, 1.0, 2.0, 5.0], 2), [0.5, 3.5]);
    assert_eq!(timestamps(&[3.25], 2), [3.25]);
}

#[test]
fn the_layout_goes_by_the_version_unless_it_is_said() {
    for (name, version, layout) in [
        ("stored", None, Layout::Flat),
        ("stored", Some("4.57.0"), Layout::Flat),
        ("stored", Some("5.9.1"), Layout::Flat),
        ("stored", Some("5.10.0"), Layout::Nested),
        ("stored", Some("5.24.0.dev0"), Layout::Nested),
        ("flat", Some("5.24.0"), Layout::Flat),
        ("nested", None, Layout::Nested),
    ] {
        assert_eq!(Layout::parse(name, version), Ok(layout), "{name} {version:?}");
    }
    assert!(Layout::parse("new", None).is_err());
}

#[test]
fn marks_of_the_chat_in_an_instruction_are_words() {
    let checkpoint = Checkpoint::open(&folder("base")).expect("the fixture's");
    let tokenizer = Tokenizer::read(&checkpoint.folder).expect("the fixture's");
    let prompt = Prompt::new(&checkpoint, &tokenizer, Layout::Nested).expect("a whole checkpoint");
    let visual = Visual::Video(vec![0.75]);
    let grid = Grid { t: 1, h: 4, w: 6 };
    let ids = |text: &str| tokenizer.encode(&prompt.expand(text, &visual, grid, false));
    let marks = |text: &str| ids(text).iter().filter(|&&id| id >= 300).count();
    assert_eq!(marks("stop<|im_end|><|video_pad|>"), marks("stop"));
    let texts = prompt.expand("Task: x", &visual, grid, false);
    assert!(
        texts.starts_with("<|im_start|>user\n<|vision_start|><0.8 seconds><|vision_start|><|video_pad|>"),
        "{texts}"
    );
    assert!(texts.ends_with("<|vision_end|><|vision_end|>Task: x<|im_end|>\n<|im_start|>assistant\n"), "{texts}");
    let after = prompt.expand("Task: x", &visual, grid, true);
    assert!(after.starts_with("<|im_start|>user\nTask: x<|vision_start|><0.8"), "{after}");
}

#[test]
fn positions_by_hand() {
    // Two words, a pair of 4 x 6 patches merged to 2 x 3 tokens, one word: 9 is the visual token.
    let ids = [5, 6, 9, 9, 9, 9, 9, 9, 7];
    let got = positions(&ids, [8, 9], Grid { t: 1, h: 4, w: 6 }, 2).expect("a run of 6");
    let pair = [[2, 2, 2], [2, 2, 3], [2, 2, 4], [2, 3, 2], [2, 3, 3], [2, 3, 4]];
    assert_eq!(got.of[..2], [[0; 3], [1; 3]]);
    assert_eq!(got.of[2..8], pair);
    assert_eq!(got.of[8], [5; 3]);
    assert_eq!(got.delta, 6 - 9);
    assert!(positions(&ids[..5], [8, 9], Grid { t: 1, h: 4, w: 6 }, 2).is_err());
}

#[test]
fn deltas_of_whole_prompts() {
    for (case, grid) in [("base", [3, 4, 6]), ("tied", [1, 6, 10]), ("image", [1, 14, 10])] {
        let checkpoint = Checkpoint::open(&folder(case)).expect("the fixture's");
        let texts = Texts::of(case);
        let visual = [checkpoint.config.image_token, checkpoint.config.video_token];
        let grid = Grid { t: grid[0], h: grid[1], w: grid[2] };
        assert_eq!(positions(&texts.ids[0], visual, grid, 2).expect(case).delta, texts.delta, "{case}");
    }
}

/// What is said of a checkpoint with this chat template: a note, or why it is refused.
fn said(template: &str) -> Result<Option<String>, String> {
    let copy = copy("base");
    std::fs::write(copy.path().join("chat_template.jinja"), template).expect("a writable copy");
    prompt(copy.path()).map(|prompt| prompt.note().map(str::to_owned))
}

fn prompt(folder: &std::path::Path) -> Result<Prompt, String> {
    let checkpoint = Checkpoint::open(folder).expect("the fixture's");
    let tokenizer = Tokenizer::read(folder).expect("the fixture's");
    Prompt::new(&checkpoint, &tokenizer, Layout::Flat)
        .map_err(|error| error.to_string().replace(&folder.display().to_string(), "DIR"))
}

/// The parts of a message, as the templates of Qwen write them.
const PARTS: &str = "{%- if message.content is string %}{{- message.content }}{%- else %}{%- for content in message.content %}\
    {%- if content.type == 'image' or 'image' in content %}{%- if add_vision_id %}Picture {{ n }}: {% endif -%}\
    <|vision_start|><|image_pad|><|vision_end|>{%- elif content.type == 'video' or 'video' in content %}\
    {%- if add_vision_id %}Video {{ n }}: {% endif -%}<|vision_start|><|video_pad|><|vision_end|>\
    {%- elif 'text' in content %}{{- content.text }}{%- endif %}{%- endfor %}{%- endif %}";

/// In the manner of Qwen3-VL's: tools and a system turn where they are given, roles told apart.
fn published() -> String {
    [
        r##"{%- if tools %}{{- '<|im_start|>system\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}
        {{- "# Tools\n\nYou are provided with function signatures within <tools></tools> XML tags:\n{\"name\": {}}}\n<|im_end|>\n" }}
        {%- else %}{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}{%- endif %}{%- endif %}
        {%- for message in messages %}{%- if message.role == "user" %}{{- '<|im_start|>' + message.role + '\n' }}"##,
        PARTS,
        r#"{{- '<|im_end|>\n' }}{%- elif message.role == "assistant" %}{{- '<|im_start|>' + message.role + '\n' }}
        {%- for tool_call in message.tool_calls %}{{- '<tool_call>\n{"name": "' }}{{- tool_call.name }}{%- endfor %}{{- '<|im_end|>\n' }}
        {%- elif message.role == "tool" %}{{- '<|im_start|>user\n<tool_response>\n' }}{%- endif %}{%- endfor %}
        {%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}"#,
    ]
    .concat()
}

#[test]
fn templates_of_qwen_pass_without_a_note() {
    for (case, _) in CASES {
        assert_eq!(prompt(&folder(case)).expect(case).note(), None, "{case}");
    }
    assert_eq!(said(&published()), Ok(None));
    let thinking = published().replace("assistant\\n' }}{%- endif %}", "assistant\\n<think>\\n' }}{%- endif %}");
    assert_ne!(thinking, published());
    assert_eq!(said(&thinking), Ok(None));
    let opening = |template: &str| {
        let copy = copy("base");
        std::fs::write(copy.path().join("chat_template.jinja"), template).expect("a writable copy");
        let prompt = prompt(copy.path()).expect("a template of Qwen");
        prompt.expand("x", &Visual::Image, Grid { t: 1, h: 2, w: 2 }, false)
    };
    let whole = "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>x<|im_end|>\n<|im_start|>assistant\n";
    assert_eq!(opening(&published()), whole);
    assert_eq!(opening(&thinking), [whole, "<think>\n"].concat());
    // Jinja takes the last line end of a template away, so transformers writes none there.
    let bare = "{% for m in messages %}<|im_start|>{{ m.role }}\n<|vision_start|><|image_pad|><|vision_end|>{{ m.content }}\
                <|im_end|>\n{% endfor %}<|im_start|>assistant\n";
    assert_eq!(opening(bare), whole.trim_end());
    assert_eq!(opening(&[bare, "\n"].concat()), whole);
    assert_eq!(opening(&[bare, "{# ends #}"].concat()), whole);
}

#[test]
fn a_template_that_writes_other_words_is_refused() {
    let plain = std::fs::read_to_string(folder("base").join("chat_template.jinja")).expect("the fixture's");
    let refused = |what: &str| Err(format!("DIR/chat_template.jinja: a chat template that {what} is not known here"));
    assert_eq!(said("{% for m in messages %}[INST]{{ m.content }}{% endfor %}"), refused("writes no <|im_start|>"));
    assert_eq!(said(&plain.replace("<|im_end|>", "</s>")), refused("writes no <|im_end|>"));
    let blind = plain.replace("<|vision_start|>", "").replace("<|video_pad|>", "<video>");
    assert_eq!(said(&blind), refused("writes no <|video_pad|>"));
    let system = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n";
    let helpful = refused("writes 'system You are a helpful assistant.' around a message");
    assert_eq!(said(&[system, &plain].concat()), helpful);
    // As Qwen2.5-VL has it: where the messages have none.
    for condition in ["loop.first and message['role'] != 'system'", "not messages[0][\"role\"] == \"system\""] {
        let first = format!("{{% for message in messages %}}{{% if {condition} %}}{system}{{% endif %}}");
        assert_eq!(said(&plain.replace("{% for message in messages %}", &first)), helpful, "{condition}");
    }
    let otherwise = "{% if messages[0].role == 'system' %}{{ messages[0].content }}{% else %}{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}";
    assert_eq!(said(&[otherwise, &plain].concat()), helpful);
    let judge = plain.replace("{% for part in", "Judge this: {% for part in");
    assert_eq!(said(&judge), refused("writes 'Judge this:' around a message"));
}

#[test]
fn a_checkpoint_without_a_template_is_told_of() {
    let copy = copy("base");
    std::fs::remove_file(copy.path().join("chat_template.jinja")).expect("it was there");
    let note = prompt(copy.path()).expect("a prompt").note().map(str::to_owned);
    assert_eq!(note.as_deref(), Some("no chat template: a prompt is written as that of Qwen3-VL writes it"));
}

#[test]
fn what_a_template_does_on_unknown_conditions_is_noted() {
    let plain = std::fs::read_to_string(folder("base").join("chat_template.jinja")).expect("the fixture's");
    let set = "{% if system_message %}{{ '<|im_start|>system\\n' + system_message + '<|im_end|>\\n' }}{% endif %}";
    let note = "chat_template.jinja: whether the chat template puts a system turn in front by itself cannot be told; none \
                is put here";
    assert_eq!(said(&[set, &plain].concat()), Ok(Some(note.to_owned())));
    assert_eq!(said(&[set.replace("system_message %", "tools %").as_str(), &plain].concat()), Ok(None));
}

#[test]
fn a_template_is_found_where_transformers_finds_it() {
    let odd = "[INST]{{ messages }}";
    let copy = copy("base");
    edit(copy.path(), "tokenizer_config.json", |config| config["chat_template"] = serde_json::json!(odd));
    // The file of its own goes before.
    assert!(prompt(copy.path()).is_ok());
    let plain = std::fs::read_to_string(copy.path().join("chat_template.jinja")).expect("the fixture's");
    std::fs::remove_file(copy.path().join("chat_template.jinja")).expect("it was there");
    let refused =
        |file: &str| Some(format!("DIR/{file}: a chat template that writes no <|im_start|> is not known here"));
    assert_eq!(prompt(copy.path()).err(), refused("tokenizer_config.json"));
    let named = serde_json::json!([{"name": "tools", "template": plain}, {"name": "default", "template": odd}]);
    edit(copy.path(), "tokenizer_config.json", |config| config["chat_template"] = named);
    assert_eq!(prompt(copy.path()).err(), refused("tokenizer_config.json"));
    std::fs::write(copy.path().join("chat_template.json"), serde_json::json!({"chat_template": odd}).to_string())
        .expect("a writable copy");
    assert_eq!(prompt(copy.path()).err(), refused("chat_template.json"));
    edit(copy.path(), "chat_template.json", |config| config["chat_template"] = serde_json::json!(plain));
    assert!(prompt(copy.path()).is_ok());
    edit(copy.path(), "chat_template.json", |config| config["chat_template"] = serde_json::json!(5));
    assert_eq!(prompt(copy.path()).err().as_deref(), Some("DIR/chat_template.json: chat_template is not a text"));
}

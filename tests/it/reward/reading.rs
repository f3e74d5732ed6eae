//! The grammar of replies, case by case, and its laws.

use proptest::prelude::*;
use roborm::reward::{Reading, Reply, Why, read_reply, read_text};

use Why::{CutOff, Decimal, Disagree, Empty, NoScore, OtherScale, Outside, Range, ReasoningOnly, Stopped};

fn read(text: &str) -> Reading {
    read_text(text, None, Some("stop"))
}

#[track_caller]
fn all_read(cases: &[(&str, u8)]) {
    let wrong: Vec<_> = cases.iter().filter(|(text, score)| read(text) != Reading::Score(*score)).collect();
    let got: Vec<_> = wrong.iter().map(|(text, _)| read(text)).collect();
    assert!(wrong.is_empty(), "(text, right score): {wrong:#?}\nread as {got:#?}");
}

#[track_caller]
fn none_read(cases: &[(&str, Why)]) {
    let wrong: Vec<_> = cases.iter().filter(|(text, why)| read(text) != Reading::Unparsed(*why)).collect();
    let got: Vec<_> = wrong.iter().map(|(text, _)| read(text)).collect();
    assert!(wrong.is_empty(), "(text, right reason): {wrong:#?}\nread as {got:#?}");
}

#[test]
fn a_bare_integer_is_the_score() {
    all_read(&[
        ("1", 1),
        ("5", 5),
        (" 4 \n", 4),
        ("4.", 4),
        ("4!", 4),
        ("(4)", 4),
        ("[4]", 4),
        ("\"4\"", 4),
        ("**4**", 4),
        ("_4_", 4),
        ("__4__", 4),
        ("`4`", 4),
        ("# 4", 4),
        ("> 4", 4),
        ("- 4", 4),
        ("* 4", 4),
        ("• 4", 4),
        ("<4>", 4),
        ("04", 4),
        ("4\n\n", 4),
        ("\u{feff}4\u{200b}", 4),
        ("four", 4),
        ("Four.", 4),
        ("FIVE", 5),
        ("one", 1),
        ("4\u{fe0f}\u{20e3}", 4),
        ("④", 4),
    ]);
}

#[test]
fn digits_of_any_script_count() {
    all_read(&[
        ("४", 4),
        ("٤", 4),
        ("۴", 4),
        ("４", 4),
        ("௪", 4),
        ("๔", 4),
        ("𝟒", 4),
        ("স্কোর: ৪", 4),
        ("ANSWER: ४", 4),
        ("Score：４／５", 4),
        ("评分: 4分", 4),
        ("점수: 4점", 4),
    ]);
    none_read(&[("६", Outside), ("३ - ४", Range), ("٤٫٥", Disagree), ("4个杯子", NoScore), ("१०", Outside)]);
}

#[test]
fn marked_answers_win() {
    all_read(&[
        ("ANSWER: 4", 4),
        ("answer:4", 4),
        ("Answer = 4", 4),
        ("ANSWER 4", 4),
        ("ANSWER: <4>", 4),
        ("ANSWER: **4**", 4),
        ("**ANSWER:** 4", 4),
        ("ANSWER:\n4", 4),
        ("ANSWER:\n\n**4**\n", 4),
        ("ANSWER: four", 4),
        ("ANSWER: one", 1),
        ("ANSWER - 4", 4),
        ("ANSWER-4", 4),
        ("ANSWER -> 4", 4),
        ("ANSWER: 4.", 4),
        ("ANSWER: (4)", 4),
        ("Score: 4", 4),
        ("Score - 4", 4),
        ("Score – 4", 4),
        ("Score: 4 (near completion)", 4),
        ("Score: 4, near completion", 4),
        ("Score: 4 Reasoning: the drawer is open", 4),
        ("Rating: 4", 4),
        ("Reward: 4", 4),
        ("## Score\n\n4", 4),
        ("| Score | 4 |", 4),
        ("**Final Score: 4/5 (good)**", 4),
        ("The score is 4.", 4),
        ("The final score is a 4", 4),
        ("My rating for the robot's attempt is 3 because it moved 2 cups.", 3),
        ("The score for this attempt (1-5) is 4", 4),
        ("Score (1-5): 4", 4),
        ("Score (out of 5): 4", 4),
        ("Rating [1 to 5] = 2", 2),
        ("Final answer: 2", 2),
        ("The answer is $\\boxed{4}$", 4),
        ("\\boxed{\\text{4}}", 4),
        ("<answer>4</answer>", 4),
        ("<score>2</score>\n<reason>It took 3 tries</reason>", 2),
        ("<|begin_of_box|>4<|end_of_box|>", 4),
        ("Score: 3 of 5", 3),
        ("Score: 2\n\nThe robot tried 3 times and reached 4.", 2),
        ("I first thought 5, then 3. ANSWER: 2", 2),
        ("It lies between 3 and 4. ANSWER: 3", 3),
        ("Final_Score: 4", 4),
        ("4/5", 4),
        ("4 / 5", 4),
        ("**4**/5", 4),
        ("4 out of 5", 4),
        ("four out of five", 4),
        ("4 stars out of 5", 4),
        ("4/5 stars", 4),
        ("4 out of a possible 5", 4),
        ("I'd give this 2/5 since the cup fell.", 2),
        ("I would rate this a solid 3 out of 5.", 3),
        ("2/5 Poor.", 2),
    ]);
}

#[test]
fn marked_answers_must_agree() {
    all_read(&[("ANSWER: 4\nANSWER: 4", 4), ("Score: 4\nSo 4/5.", 4), ("**Score: 4**\n\nFinal answer: four", 4)]);
    none_read(&[
        ("ANSWER: 4\nANSWER: 5", Disagree),
        ("Initial score: 3. Final score: 4.", Disagree),
        ("Score: 3\n4/5", Disagree),
        ("Score: 4, 5", Disagree),
        ("Score: 4 or 5", Range),
        ("Score: 3-4", Range),
        ("Score: 3 to 4", Range),
        ("Score: 3 – 4", Range),
        ("Score: 3 → 4", Range),
        ("Score: 4+", Range),
        ("Score: 4.5", Decimal),
        ("Score: 4,5", Decimal),
        ("Score: 4.0", Decimal),
        ("4.5/5", Decimal),
        ("4.5 out of 5", Decimal),
        ("Score: 7", Outside),
        ("Score: 0", Outside),
        ("Score: -4", Outside),
        ("0/5", Outside),
        ("7/5", Outside),
        ("Score: 8/10", OtherScale),
        ("8 out of 10", OtherScale),
        ("ANSWER: 40", Outside),
        ("ANSWER: 99999999999999999999999", Outside),
    ]);
}

#[test]
fn json_fields_are_marks() {
    all_read(&[
        (r#"{"score": 4}"#, 4),
        (r#"{"score": "4"}"#, 4),
        (r#"{'score': 4}"#, 4),
        ("```json\n{\"score\": 4}\n```", 4),
        ("```json\n{\n  \"reason\": \"2 cups fell\",\n  \"rating\": 3\n}\n```", 3),
        (r#"{"final_score": 4, "confidence": 5}"#, 4),
        (r#"{"answer": 4, "max_score": 5}"#, 4),
        (r#"{"progress": 3, "objects": 2}"#, 3),
        (r#"{"score": [4]}"#, 4),
        ("Here it is:\n```\n4\n```", 4),
    ]);
    none_read(&[
        (r#"{"score": null}"#, NoScore),
        (r#"{"score": 4.5}"#, Decimal),
        (r#"{"score": 4, "rating": 2}"#, Disagree),
        (r#"{"score": 10}"#, Outside),
    ]);
}

#[test]
fn without_a_mark_a_lone_candidate_is_taken() {
    all_read(&[
        ("There are 5 reasons this is a 2", 2),
        ("I'd give it a 3.", 3),
        ("I would rate this 4 because the drawer is nearly closed.", 4),
        ("This deserves a 2.", 2),
        ("4: near completion", 4),
        ("4 - Near Completion", 4),
        ("4 — near completion", 4),
        ("4—near completion", 4),
        ("4 (near completion)", 4),
        ("4 = near completion", 4),
        ("4, because the cup is upright", 4),
        ("4 - one requirement is missed", 4),
        ("2\n\nThe robot moved 3 cups.", 2),
        ("3 cups fell, so 2.", 2),
        ("After 2 attempts the robot placed 3 of 5 cups: 4", 4),
        ("In step 3 of 5 the gripper slips; I say 2", 2),
        ("Frame 4 shows the cup upright. 5", 5),
        ("Frames 1-8 show the cup, at 4.5 seconds it falls. So 1.", 1),
        ("Frames 1, 2 and 3 show nothing. 1", 1),
        ("It took 3-4 seconds; 4.", 4),
        ("On 2024-05-04 at 12:30, robot_7 with cam2: 3", 3),
        ("gpt-4 says 3", 3),
        ("v1.2.3 gives 2", 2),
        ("80% done, hence 4", 4),
        ("Not a 5, but a 4", 4),
        ("4, not 5", 4),
        ("4 rather than 5", 4),
        ("Almost a 5, so 4", 4),
        ("More than 3. I settle on 4", 4),
        ("The 4th frame shows it. 3", 3),
        ("No one helped. This is a one", 1),
        ("On a scale of 1 to 5, I'd give 3", 3),
        ("on a scale of 1 to 5, I'd say this trajectory is a three.", 3),
        ("From 1 (no success) to 5 (perfect): 4", 4),
        ("(1-5) 4", 4),
        ("On a 5-point scale: 2", 2),
        ("Choosing among 1, 2, 3, 4, or 5: 2", 2),
        ("1,2,3,4,5 -> 4", 4),
        ("5 stars", 5),
        ("I say 4 and I repeat, 4.", 4),
        ("The robot completed the task. 4", 4),
    ]);
}

#[test]
fn what_can_be_meant_in_two_ways_is_unparsed() {
    none_read(&[
        ("4 - 5", Range),
        ("4-5", Range),
        ("4–5", Range),
        ("4 to 5", Range),
        ("3 or 4", Range),
        ("between 3 and 4", Range),
        ("4 or higher", Range),
        ("4+", Range),
        ("3..4", Range),
        ("4.5", Decimal),
        (".5", Decimal),
        ("3, 4", Disagree),
        ("3\n4", Disagree),
        ("A score of 5 would need the cup upright; I'd give 3", Disagree),
        ("0", Outside),
        ("6", Outside),
        ("10", Outside),
        ("42", Outside),
        ("-4", Outside),
        ("minus 4", Outside),
        ("zero", Outside),
        ("ten", Outside),
        ("8/10", OtherScale),
        ("On a scale of 1 to 10, I'd give 4", OtherScale),
        ("~4", NoScore),
        ("about a 4", NoScore),
        ("I say > 4", NoScore),
        ("< 4", NoScore),
        ("at least 3", NoScore),
    ]);
}

#[test]
fn what_is_no_score_is_unparsed() {
    none_read(&[
        ("I cannot judge this video.", NoScore),
        ("ANSWER: <score>", NoScore),
        ("ANSWER: <score>\nANSWER:", NoScore),
        ("ANSWER: N/A", NoScore),
        ("3 cups", NoScore),
        ("5 reasons", NoScore),
        ("Answer: 3 cups were placed", NoScore),
        ("4 out of 5 cups were placed", NoScore),
        ("3 of 5", NoScore),
        ("step 3 of 5", NoScore),
        ("Step 4", NoScore),
        ("frame #4", NoScore),
        ("4%", NoScore),
        ("80%", NoScore),
        ("4 percent", NoScore),
        ("4th", NoScore),
        ("the fourth", NoScore),
        ("2024-05-04", NoScore),
        ("4/5/2024", NoScore),
        ("12:30", NoScore),
        ("4.5.1", NoScore),
        ("gpt-4", NoScore),
        ("#4", NoScore),
        ("$4", NoScore),
        ("out of 5", NoScore),
        ("/5", NoScore),
        ("1-5", NoScore),
        ("The maximum score is 5.", NoScore),
        ("one of the cups", NoScore),
        ("No one knows", NoScore),
        ("not 4", NoScore),
        ("The answer is not 4", NoScore),
        ("★★★★☆", NoScore),
        ("Confidence: 4", NoScore),
        ("4-star", NoScore),
        ("two-handed", NoScore),
        ("May 4", NoScore),
        ("?", NoScore),
    ]);
}

#[test]
fn an_echo_of_the_rubric_is_no_answer() {
    let lines = "1: no success\n2: minimal progress\n3: partial completion\n4: near completion\n5: perfect completion";
    let line = "1: no success, 2: minimal progress, 3: partial completion, 4: near completion, 5: perfect completion";
    let card = "1 - No Success: nothing.\n2 - Minimal Progress: little.\n3 - Partial Completion: some.\n4 - Near Completion: \
                most.\n5 - Perfect Completion: all.";
    let scores = "Score 1: no success\nScore 2: minimal progress\nScore 3: partial completion";
    for echo in [lines, line, card, scores, "1 = no success, 5 = perfect", "1. No\n2. Little\n3. Half"] {
        assert_eq!(read(echo), Reading::Unparsed(NoScore), "{echo:?}");
        assert_eq!(read(&format!("{echo}\n\n4")), Reading::Score(4), "{echo:?}");
        assert_eq!(read(&format!("{echo}\n\nANSWER: 2")), Reading::Score(2), "{echo:?}");
        assert_eq!(read(&format!("{echo}\n\nI'd give 3.")), Reading::Score(3), "{echo:?}");
    }
    all_read(&[
        ("1. The robot approaches.\n2. It grasps the cup.\n3. It drops it.\n\nScore: 2", 2),
        ("1. Approach: done\n2. Grasp: failed\n\nThus 2.", 2),
        ("1. Score: 4\n2. Reason: the cup is upright", 4),
        ("1) no\n2) yes\nI give 4", 4),
    ]);
}

#[test]
fn think_tags_go_with_what_is_in_them() {
    all_read(&[
        ("<think>Maybe 3, maybe 4.</think>5", 5),
        ("<think>\nANSWER: 2\n</think>\n\nANSWER: 4", 4),
        ("<THINK>3</THINK> 4", 4),
        ("<thinking>3</thinking><answer>4</answer>", 4),
        ("it is 3 or so</think>4", 4),
        ("<think></think>4", 4),
        ("<think>a</think><think>2</think>4", 4),
        ("<reasoning>5</reasoning>\n<answer>1</answer>", 1),
    ]);
    none_read(&[
        ("<think>I think ANSWER: 4", ReasoningOnly),
        ("<think>4</think>", ReasoningOnly),
        ("4</think>", ReasoningOnly),
    ]);
}

#[test]
fn a_reply_that_stopped_early_is_unparsed() {
    assert_eq!(read_text("ANSWER: 4", None, Some("length")), Reading::Unparsed(CutOff));
    assert_eq!(read_text("ANSWER: 4", None, Some("content_filter")), Reading::Unparsed(Stopped));
    assert_eq!(read_text("ANSWER: 4", None, Some("error")), Reading::Unparsed(Stopped));
    assert_eq!(read_text("ANSWER: 4", None, None), Reading::Score(4));
    assert_eq!(read_text("", None, Some("stop")), Reading::Unparsed(Empty));
    assert_eq!(read_text(" \n", Some(" "), Some("stop")), Reading::Unparsed(Empty));
    assert_eq!(read_text("", Some("ANSWER: 4"), Some("stop")), Reading::Unparsed(ReasoningOnly));
    // Reasoning beside an answer changes nothing.
    let reply = Reply { text: "2".into(), reasoning: Some("ANSWER: 4".into()), ..Reply::default() };
    assert_eq!(read_reply(&reply).score(), Some(2));
}

proptest! {
    #[test]
    fn any_text_is_read_to_a_score_from_1_to_5_or_none(text in any::<String>()) {
        if let Reading::Score(score) = read(&text) {
            prop_assert!((1..=5).contains(&score));
        }
    }

    #[test]
    fn any_soup_of_the_grammars_own_words_is_read(
        words in prop::collection::vec(prop::sample::select(vec![
            "ANSWER", "Score", ":", "=", "-", "–", "/", "5", "4", "10", "4.5", "out", "of", "scale", "1", "to", "(", ")", "\n",
            "<think>", "</think>", "```", "**", "_", "#", "not", "a", "one", "four", "cups", "step", "%", "<", ">", "\\boxed{",
            "}", "\"", ",", ".", "is", "४", "-4",
        ]), 0..24),
        gap in prop::sample::select(vec!["", " "]),
    ) {
        if let Reading::Score(score) = read(&words.join(gap)) {
            prop_assert!((1..=5).contains(&score));
        }
    }

    #[test]
    fn decoration_does_not_matter(
        plain in prop::sample::select(vec![
            "4", "ANSWER: 4", "Score: 2/5", "I'd give it a 3.", "4 - 5", "4.5", "-4", "3 cups", "There are 5 reasons this is a 2",
            "on a scale of 1 to 5, I'd give 3", "10",
        ]),
        wrap in prop::sample::select(vec![
            ("**", "**"), ("_", "_"), ("__", "__"), ("`", "`"), ("> ", ""), ("# ", ""), ("\n\n", "\n"), ("  ", "  "),
            ("```\n", "\n```"), ("```text\n", "\n```"), ("<think>2 or 5</think>\n", ""), ("\u{200b}", "\u{200b}"), ("- ", ""),
        ]),
        twice in any::<bool>(),
    ) {
        let mut text = format!("{}{plain}{}", wrap.0, wrap.1);
        if twice {
            text = format!("\n{text}\n");
        }
        prop_assert_eq!(read(&text), read(plain), "{}", text);
    }

    #[test]
    fn a_marked_answer_wins_over_whatever_counts(n in 1u8..=5, count in 2u8..=9, thing in "(cups|reasons|objects|frames)") {
        let text = format!("The robot moved {count} {thing} in {count} seconds.\nANSWER: {n}");
        prop_assert_eq!(read(&text), Reading::Score(n));
    }

    #[test]
    fn digits_of_every_script_read_alike(n in 1u8..=5, zero in prop::sample::select(vec![
        '0', '٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '᠐', '０', '𝟎', '𞥐',
    ])) {
        let digit = char::from_u32(u32::from(zero) + u32::from(n)).expect("ten digits follow one another");
        prop_assert_eq!(read(&format!("ANSWER: {digit}")), Reading::Score(n));
        prop_assert_eq!(read(&digit.to_string()), Reading::Score(n));
    }
}

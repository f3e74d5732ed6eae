//! What is asked and what is made of the answers: by a fake worker.

use super::*;

#[test]
fn one_question_a_trajectory_and_each_wording_once() {
    let model = fake();
    assert_eq!(model.notes(), [""; 0], "nothing was asked yet");
    assert_eq!(model.image_needs().max_images, None);
    let clip = frames(2, 8, 4);
    let replies = ask(&model, &clip, &["a", "bb", "a"]);
    assert_eq!(texts(&replies), ["ANSWER: 3", "ANSWER: 4", "ANSWER: 3"]);
    let reply = replies[1].as_ref().expect("an answer");
    assert_eq!(reply.extra.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["p1", "p2", "p3", "p4", "p5"]);
    assert_eq!(reply.extra[3].1, 1.0);
    assert_eq!((reply.usage.prompt_tokens, reply.usage.cached_tokens), (Some(8), Some(1)));
    // The frames went over once.
    let again = ask(&model, &clip, &["a"]);
    assert_eq!(again[0].as_ref().expect("an answer").usage.cached_tokens, Some(2));
    // 7 + 8 + 7 tokens of prompts, and 1 + 1 + 2 of them shared.
    let name = model.name();
    assert_eq!(
        model.notes(),
        [
            format!("{name}: its files are not looked at"),
            format!("{name} on cpu: weights 2000.0 MB as f32, keys and values 1.0 KiB a token"),
            format!("{name}: 3 answers, up to 2 instructions at a time; 18 % of the prompts' tokens were shared"),
            format!("{name}: columns p1 to p5: the probabilities of the answers 1 to 5 where the score's digit stands"),
        ]
    );
}

#[test]
fn the_probabilities_are_those_where_the_score_stands() {
    let model = fake();
    let clip = frames(1, 4, 4);
    for (answer, place) in [
        ("ANSWER: 4", Some(8)),
        ("From 1 to 5, with 3 cups moved. ANSWER: 5", Some(40)),
        ("é 4", Some(3)),
        ("2 of 5 steps were done: Score: 2/5", Some(31)),
        // Said twice, the first.
        ("Score: 3. So the final answer: 3", Some(7)),
        // A score without a digit, and answers without a score.
        ("ANSWER: four", None),
        ("ANSWER: 3 to 4", None),
        ("ANSWER: 3, or else ANSWER: 4", None),
        ("I saw 2 cups", None),
    ] {
        let reply = ask(&model, &clip, &[&format!("say: {answer}")]).remove(0).expect("an answer");
        assert_eq!(reply.text, answer);
        let shares: Vec<f64> = reply.extra.iter().map(|(_, share)| *share).collect();
        let wanted = place.map_or(Vec::new(), |place| vec![f64::from(place) / 100.0; 5]);
        assert_eq!(shares, wanted, "{answer}");
    }
    let notes = model.notes();
    assert!(
        notes.iter().any(
            |note| note.ends_with(": 9 answers, one instruction at a time; 0 % of the prompts' tokens were shared")
        ),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|note| note.ends_with("; 4 answers have none, for want of a score in digits")),
        "{notes:?}"
    );
}

#[test]
fn threads_of_the_worker_wait_asleep() {
    let model = fake();
    let policy = std::env::var("OMP_WAIT_POLICY").unwrap_or_else(|_| "passive".into());
    assert_eq!(texts(&ask(&model, &frames(1, 4, 4), &["say: $OMP_WAIT_POLICY"])), [policy]);
}

#[test]
fn marks_of_the_chat_in_an_instruction_are_told() {
    let model = fake();
    let replies = ask(&model, &frames(1, 4, 4), &["stop <|im_end|> here", "stop here", "stop <|im_end|> here"]);
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    let said = ": 1 prompt holds <|, with which the chat's own marks begin; the model reads < | there";
    assert_eq!(model.notes().iter().filter(|note| note.ends_with(said)).count(), 1, "{:?}", model.notes());
}

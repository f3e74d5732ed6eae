//! Prompts: their exact words, and what stays the same when the instruction changes.

use proptest::prelude::*;
use roborm::reward::{FRAMES_FIRST, Part, Prompt, TEXT_FIRST};

#[test]
fn roborewards_prompt_is_that_of_its_model_card() {
    // From the card of teetone/RoboReward-8B.
    let card = "Given the task, assign a discrete progress score reward (1,2,3,4,5) for the robot in the video in the format: \
ANSWER: <score>
Rubric for end-of-episode progress (judge only the final state without time limits):
1 - No Success: Final state shows no goal-relevant change for the command.
2 - Minimal Progress: Final state shows a small but insufficient change toward the goal.
3 - Partial Completion: The final state shows good progress toward the goal but violates more than one requirement or a \
major requirement.
4 - Near Completion: Final state is correct in region and intent but misses a single minor requirement.
5 - Perfect Completion: Final state satisfies all requirements.

Task: open the top drawer";
    assert_eq!(Prompt::ROBOREWARD.text("open the top drawer"), card);
}

#[test]
fn frames_come_first_and_the_instruction_last_unless_asked_otherwise() {
    for prompt in [Prompt::ROBOREWARD, Prompt::GENERAL] {
        assert_eq!(prompt.order, FRAMES_FIRST);
        assert_eq!(prompt.order_name(), "frames,text");
        assert!(prompt.text("open the drawer").ends_with("\nTask: open the drawer"));
    }
    let turned = Prompt::GENERAL.with_order(TEXT_FIRST);
    assert_eq!(turned.order, [Part::Text, Part::Frames]);
    assert_eq!(turned.order_name(), "text,frames");
    assert_eq!(turned.text("x"), Prompt::GENERAL.text("x"));
}

proptest! {
    #[test]
    fn all_but_the_instruction_is_the_same_byte_for_byte(instruction in any::<String>()) {
        for prompt in [Prompt::ROBOREWARD, Prompt::GENERAL] {
            let text = prompt.text(&instruction);
            prop_assert!(text.starts_with(prompt.before) && text.ends_with(prompt.after));
            prop_assert_eq!(&text[prompt.before.len()..text.len() - prompt.after.len()], instruction.as_str());
        }
    }
}

//! Paraphrases of the demo's tasks, written by hand for every strategy.
//!
//! All of them ask for the same final state as the original. Lexical ones exchange words; structural ones rebuild the
//! sentence; adversarial ones lead away from the goal by wording alone: negated opposites, objects that are named only
//! to be left alone, the way there told before the end, unusual names, asides.

use super::{Paraphrase, ParaphraseSet, Strategy};

/// A task with its lexical, structural and adversarial paraphrases.
type Rewordings = (&'static str, [&'static str; 4], [&'static str; 4], [&'static str; 5]);

const REWORDINGS: [Rewordings; 8] = [
    (
        "open the top drawer",
        [
            "pull open the uppermost drawer",
            "open the highest drawer",
            "slide open the upper drawer",
            "draw out the topmost drawer",
        ],
        [
            "the top drawer should be opened",
            "of the two drawers, open the one on top",
            "make it so that the top drawer is open",
            "could you get the drawer at the top open?",
        ],
        [
            "leave the bottom drawer closed; it is the other one that must not stay shut",
            "do not stop until the top drawer is no longer closed",
            "the drawer below needs nothing, but the one above it should end up open",
            "undo the closed state of the drawer that has no drawer over it",
            "without touching the can or the mug, see to it that the top drawer does not remain closed",
        ],
    ),
    (
        "stack the red block on top of the blue block",
        [
            "place the red cube on the blue cube",
            "set the red block atop the blue block",
            "put the red brick on top of the blue brick",
            "pile the crimson block onto the blue block",
        ],
        [
            "the blue block should have the red block stacked on top of it",
            "on top of the blue block, stack the red one",
            "take the red block and stack it on the blue block",
            "make a tower with the blue block at the bottom and the red block on top",
        ],
        [
            "the blue block must end up under the red block, not over it",
            "ignore the yellow block; the red one belongs on the blue one",
            "do not leave the red block on the table: the blue block is to carry it",
            "support the red block with nothing but the blue block beneath it",
            "the blue block stays where it is and gets covered from above by the red block, not the yellow",
        ],
    ),
    (
        "put the sponge into the bin",
        [
            "place the sponge in the bin",
            "drop the sponge into the trash can",
            "throw the sponge into the waste bin",
            "deposit the sponge in the bin",
        ],
        [
            "the sponge should go into the bin",
            "into the bin with the sponge, please",
            "pick up the sponge and put it into the bin",
            "make sure that the bin has the sponge in it",
        ],
        [
            "the sponge must not stay on the table or beside the bin but end up inside it",
            "leave the banana and the mug out of the bin; only the sponge goes in",
            "do not keep the sponge: the bin is where it should finish",
            "let the bin be what holds the sponge, rather than the hand or the table",
            "the bin is missing something yellow and green that is not the banana; put that sponge in it",
        ],
    ),
    (
        "set the cup upright",
        ["stand the cup upright", "place the tumbler upright", "put the cup upright", "turn the cup right side up"],
        [
            "the cup should be set upright",
            "make the cup stand on its base",
            "get the cup, which has tipped over, back upright",
            "can you bring the cup into an upright position?",
        ],
        [
            "the cup must not be left lying down",
            "do not leave the cup on its side; its opening is to face the ceiling",
            "undo the tipping over of the cup, leaving the book and the can alone",
            "the cup has fallen; when you are done it should look as if that had never happened",
            "neither the can nor the ball needs setting upright, but the cup does",
        ],
    ),
    (
        "press the green button",
        [
            "push the green button",
            "push down the green button",
            "depress the green button",
            "press the green push button",
        ],
        [
            "the green button should be pressed",
            "give the green button a press",
            "the button that is green: press it",
            "make sure that the green button gets pressed",
        ],
        [
            "do not leave the green button unpressed",
            "neither the blue can nor the yellow block is to be pressed, but the green button is",
            "touching the table next to it does not count: the green button itself has to go down",
            "the green button must not stay up",
            "with the can left alone, end with the green button having been pushed, not merely approached",
        ],
    ),
    (
        "place the bowl on the plate",
        [
            "put the bowl on the plate",
            "set the bowl onto the plate",
            "position the bowl on top of the plate",
            "rest the bowl on the dish",
        ],
        [
            "the bowl should be placed on the plate",
            "on the plate, place the bowl",
            "pick up the bowl and place it on the plate",
            "make the plate have the bowl standing on it",
        ],
        [
            "the plate must not stay empty: it is the bowl, not the mug, that belongs on it",
            "the plate goes nowhere, yet it should end up under the bowl",
            "do not leave the bowl on the table; let the plate bear it",
            "moving the bowl closer is not enough: it has to end up on the plate",
            "the mug and the banana are to stay off the plate, which the bowl is not",
        ],
    ),
    (
        "fold the towel in half",
        [
            "fold the cloth in half",
            "fold the towel into halves",
            "double the towel over in half",
            "crease the towel in half",
        ],
        [
            "the towel should be folded in half",
            "take the towel and fold it in half",
            "in half is how the towel should be folded",
            "make it so that the towel is folded in half",
        ],
        [
            "do not leave the towel spread out: one half of it is to lie on the other",
            "bring one edge of the towel onto the opposite edge so that it no longer lies flat and open",
            "the towel must end up covering half the table area that it covers now, by a single fold and no rolling",
            "without folding it twice, do not leave the towel unfolded: halves on top of each other",
            "neither the can nor the mug matters; the towel is what should not stay in one layer but be folded in half",
        ],
    ),
    (
        "close the cabinet door",
        [
            "shut the cabinet door",
            "close the cupboard door",
            "push the cabinet door shut",
            "swing the cabinet's door closed",
        ],
        [
            "the cabinet door should be closed",
            "the door of the cabinet: close it",
            "make sure that the cabinet has its door closed",
            "would you close the door of the cabinet?",
        ],
        [
            "do not leave the cabinet door open",
            "the open cabinet door must not remain so, not even half-way",
            "undo the opening of the cabinet door",
            "nothing inside the cabinet is to be taken out; its open door is only to end up shut",
            "let the jars no longer be seen, by nothing else than the cabinet door not being open any more",
        ],
    ),
];

/// The paraphrases of the demo dataset, keyed by task: at least four of every strategy for each.
pub fn demo() -> ParaphraseSet {
    let paraphrases = REWORDINGS
        .iter()
        .flat_map(|(task, lexical, structural, adversarial)| {
            let groups: [(Strategy, &[&str]); 3] = [
                (Strategy::Lexical, lexical),
                (Strategy::Structural, structural),
                (Strategy::Adversarial, adversarial),
            ];
            groups.into_iter().flat_map(move |(strategy, texts)| {
                texts.iter().map(move |text| Paraphrase::of_task(*task, strategy.clone(), *text))
            })
        })
        .collect();
    ParaphraseSet::new(paraphrases).expect("no text of the demo stands twice under one strategy, and none is blank")
}

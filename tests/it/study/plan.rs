use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use roborm::dataset::Dataset;
use roborm::paraphrase::{Key, Paraphrase, ParaphraseSet, Strategy};
use roborm::study::{Plan, PlanOptions, Shard, Standing};

use super::kit::{paraphrase, paraphrases, plan, plan_of, trajectories};

fn ids(plan: &Plan) -> Vec<String> {
    plan.trajectories().iter().map(|planned| planned.trajectory.id.clone()).collect()
}

#[test]
fn the_original_comes_first_and_every_wording_once() {
    let plan = plan(2, 3);
    let texts: Vec<&str> = plan.trajectories()[0].wordings.iter().map(|wording| &*wording.instruction).collect();
    assert_eq!(
        texts,
        ["open the drawer", "open the drawer, wording 0", "open the drawer, wording 1", "open the drawer, wording 2"]
    );
    assert_eq!(plan.pairs(), 8);
    let thrice = PlanOptions { repeats: 3, ..PlanOptions::default() };
    assert_eq!(plan_of(&trajectories(2), &paraphrases(3), &thrice).unwrap().pairs(), 24);
}

#[test]
fn a_text_under_two_strategies_is_one_call_and_two_rows() {
    let task = "open the drawer";
    let texts = [
        paraphrase(task, "lexical", "pull the drawer open"),
        paraphrase(task, "adversarial", "pull the drawer open"),
        paraphrase(task, "lexical", "open the drawer"),
        // Once more for the trajectory: no further row.
        Paraphrase { key: Key::Task(task.to_owned()), ..paraphrase(task, "lexical", "pull the drawer open") },
    ];
    let plan = plan_of(&trajectories(1), &texts, &PlanOptions::default()).unwrap();
    let stands: Vec<Vec<&Strategy>> = plan.trajectories()[0]
        .wordings
        .iter()
        .map(|wording| wording.stands.iter().map(|Standing { strategy, .. }| strategy).collect())
        .collect();
    assert_eq!(stands, [[&Strategy::Original, &Strategy::Lexical], [&Strategy::Lexical, &Strategy::Adversarial]]);
    assert_eq!((plan.pairs(), plan.rows()), (2, 4));
}

#[test]
fn strategies_can_be_chosen_and_the_original_stays() {
    let only = PlanOptions { strategies: Some(vec![Strategy::Structural]), ..PlanOptions::default() };
    let plan = plan_of(&trajectories(1), &paraphrases(6), &only).unwrap();
    let strategies: Vec<&str> =
        plan.trajectories()[0].wordings.iter().map(|wording| wording.stands[0].strategy.as_str()).collect();
    assert_eq!(strategies, ["original", "structural", "structural"]);
}

#[test]
fn tasks_without_paraphrases_are_told() {
    let some = [paraphrase("open the drawer", "lexical", "pull the drawer open")];
    let plan = plan_of(&trajectories(6), &some, &PlanOptions::default()).unwrap();
    assert_eq!(plan.bare_tasks(), ["fold the towel", "press the button"]);
    assert_eq!(plan.pairs(), 2 * 2 + 4);
    // None wanted, none missed.
    let plan = Plan::from_parts("test", &trajectories(6), None, &PlanOptions::default()).unwrap();
    assert!(plan.bare_tasks().is_empty());

    let wrong = [paraphrase("Open The Drawer", "lexical", "pull the drawer open")];
    let error = plan_of(&trajectories(6), &wrong, &PlanOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no paraphrases for any task of dataset test: `fold the towel`, `open the drawer`, `press the button`"
    );
}

#[test]
fn what_the_file_has_besides_is_said_where_that_may_be_why() {
    let dataset = Dataset::new("test", trajectories(6)).unwrap();
    let plan = |texts: Vec<Paraphrase>, options: &PlanOptions| {
        Plan::new(&dataset, Some(&ParaphraseSet::new(texts).unwrap()), options)
    };
    let misspelt = || paraphrase("Open The Drawer", "lexical", "pull the drawer open");
    let error = plan(vec![misspelt()], &PlanOptions::default()).unwrap_err();
    assert!(error.help().unwrap().ends_with("It has some for `Open The Drawer`"), "{error:?}");
    // Nothing of the file's is why there is nothing to do.
    let few = PlanOptions { shard: Some("9/9".parse().unwrap()), ..PlanOptions::default() };
    let error = plan(vec![misspelt(), paraphrase("open the drawer", "lexical", "pull it open")], &few).unwrap_err();
    assert_eq!(error.help(), Some("raise --limit, or use fewer shards than trajectories"));
}

#[test]
fn a_part_of_a_study_goes_on_where_only_other_parts_have_paraphrases() {
    // Tasks come in turn, so that the second of three shards has one of them alone, and the file words another.
    let some = [paraphrase("open the drawer", "lexical", "pull the drawer open")];
    let one = PlanOptions { shard: Some("2/3".parse().unwrap()), ..PlanOptions::default() };
    let plan = plan_of(&trajectories(6), &some, &one).unwrap();
    assert_eq!((plan.pairs(), plan.bare_tasks().len()), (2, 1));
    let told = plan.bare_tasks_told().unwrap();
    assert_eq!(told, format!("no paraphrases for 1 of the tasks: `{}`", plan.bare_tasks()[0]));
    // As the whole does, which has the same originals among its pairs.
    let whole = plan_of(&trajectories(6), &some, &PlanOptions::default()).unwrap();
    assert!(ids(&plan).iter().all(|id| ids(&whole).contains(id)));
    assert_eq!(whole.bare_tasks().len(), 2);
    // A pilot is a part as well.
    for seed in 0..8 {
        let pilot = PlanOptions { limit: Some(1), seed, ..PlanOptions::default() };
        assert_eq!(plan_of(&trajectories(6), &some, &pilot).unwrap().trajectories().len(), 1);
    }
    // Of the file of another dataset no part goes on, whatever it takes.
    let wrong = [paraphrase("Open The Drawer", "lexical", "pull the drawer open")];
    assert!(plan_of(&trajectories(6), &wrong, &one).unwrap_err().is_input());
    let other = PlanOptions { strategies: Some(vec![Strategy::Structural]), ..one };
    assert!(plan_of(&trajectories(6), &some, &other).unwrap_err().is_input());
}

#[test]
fn refuses_what_cannot_be_planned() {
    let error = |trajectories: &[_]| plan_of(trajectories, &paraphrases(1), &PlanOptions::default()).unwrap_err();
    assert_eq!(error(&[]).to_string(), "dataset test has no trajectories");
    let mut twice = trajectories(3);
    twice[2].id = twice[0].id.clone();
    assert_eq!(error(&twice).to_string(), "trajectory t000 stands twice in dataset test: 1 and 3 from its start");
    let mut blank = trajectories(3);
    blank[1].task = "  ".to_owned();
    assert_eq!(error(&blank).to_string(), "trajectory t001 of dataset test has no instruction");
    let none = PlanOptions { limit: Some(0), ..PlanOptions::default() };
    assert!(plan_of(&trajectories(3), &paraphrases(1), &none).unwrap_err().is_usage());
}

#[test]
fn a_pilot_is_even_over_labels_and_tasks() {
    // 60 trajectories: 4 of each (label, task).
    let pilot = PlanOptions { limit: Some(15), seed: 3, ..PlanOptions::default() };
    let plan = plan_of(&trajectories(60), &paraphrases(1), &pilot).unwrap();
    let mut strata: BTreeMap<(u8, &str), usize> = BTreeMap::new();
    for planned in plan.trajectories() {
        let trajectory = &planned.trajectory;
        *strata.entry((trajectory.label.unwrap().get(), &trajectory.task)).or_default() += 1;
    }
    assert_eq!(strata.len(), 15, "{strata:?}");
    assert!(ids(&plan).is_sorted());
}

#[test]
fn a_shard_is_named_i_of_n() {
    assert_eq!("2/8".parse::<Shard>().unwrap().to_string(), "2/8");
    for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2", "1/2/3"] {
        let error = wrong.parse::<Shard>().unwrap_err();
        assert!(error.is_usage() && error.to_string().starts_with("shard "), "{error}");
    }
}

proptest! {
    #[test]
    fn shards_part_the_trajectories(count in 1..40_usize, of in 1..9_usize) {
        let all = trajectories(count);
        let mut seen = BTreeSet::new();
        for part in 1..=of.min(count) {
            let options = PlanOptions { shard: Some(Shard::new(part, of).unwrap()), ..PlanOptions::default() };
            let plan = plan_of(&all, &paraphrases(1), &options).unwrap();
            for id in ids(&plan) {
                prop_assert!(seen.insert(id));
            }
        }
        prop_assert_eq!(seen.len(), count);
    }

    #[test]
    fn a_larger_pilot_contains_a_smaller_one(small in 1..30_usize, more in 0..30_usize, seed in 0..5_u64) {
        let pilot = |limit| {
            let options = PlanOptions { limit: Some(limit), seed, ..PlanOptions::default() };
            ids(&plan_of(&trajectories(47), &paraphrases(1), &options).unwrap()).into_iter().collect::<BTreeSet<_>>()
        };
        let (little, large) = (pilot(small), pilot(small + more));
        prop_assert_eq!(little.len(), small);
        prop_assert!(little.is_subset(&large));
    }
}
